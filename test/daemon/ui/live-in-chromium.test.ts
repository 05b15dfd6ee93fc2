import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { createDatabase } from '../../../daemon/db/database.ts';
import { timestamp } from '../../../daemon/lib/clock.ts';
import { initialNode } from '../../../daemon/model/records/node.ts';
import { complaintsOf, isLive, startBrowser, withoutBrowser } from '../../fakes/clients/browser.ts';
import type { Ending } from '../../fakes/daemon/in-process-daemon.ts';
import { enrolNode, startListening } from '../../fakes/daemon/listening-daemon.ts';

const FAKE = { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware' };

async function startRack(test: Ending, machines: number) {
  const daemon = await startListening(test, { environment: FAKE });
  const { db } = daemon.services;
  const created = timestamp(Date.now());
  const uuids = Array.from({ length: machines }, () => randomUUID());
  db.transaction(() => {
    for (const [at, uuid] of uuids.entries()) {
      const extra = { rack: `rack ${Math.floor(at / 40)}`, unit: at % 40 };
      const node = { uuid, name: `machine-${at}`, driver: 'fake-hardware', extra, created_at: created };
      db.nodes.insert(initialNode({ ...node, updated_at: created }));
    }
  });
  return { ...daemon, uuids };
}

const openStreams = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^ironic_edge_event_streams (\d+)$/m.exec(text)?.[1]);
};

/** Returns a list to which each request that the page sends from now on adds its query string. */
function fetchesOf(page: Page): string[] {
  const paths: string[] = [];
  page.on('request', (request) => {
    // the icon that shows attention is loaded too
    if (request.resourceType() === 'fetch') paths.push(new URL(request.url()).search);
  });
  return paths;
}

/** Returns how far below the top of the window the focused box is, once the rows above it are laid out. */
const placeOfFocus = (page: Page) =>
  page.evaluate(`(async () => {
    let place;
    for (let same = 0; same < 20; ) {
      const now = Math.round(document.activeElement.getBoundingClientRect().top);
      same = now === place ? same + 1 : 0;
      place = now;
      await new Promise(requestAnimationFrame);
    }
    return place;
  })()`);

