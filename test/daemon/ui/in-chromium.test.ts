import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import axe from 'axe-core';
import type { Locator } from 'playwright-core';
import { complaintsOf, isLive, startBrowser, withoutBrowser } from '../../fakes/clients/browser.ts';
import type { Ending } from '../../fakes/daemon/in-process-daemon.ts';
import { enrolNode, startListening } from '../../fakes/daemon/listening-daemon.ts';
import { TABS } from '../../../daemon/ui/views/node/node.ts';

const HOSTILE = `<img src=x onerror="document.title='broken in'">`;

const atUnit = (unit: number) => ({ driver: 'fake-hardware', extra: { rack: 'A', unit } });

async function startRack(test: Ending) {
  const environment = { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware' };
  const daemon = await startListening(test, { environment });
  const failed = await enrolNode(daemon.url, { name: 'a41', ...atUnit(41) });
  const free = await enrolNode(daemon.url, { name: 'a40', ...atUnit(40) });
  const { nodes } = daemon.services.db;
  nodes.update(failed, { provision_state: 'clean failed', last_error: HOSTILE, power_state: 'power off' });
  nodes.update(free, { provision_state: 'clean wait' });
  daemon.services.timeline.record({ hop: 'power', node: failed, text: 'power changed: power on' });
  daemon.services.timeline.record({ hop: 'dhcp', mac: '52:54:00:00:00:01', text: HOSTILE });
  for (const seconds of [1, 2, 3]) daemon.services.workTimes.store(free, ['clean wait', seconds]);
  return { daemon, failed, free };
}

const VIEWS = [
  '',
  'inbox',
  'inbox/enrol?machine=52:54:00:00:00:99',
  'work',
  'events',
  'health',
  '?q=nothing',
];
const places = (node: string) =>
  VIEWS.concat(TABS.map(([name]) => `nodes/${node}${name === '' ? '' : `/${name}`}`));
/** Presses Tab until the element has the focus. */
async function tabTo(element: Locator): Promise<void> {
  await element.waitFor();
  for (let presses = 0; presses < 100; presses += 1) {
    if (await element.evaluate((found) => found === found.ownerDocument.activeElement)) return;
    await element.page().keyboard.press('Tab');
  }
  assert.fail(`Tab does not reach ${String(element)}`);
}

describe('the page in Chromium', { skip: withoutBrowser }, () => {
  for (const width of [360, 1280]) {
    it(`fits ${width} pixels in light and dark, with no findings of axe, console messages or errors`, async (t) => {
      const { daemon, failed } = await startRack(t);
      const browser = await startBrowser(t);
      for (const colorScheme of ['light', 'dark'] as const) {
        const setup = { viewport: { width, height: 740 }, colorScheme };
        const context = await browser.newContext(setup);
        // the policy of the page refuses the script of axe, as it should
        const examined = await browser.newContext({ ...setup, bypassCSP: true });
        for (const place of places(failed)) {
          const page = await context.newPage();
          const complaints = complaintsOf(page);
          await page.goto(`${daemon.url}/ui/${place}`);
          await isLive(page);
          const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
          assert.deepEqual([tooWide, complaints], [0, []], place);
          assert.doesNotMatch(await page.title(), /broken in/);
          const copy = await examined.newPage();
          await copy.goto(`${daemon.url}/ui/${place}`);
          await copy.evaluate(axe.source);
          const found = await copy.evaluate(
            'axe.run().then(({ violations }) => violations.map(({ id }) => id))',
          );
          assert.deepEqual(found, [], place);
          await Promise.all([page.close(), copy.close()]);
        }
      }
    });
  }

  it('shows a change at once, and keeps what the visitor has chosen and where the focus is', async (t) => {
    const { daemon, failed, free } = await startRack(t);
    const page = await (await startBrowser(t)).newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${daemon.url}/ui/`);
    await isLive(page);
    const box = page.getByRole('checkbox', { name: 'Choose a41' });
    await box.focus();
    await page.keyboard.press('Space');
    await page.getByText('1 chosen').waitFor();
    daemon.services.db.nodes.update(failed, { provision_state: 'manageable', last_error: null });
    const row = page.locator(`#node-${failed}`);
    await row.getByText('manageable').waitFor();
    assert.equal(await box.isChecked(), true);
    assert.equal(await page.evaluate('document.activeElement.value'), failed);
    daemon.services.db.nodes.remove(free);
    await page.locator(`#node-${free}`).waitFor({ state: 'detached' });
    assert.equal(await box.isChecked(), true);
    assert.deepEqual(complaints, []);
  });

  it('follows the timeline of a machine while it boots', async (t) => {
    const { daemon, failed } = await startRack(t);
    const page = await (await startBrowser(t)).newPage();
    await page.goto(`${daemon.url}/ui/nodes/a41`);
    await isLive(page);
    daemon.services.timeline.record({ hop: 'tftp', node: failed, text: 'received snponly.efi' });
    await page.getByText('received snponly.efi').waitFor();
  });

  it('asks before a machine is powered off, and keeps the question and what was typed when another machine changes', async (t) => {
    const { daemon, failed, free } = await startRack(t);
    const { nodes } = daemon.services.db;
    nodes.update(failed, { provision_state: 'manageable', power_state: 'power on' });
    const page = await (await startBrowser(t)).newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${daemon.url}/ui/nodes/a41`);
    await page.getByRole('button', { name: 'power off...', exact: true }).click();
    await page.getByRole('textbox', { name: 'Type a41 to go on' }).fill('a41');
    nodes.update(free, { maintenance: true });
    await page.getByRole('button', { name: 'power off', exact: true }).click();
    await page.waitForURL(`${daemon.url}/ui/nodes/${failed}`);
    await page.getByText('power off', { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it('works without JavaScript and by keyboard alone', async (t) => {
    const { daemon, failed } = await startRack(t);
    const context = await (await startBrowser(t)).newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${daemon.url}/ui/`);
    await tabTo(page.getByRole('searchbox'));
    await page.keyboard.type('a41');
    await page.keyboard.press('Enter');
    await tabTo(page.getByRole('link', { name: 'a41' }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'a41' }).waitFor();
    await tabTo(page.getByRole('button', { name: 'set maintenance' }));
    await page.keyboard.press('Enter');
    await page.getByText('In maintenance.').waitFor();
    assert.equal(daemon.services.db.nodes.get(failed)?.maintenance, true);
    await tabTo(page.getByRole('link', { name: 'Work' }));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Abort the work on a40' }).waitFor();
  });

  it('shows readers no button, field or link to act with in the views rack, node, inbox and work', async (t) => {
    const { daemon, failed } = await startRack(t);
    const page = await (await startBrowser(t)).newPage();
    for (const place of ['', `nodes/${failed}`, 'inbox', 'work']) {
      await page.goto(`${daemon.url}/ui/${place}`);
      const shown = page.locator("form[method='post'] :is(button, select, input), [href^='/ui/inbox/enrol']");
      const visible = shown.filter({ visible: true });
      assert.notEqual(await visible.count(), 0, `an admin acts in /ui/${place}`);
      await page.evaluate("document.body.dataset.role = 'reader'");
      assert.equal(await visible.count(), 0, `/ui/${place}`);
    }
  });
});
