import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import axe from 'axe-core';
import { complaintsOf, isLive, startBrowser, tabTo, withoutBrowser } from '../../fakes/clients/browser.ts';
import type { Ending } from '../../fakes/daemon/in-process-daemon.ts';
import { enrolNode, startListening } from '../../fakes/daemon/listening-daemon.ts';
import { type MadeUpSite, startMadeUpSite } from '../../pictures/made-up-site.ts';
import { openView } from '../../pictures/open-view.ts';
import { shownViews } from '../../pictures/shown-views.ts';

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

/** Resolves to what axe finds, each with the first place where it is. */
const AXE = `axe.run({ resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => id + ' at ' + nodes[0]?.html.slice(0, 120)))`;

/** A made-up site with texts from outside that are markup. */
async function startHostileSite(test: Ending): Promise<MadeUpSite> {
  const site = await startMadeUpSite(test, 12);
  const { services } = site.daemon;
  services.db.nodes.update(site.machines.failed, { last_error: HOSTILE });
  services.timeline.record({ hop: 'dhcp', mac: '52:54:00:00:00:01', text: HOSTILE });
  return site;
}

/** Leaves out what Chromium says of a page that answers with 404, which is one of the views. */
const isNoStatus = (complaint: string) => !complaint.startsWith('Failed to load resource');

/** The words of up to 24 letters that are on more than one line. */
const BROKEN_WORDS = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode())
    for (const { 0: word, index } of texts.currentNode.data.matchAll(/(?<!\\S)[^\\s-]{2,24}(?!\\S)/gu)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, index);
      range.setEnd(texts.currentNode, index + word.length);
      if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) broken.push(word);
    }
  return broken;
})()`;

describe('the page in Chromium', { skip: withoutBrowser }, () => {
  for (const [width, colorScheme] of [
    [360, 'dark'],
    [1280, 'light'],
  ] as const) {
    it(`fits ${width} pixels in the theme ${colorScheme}, with no findings of axe`, async (t) => {
      const site = await startHostileSite(t);
      // the policy of the page refuses the script of axe, as it should
      const setup = { viewport: { width, height: 740 }, colorScheme, bypassCSP: true };
      const context = await (await startBrowser(t)).newContext(setup);
      const problems: string[] = [];
      for (const view of shownViews) {
        const page = await openView(context, site, view);
        const tooWide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
        await page.evaluate(axe.source);
        const found = (await page.evaluate(AXE)) as readonly string[];
        await page.close();
        problems.push(...found.map((finding) => `${view.name}: ${finding}`));
        if (tooWide !== 0) problems.push(`${view.name}: ${tooWide} pixels too wide`);
      }
      assert.deepEqual(problems, []);
    });
  }

  it('shows every view without console messages or errors, and texts from outside as texts', async (t) => {
    const site = await startHostileSite(t);
    const context = await (await startBrowser(t)).newContext();
    for (const view of shownViews) {
      let complaints: readonly string[] = [];
      const page = await openView(context, site, view, (opened) => (complaints = complaintsOf(opened)));
      assert.deepEqual(complaints.filter(isNoStatus), [], view.name);
      assert.doesNotMatch(await page.title(), /broken in/);
      await page.close();
    }
  });

  it('breaks no text inside a word at 1280 pixels, and shows why a machine needs attention', async (t) => {
    const { daemon, failed, free } = await startRack(t);
    const last_error = 'Failed to verify the power credentials: the BMC at 192.0.2.11 refuses the password.';
    const { nodes } = daemon.services.db;
    nodes.update(failed, { last_error });
    nodes.update(free, { maintenance: true, maintenance_reason: 'replacement of the second disk' });
    const browser = await startBrowser(t);
    const page = await browser.newPage({ viewport: { width: 1280, height: 740 } });
    const machines = { active: failed, working: failed, failed, available: free };
    for (const { place, form } of shownViews) {
      if (form !== undefined) continue;
      await page.goto(`${daemon.url}/ui/${place(machines)}`);
      assert.deepEqual(await page.evaluate(BROKEN_WORDS), [], place(machines));
    }
    await page.goto(`${daemon.url}/ui/`);
    const why = page.locator(`#node-${failed} .trouble-text`);
    assert.match(await why.innerText(), /Failed to verify the power credentials/);
    assert.ok(((await why.boundingBox())?.width ?? 0) > 200);
  });

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
    await page.locator('#menu-power summary').click();
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
    await tabTo(page.getByRole('link', { name: 'a41', exact: true }));
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'a41' }).waitFor();
    await tabTo(page.locator('#menu-more > summary'));
    await page.keyboard.press('Enter');
    await tabTo(page.getByRole('button', { name: 'set maintenance' }));
    await page.keyboard.press('Enter');
    await page.getByText('In maintenance.').waitFor();
    assert.equal(daemon.services.db.nodes.get(failed)?.maintenance, true);
    await tabTo(page.locator('#views').getByRole('link', { name: /^Work/ }));
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Abort the work on a40' }).waitFor();
  });

  it('shows readers no button, field or link to act with in the views machines, node, discovered and work', async (t) => {
    const { daemon, failed } = await startRack(t);
    const page = await (await startBrowser(t)).newPage();
    for (const place of ['', `nodes/${failed}`, 'add/discovered', 'add', 'add/many', 'work']) {
      await page.goto(`${daemon.url}/ui/${place}`);
      const shown = page.locator("form[method='post'] :is(button, select, input), [href^='/ui/add/unknown']");
      const visible = shown.filter({ visible: true });
      assert.notEqual(await visible.count(), 0, `an admin acts in /ui/${place}`);
      await page.evaluate("document.body.dataset.role = 'reader'");
      assert.equal(await visible.count(), 0, `/ui/${place}`);
    }
  });
});