describe('the live page in Chromium', { skip: withoutBrowser }, () => {
  it('shows 1,000 machines with no findings of axe, console messages or errors', async (t) => {
    const { url, services, uuids } = await startRack(t, 1000);
    const context = await (await startBrowser(t)).newContext({ bypassCSP: true });
    const page = await context.newPage();
    const complaints = complaintsOf(page);
    await page.goto(`${url}/ui/`);
    await isLive(page);
    assert.equal(await page.locator('tr[id^=node-]').count(), 1000);
    await page.evaluate(axe.source);
    const found = await page.evaluate('axe.run().then(({ violations }) => violations.map(({ id }) => id))');
    services.db.nodes.update(uuids[777] ?? '', { maintenance: true, maintenance_reason: 'the fan is loud' });
    // rows that are not scrolled to are not laid out, and so not visible
    await page.locator(`#node-${uuids[777]}`).getByText('the fan is loud').waitFor({ state: 'attached' });
    assert.deepEqual([found, complaints], [[], []]);
  });

  it('fetches only the row of a machine that fails, and keeps focus and scroll', async (t) => {
    const { url, services, uuids } = await startRack(t, 200);
    const page = await (await startBrowser(t)).newPage({ reducedMotion: 'reduce' });
    await page.goto(`${url}/ui/`);
    await isLive(page);
    const box = page.getByRole('checkbox', { name: 'Choose machine-150' });
    await box.focus();
    const before = await placeOfFocus(page);
    assert.ok(Number(await page.evaluate('scrollY')) > 0);
    const fetched = fetchesOf(page);
    services.db.nodes.update(uuids[150] ?? '', {
      provision_state: 'clean failed',
      last_error: 'It does not answer.',
    });
    await page.locator(`#node-${uuids[150]}`).getByText('clean failed').waitFor();
    await page.locator('#problems').getByText('1 needs you').waitFor();
    assert.deepEqual(fetched, [`?changed=${uuids[150]}`]);
    assert.equal(await page.evaluate('document.activeElement.value'), uuids[150]);
    assert.equal(await placeOfFocus(page), before);
  });

  it('after a failed request, fetches what that should have brought, and is live again', async (t) => {
    const { url, services, uuids } = await startRack(t, 3);
    const page = await (await startBrowser(t)).newPage();
    await page.goto(`${url}/ui/`);
    await isLive(page);
    let refused = 0;
    await page.route(
      ({ search }) => search.startsWith('?changed='),
      (route) => {
        refused += 1;
        return route.fulfill({ status: 503 });
      },
      { times: 1 },
    );
    services.db.nodes.update(uuids[1] ?? '', { maintenance: true, maintenance_reason: 'the fan is loud' });
    await page.getByRole('status').filter({ hasText: 'reconnecting' }).waitFor();
    await page.locator(`#node-${uuids[1]}`).getByText('the fan is loud').waitFor();
    await isLive(page);
    assert.equal(refused, 1);
  });

  it('adds the row of a new machine, and drops one that no longer fits the filter', async (t) => {
    const { url, services, uuids } = await startRack(t, 3);
    const page = await (await startBrowser(t)).newPage();
    await page.goto(`${url}/ui/?state=enroll`);
    await isLive(page);
    const added = await enrolNode(url, { name: 'added', driver: 'fake-hardware' });
    await page.locator(`#node-${added}`).waitFor();
    services.db.nodes.update(uuids[0] ?? '', { provision_state: 'manageable' });
    await page.locator(`#node-${uuids[0]}`).waitFor({ state: 'detached' });
  });

  it('says that it reconnects while the daemon restarts, then shows what it has missed', async (t) => {
    const first = await startRack(t, 2);
    const [uuid = ''] = first.uuids;
    const page = await (await startBrowser(t)).newPage();
    await page.goto(`${first.url}/ui/`);
    await isLive(page);
    await first.stop();
    await page.getByRole('status').filter({ hasText: 'reconnecting' }).waitFor();
    const environment = {
      ...FAKE,
      IRONIC_DEFAULT__STATE_PATH: first.stateDirectory,
      IRONIC_API__PORT: new URL(first.url).port,
    };
    const second = await startListening(t, { environment });
    second.services.db.nodes.update(uuid, { maintenance_reason: 'the fan is loud', maintenance: true });
    await page.locator(`#node-${uuid}`).getByText('the fan is loud').waitFor();
    await isLive(page);
    await second.stop();
    await page.getByRole('status').filter({ hasText: 'reconnecting' }).waitFor();
    changeAndForget(join(first.stateDirectory, 'ironic-edge.sqlite'), uuid);
    const third = await startListening(t, { environment });
    await page.locator(`#node-${uuid}`).getByText('a new fan').waitFor();
    await third.stop();
  });

  it('is live in ten tabs over one event stream, and the API answers them all', async (t) => {
    const { url, services, uuids } = await startRack(t, 3);
    const [uuid = ''] = uuids;
    const context = await (await startBrowser(t)).newContext();
    const pages: Page[] = [];
    for (let tab = 0; tab < 10; tab += 1) {
      const page = await context.newPage();
      await page.goto(`${url}/ui/${tab % 2 ? `nodes/${uuid}` : ''}`);
      await isLive(page);
      pages.push(page);
    }
    assert.equal(await openStreams(url), 1);
    services.db.nodes.update(uuid, { maintenance: true, maintenance_reason: 'the fan is loud' });
    for (const page of pages) await page.getByText('the fan is loud').waitFor();
    for (const page of pages)
      assert.equal(await page.evaluate(`fetch('/v1/nodes').then(({ status }) => status)`), 200);
    for (const page of pages.slice(1)) await page.close();
    services.db.nodes.update(uuid, { maintenance: false, description: 'quiet' });
    await pages[0]?.getByText('the fan is loud').waitFor({ state: 'detached' });
  });

  it('deploys at 360 pixels by keyboard: shows the plan, and asks for the name', async (t) => {
    const { url, services, uuids } = await startRack(t, 1);
    const [uuid = ''] = uuids;
    const instance_info = { image_source: 'http://images.example/a.raw', image_checksum: 'a'.repeat(64) };
    services.db.nodes.update(uuid, {
      provision_state: 'available',
      power_state: 'power off',
      deploy_interface: 'fake',
      instance_info,
    });
    const page = await (await startBrowser(t)).newPage({ viewport: { width: 360, height: 740 } });
    await page.goto(`${url}/ui/nodes/machine-0`);
    await page.getByRole('button', { name: 'deploy...' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('deploy.deploy').waitFor();
    assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0);
    await page.getByRole('textbox', { name: 'Type machine-0 to confirm' }).focus();
    await page.keyboard.type('machine-0');
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/ui/results/*`);
    assert.notEqual(services.db.nodes.get(uuid)?.provision_state, 'available');
  });

  it('shows names of 255 characters and right-to-left text with markup as text, within 360 pixels', async (t) => {
    const { url, services, uuids } = await startRack(t, 2);
    const [long = '', arabic = ''] = uuids;
    const rightToLeft = '\u202Eخادم <b>الرف</b>';
    services.db.nodes.update(long, { name: 'x'.repeat(255), extra: { rack: 'y'.repeat(255) } });
    services.db.nodes.update(arabic, { last_error: rightToLeft, extra: { rack: rightToLeft } });
    const page = await (await startBrowser(t)).newPage({ viewport: { width: 360, height: 740 } });
    for (const place of ['', 'work', 'events', `nodes/${long}`, `nodes/${arabic}`, `nodes/${long}/work`]) {
      await page.goto(`${url}/ui/${place}`);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), 0, place);
      assert.equal(await page.locator('main b', { hasText: 'الرف' }).count(), 0, place);
    }
  });
});

/** Changes the node, then deletes all events, also that of the change, as a daemon does with events beyond its limit. */
function changeAndForget(path: string, uuid: string): void {
  const db = createDatabase(path);
  db.nodes.update(uuid, { maintenance_reason: 'a new fan' });
  const event = { event_type: 'baremetal.node.update.end', node_uuid: uuid, body: '{}' };
  db.events.insert(event);
  db.events.trim(db.events.insert(event));
  db.close();
}
