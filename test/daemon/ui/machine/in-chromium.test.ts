// The page of a machine in Chromium, with something in each of its tabs.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { timestamp } from '../../../../daemon/lib/clock.ts';
import { initialNode } from '../../../../daemon/model/records/node.ts';
import { TABS } from '../../../../daemon/ui/views/node/tab-names.ts';
import { complaintsOf, isLive, startBrowser, withoutBrowser } from '../../../fakes/clients/browser.ts';
import type { Ending } from '../../../fakes/daemon/in-process-daemon.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { fillMachine } from '../../../fakes/machines/shown-machine.ts';

async function startMachine(test: Ending) {
  const daemon = await startListening(test, {
    environment: {
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware',
      IRONIC_SENSOR_DATA__SEND_SENSOR_DATA: 'true',
    },
  });
  const { db } = daemon.services;
  const uuid = randomUUID();
  const now = Date.now();
  const step = {
    interface: 'deploy',
    step: 'write_image',
    priority: 80,
    abortable: false,
    requires_ramdisk: true,
  } as const;
  db.nodes.insert(
    initialNode({
      uuid,
      name: 'web-4',
      driver: 'fake-hardware',
      resource_class: 'web',
      provision_state: 'wait call-back',
      power_state: 'power on',
      instance_info: { image_source: 'debian-13' },
      driver_internal_info: { deploy_steps: [step], deploy_step_index: 0 },
      deploy_step: step,
      wait: {
        for: 'agent',
        reason: 'the end of step deploy.write_image, which the agent runs',
        since: timestamp(now),
      },
      created_at: timestamp(now),
      updated_at: timestamp(now),
      provision_updated_at: timestamp(now),
    }),
  );
  fillMachine(daemon.services, uuid, now);
  const place = (tab: string) => `${daemon.url}/ui/nodes/${uuid}${tab === '' ? '' : `/${tab}`}`;
  return { ...daemon, uuid, place };
}

describe('the page of a machine in Chromium', { skip: withoutBrowser }, () => {
  it('fits 2560 pixels, and the policy refuses nothing in any of its tabs', async (t) => {
    const { place } = await startMachine(t);
    const context = await (await startBrowser(t)).newContext({ viewport: { width: 2560, height: 800 } });
    for (const tab of [...TABS.map(([name]) => name), 'indicators', 'report']) {
      const page = await context.newPage();
      const complaints = complaintsOf(page);
      await page.goto(place(tab));
      await isLive(page);
      const tooWide = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
      assert.deepEqual([tooWide, complaints], [0, []], tab);
      await page.close();
    }
  });

  it('shows in the overview what the machine is, how its boot goes, and what it draws', async (t) => {
    const { place } = await startMachine(t);
    const page = await (await startBrowser(t)).newPage();
    await page.goto(place(''));
    const main = page.locator('main');
    for (const text of [
      '2 × Xeon Gold 6430',
      '32 cores',
      '256 GiB',
      '8 × 32 GiB',
      '2 × 1.9 TB NVMe',
      '2 × 25 G',
    ])
      await main.getByText(text).first().waitFor();
    await main.getByText('sw1 Eth1/14 · sw2 Eth1/14').waitFor();
    await main.getByText('memory was 224 GiB and is 256 GiB').waitFor();
    await main.getByText('usually 2:12 to here, now 2:19').waitFor();
    assert.equal(await page.locator('svg.now > svg.running').count(), 1);
    const bar = await page.locator('svg.now').getAttribute('aria-label');
    assert.match(bar ?? '', /^power 0:04, firmware 1:40, DHCP 0:04, .*deploy\.write_image/);
    assert.equal(await page.locator('.sensor .chart').count(), 2);
  });

  it('opens its menus within the page on a phone', async (t) => {
    const { place } = await startMachine(t);
    const page = await (await startBrowser(t)).newPage({ viewport: { width: 360, height: 740 } });
    await page.goto(place(''));
    for (const name of ['menu-power', 'menu-more']) {
      const menu = page.locator(`#${name}`);
      await menu.locator('> summary').click();
      const { x = -1, width = 0 } = (await menu.locator('> .items').boundingBox()) ?? {};
      assert.ok(x >= 0 && x + width <= 360, `${name} from ${x} to ${x + width}`);
      await menu.locator('> summary').click();
    }
  });

  it('keeps the place of everything while the machine works and the page is live', async (t) => {
    const { place, services, uuid } = await startMachine(t);
    const page = await (await startBrowser(t)).newPage({ viewport: { width: 1280, height: 1600 } });
    await page.goto(place(''));
    await isLive(page);
    const placeOf = () => page.locator('.tabs').evaluate((tabs) => tabs.getBoundingClientRect().top);
    const before = await placeOf();
    services.db.nodes.update(uuid, { provision_state: 'deploying', wait: {} });
    await page.locator('#machine-head').getByText('deploying').waitFor();
    assert.equal(await placeOf(), before);
    services.timeline.record({ hop: 'heartbeat', node: uuid, text: 'the agent sent another heartbeat' });
    await page.getByText('the agent sent another heartbeat').waitFor();
    assert.equal(await placeOf(), before);
  });

  it('saves a setting, and keeps what was typed beside the reason when the API refuses it', async (t) => {
    const { place, services, uuid } = await startMachine(t);
    const page = await (await startBrowser(t)).newPage();
    await page.goto(place('settings'));
    await isLive(page);
    await page.getByLabel('Description').fill('the one with the loud fan');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').filter({ hasText: 'Saved.' }).waitFor();
    assert.equal(services.db.nodes.get(uuid)?.description, 'the one with the loud fan');
    await page.getByLabel('Unit').fill('top');
    // the page is live, and goes on while somebody types
    services.db.nodes.update(uuid, { owner: 'somebody else' });
    await page.locator('#record').getByText('"owner": "somebody else"').waitFor();
    assert.equal(await page.getByLabel('Unit').inputValue(), 'top');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('top is no unit of a rack').waitFor();
    assert.equal(await page.getByLabel('Unit').inputValue(), 'top');
    assert.equal(services.db.nodes.get(uuid)?.owner, 'somebody else');
  });
});
