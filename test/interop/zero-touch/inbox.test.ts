// The discovered machines on the page, in Chromium: an operator accepts machines that nobody expected, and lets one go on that has stopped.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { FactoryMachine } from '../../../daemon/simulator/factory-rack.ts';
import { complaintsOf, isLive, startBrowser, withoutBrowser } from '../../fakes/clients/browser.ts';
import type { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import {
  RACK_NETWORK,
  bmcAddressOf,
  expectedAs,
  newRack,
  postTo,
  refusedLogins,
  settledRack,
  withoutRoot,
} from './new-rack.ts';

async function scanned(daemon: DaemonProcess): Promise<void> {
  await postTo(daemon, '/v1/found_bmcs/scan', { networks: [`${RACK_NETWORK}.0/29`] });
  type Scan = { readonly scan: { readonly ended_at: string | null } };
  while ((await daemon.request<Scan>('GET', '/v1/found_bmcs/scan')).body.scan.ended_at === null)
    await setTimeout(100);
}

test(
  'on the page, machines are accepted with one login, one with another password says so, and goes on after a correction',
  { skip: withoutRoot || withoutBrowser },
  async (t) => {
    const { daemon, rack } = await newRack(t, 3);
    const [first, second, other] = rack as [FactoryMachine, FactoryMachine, FactoryMachine];
    const { bmc_username, bmc_password } = expectedAs(first) as Record<
      'bmc_username' | 'bmc_password',
      string
    >;
    second.fake.bmc.sessions.accounts.factory = { username: bmc_username, password: bmc_password };
    await postTo(daemon, '/v1/hardware_classes', { name: 'web', erase_disks: true });
    await scanned(daemon);
    await settledRack(daemon, rack.length);

    const page = await (await startBrowser(t)).newPage({ viewport: { width: 1100, height: 800 } });
    const complaints = complaintsOf(page);
    await page.goto(`${daemon.url}/ui/add/discovered`);
    await isLive(page);
    const unexpected = page.locator("form[action$='/found/accept']");
    const stopped = page.locator("form[action$='/found/continue']");
    await unexpected.getByRole('checkbox', { name: bmcAddressOf(first) }).check();
    await unexpected.getByRole('checkbox', { name: bmcAddressOf(second) }).check();
    const fill = async () => {
      await page.getByLabel('User of these BMCs').fill(bmc_username);
      await page.getByLabel('Resource class').fill('web');
      await page.getByLabel('Password').fill(bmc_password);
    };
    await fill();
    await daemon.request('DELETE', `/v1/found_bmcs/${bmcAddressOf(other)}`);
    await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
    await unexpected.getByText(bmcAddressOf(other)).waitFor({ state: 'detached' });
    assert.equal(await page.getByLabel('Password').inputValue(), bmc_password, 'what was typed stays');
    assert.equal(await page.evaluate('document.activeElement.id'), 'field-bmc_password');
    await page.getByRole('button', { name: 'Accept the chosen' }).click();
    await page.waitForURL(`${daemon.url}/ui/add/discovered`);
    await scanned(daemon);
    await settledRack(daemon, rack.length);
    await page.reload();
    await fill();
    await page.getByRole('button', { name: 'Accept all 1' }).click();
    await stopped.getByText('its BMC does not take the password that is known for user root').waitFor();
    await settledRack(daemon, rack.length);
    await page.reload();
    const stages = async () => {
      const bmcs = await settledRack(daemon, rack.length);
      return rack.map((machine) => bmcs.find(({ address }) => address === bmcAddressOf(machine))?.stage);
    };
    assert.deepEqual(await stages(), ['available', 'available', 'seen']);
    assert.deepEqual(rack.map(refusedLogins), [0, 0, 1]);

    const { body } = await daemon.request<{ expected_machines: { uuid: string; bmc_address: string }[] }>(
      'GET',
      '/v1/expected_machines?detail=true',
    );
    const mine = body.expected_machines.find(({ bmc_address: at }) => at === bmcAddressOf(other));
    await daemon.request('PATCH', `/v1/expected_machines/${mine?.uuid}`, [
      { op: 'replace', path: '/bmc_password', value: expectedAs(other).bmc_password },
      { op: 'remove', path: '/resource_class' },
    ]);
    await stopped.getByText('its disks may hold data').waitFor();
    await stopped.getByRole('checkbox', { name: bmcAddressOf(other) }).check();
    await page.getByRole('button', { name: 'Continue the chosen' }).click();
    await stopped.waitFor({ state: 'detached' });
    assert.deepEqual(await stages(), ['available', 'available', 'available']);
    assert.deepEqual(complaints, []);
  },
);
