import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import { complaintsOf, isLive, startBrowser, withoutBrowser } from '../../fakes/clients/browser.ts';
import type { Ending } from '../../fakes/daemon/in-process-daemon.ts';
import { enrolNode, startListening } from '../../fakes/daemon/listening-daemon.ts';

async function startSite(test: Ending) {
  const environment = { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish,fake-hardware' };
  const daemon = await startListening(test, { environment });
  const uuids: string[] = [];
  for (const at of [1, 2, 3])
    uuids.push(
      await enrolNode(daemon.url, {
        name: `web-${at}`,
        driver: 'fake-hardware',
        extra: { rack: 'R1', unit: at },
      }),
    );
  const page = await (await startBrowser(test)).newPage({ viewport: { width: 1600, height: 900 } });
  const complaints = complaintsOf(page);
  return { ...daemon, uuids: uuids as [string, string, string], page, complaints };
}

describe('the machines in Chromium', { skip: withoutBrowser }, () => {
  it('are chosen by mouse and keyboard, and the bar offers what fits them', async (t) => {
    const { url, services, page, uuids, complaints } = await startSite(t);
    services.db.nodes.update(uuids[2], { provision_state: 'active', power_state: 'power on' });
    await page.goto(`${url}/ui/?sort=name`);
    await isLive(page);
    const bar = page.locator('#bulk');
    assert.equal(await bar.isVisible(), false, 'nothing is chosen');
    await page.getByRole('checkbox', { name: 'Choose web-1' }).click();
    await page.getByRole('checkbox', { name: 'Choose web-2' }).click({ modifiers: ['Shift'] });
    await bar.getByText('2 chosen').waitFor();
    await bar.getByText('More', { exact: true }).click();
    assert.equal(await bar.getByRole('button', { name: 'manage', exact: true }).isEnabled(), true);
    assert.equal(await bar.getByRole('button', { name: 'undeploy...' }).isEnabled(), false);
    await page.keyboard.press('Escape');
    await bar.getByText('2 chosen').waitFor();
    await page.keyboard.press('Escape');
    await bar.waitFor({ state: 'hidden' });
    await page.getByRole('checkbox', { name: 'Choose all machines that are shown' }).click();
    await bar.getByText('3 chosen').waitFor();
    services.db.nodes.update(uuids[0], { maintenance: true, maintenance_reason: 'the fan is loud' });
    await page.locator(`#node-${uuids[0]}`).getByText('the fan is loud').waitFor();
    await page.getByRole('link', { name: 'web-1, unit 1, enroll, needs you' }).waitFor();
    await bar.getByText('3 chosen').waitFor();
    await bar.getByText('More', { exact: true }).click();
    await bar.getByRole('button', { name: 'end maintenance' }).click();
    await page.getByText('3 accepted', { exact: true }).first().waitFor();
    assert.equal(services.db.nodes.get(uuids[0])?.maintenance, false);
    assert.deepEqual(complaints, []);
  });

  it('move to another group when their state changes, and nothing else moves', async (t) => {
    const { url, services, page, uuids } = await startSite(t);
    await page.goto(`${url}/ui/?group=state`);
    await isLive(page);
    const place = async () => (await page.locator(`#node-${uuids[1]}`).boundingBox())?.y;
    const before = await place();
    services.db.nodes.update(uuids[0], { provision_state: 'manageable' });
    await page.locator(`tbody:has-text("manageable") #node-${uuids[0]}`).waitFor();
    assert.equal(await place(), before);
  });

  it('are acted on from the palette by keyboard alone; the focus returns when it closes', async (t) => {
    const { url, services, page, uuids, complaints } = await startSite(t);
    await page.goto(`${url}/ui/?sort=name`);
    await page.getByRole('checkbox', { name: 'Choose web-2' }).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Control+k');
    const box = page.getByRole('combobox', { name: 'A machine, a view or an action' });
    await box.waitFor();
    await page.getByRole('option', { name: /^set maintenance/ }).waitFor();
    await page.keyboard.press('Escape');
    assert.equal(await page.evaluate('document.activeElement.value'), uuids[1]);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('mainten');
    await page.getByText('1 found').waitFor({ state: 'attached' });
    assert.match((await box.getAttribute('aria-activedescendant')) ?? '', /^palette-0$/);
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/ui/nodes/${uuids[1]}`);
    assert.equal(services.db.nodes.get(uuids[1])?.maintenance, true);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: /^end maintenance/ }).waitFor();
    await box.fill('web-3');
    await page.getByRole('option', { name: /^web-3/ }).click();
    await page.waitForURL(`${url}/ui/nodes/${uuids[2]}`);
    assert.deepEqual(complaints, []);
  });

  it('are left and found by the keys g, / and ?', async (t) => {
    const { url, page, complaints } = await startSite(t);
    await page.goto(`${url}/ui/`);
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('g');
    await page.keyboard.press('w');
    await page.waitForURL(`${url}/ui/work`);
    await page.keyboard.press('/');
    await page.keyboard.type('g m');
    assert.equal(await page.getByRole('searchbox').inputValue(), 'g m', 'a visitor who types goes nowhere');
    assert.equal(page.url(), `${url}/ui/work`);
    assert.deepEqual(complaints, []);
  });

  it('are added by BMC: the test keeps the password in the form, and the machine goes on by itself', async (t) => {
    const { url, services, page, complaints } = await startSite(t);
    const fake = await startFakeRedfish({ shape: 'plain' });
    t.after(() => fake.stop());
    await page.goto(`${url}/ui/add`);
    await page.getByLabel('Address').fill(fake.address);
    await page.getByLabel('User').fill('admin');
    await page.getByLabel('Password').fill('wrong');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByRole('alert').waitFor();
    assert.equal(await page.getByLabel('Password').inputValue(), 'wrong', 'what was typed stays');
    await page.getByLabel('Password').fill('secret');
    await page.getByRole('button', { name: 'Test' }).click();
    await page.getByText('The BMC answers and takes the login.').waitFor();
    await page.getByText('power off').waitFor();
    await page.getByLabel('Name').fill('new-1');
    await page.getByRole('button', { name: 'Add the machine' }).click();
    await page.waitForURL(/\/ui\/nodes\//);
    const node = services.db.nodes.findBy('name', 'new-1');
    assert.deepEqual([node?.driver, node?.driver_info['redfish_password']], ['redfish', 'secret']);
    assert.deepEqual(complaints, []);
  });

  it('are added by a file: its problems are shown in place, and another encoding is refused', async (t) => {
    const { url, services, page, complaints } = await startSite(t);
    await page.goto(`${url}/ui/add/many`);
    const choose = (name: string, content: string | Buffer) =>
      page
        .getByLabel('Or a file')
        .setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(content) });
    await choose('latin.csv', Buffer.from('name,address\nM\xfcller,10.0.0.1', 'latin1'));
    await page.getByText('latin.csv is not a text in UTF-8').waitFor();
    await choose('big.csv', 'x'.repeat(200_001));
    await page.getByText('big.csv has 200001 bytes').waitFor();
    await choose('machines.csv', 'name,address,driver\nnew-1,10.0.0.1,redfish\nweb-1,10.0.0.2,redfish');
    await page.getByText('A node has the name web-1 already.').waitFor();
    await page.getByRole('button', { name: 'Leave out 1, add 1' }).click();
    await page.waitForURL(`${url}/ui/`);
    assert.ok(services.db.nodes.findBy('name', 'new-1'));
    assert.deepEqual(complaints, []);
  });
});
