// From a machine without a console to a shell on it, on the page alone; the BMC is ipmi_sim, and the serial line carries what is typed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { complaintsOf, startBrowser, withoutBrowser } from '../../fakes/clients/browser.ts';
import { enrolNode, startListening } from '../../fakes/daemon/listening-daemon.ts';
import { serialMachine, until } from '../../fakes/machines/serial-site.ts';
import { skipWithout } from '../../setup/packages.ts';

test(
  'a person chooses the console interface of a machine, enables the console, and types on it',
  { skip: withoutBrowser || skipWithout('socat') },
  async (t) => {
    const { machine, fields } = await serialMachine(t);
    const { url, services } = await startListening(t, {
      environment: { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'ipmi' },
    });
    t.after(async () => services.consoles.closeAll('The service is stopping.'));
    const node = await enrolNode(url, { ...fields, name: 'web-4', console_interface: 'no-console' });
    const page = await (await startBrowser(t)).newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${url}/ui/nodes/${node}`);
    await page.getByRole('link', { name: 'Console', exact: true }).click();
    await page.getByText('This machine has no console').getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Console interface').selectOption('ipmitool-socat');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByRole('link', { name: 'Console', exact: true }).click();
    await page.getByRole('button', { name: 'Enable the console' }).click();
    await page.getByText('Press a key in the console to type').waitFor();
    machine.show('rescue login: ');
    await page.locator('.xterm-rows').getByText('rescue login:').waitFor();
    await page.locator('#console-terminal').click();
    await page.keyboard.type('root\n');
    await until(() => machine.typed.join('').includes('root\r'));
    assert.deepEqual(complaints, []);
  },
);
