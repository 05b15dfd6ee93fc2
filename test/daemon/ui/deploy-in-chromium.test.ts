import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { complaintsOf, isLive, startBrowser, tabTo, withoutBrowser } from '../../fakes/clients/browser.ts';
import type { Ending } from '../../fakes/daemon/in-process-daemon.ts';
import { simulatedSite } from '../../fakes/machines/simulated-site.ts';

const CHECKSUM = 'a'.repeat(64);

/** Two simulated machines in state available, and an image. */
async function site(test: Ending) {
  const made = await simulatedSite(test, {
    machines: 2,
    environment: { IRONIC_CONDUCTOR__AUTOMATED_CLEAN: 'false' },
  });
  const uuids = made.rack.map((each) => each.node);
  for (const [target, state] of [
    ['manage', 'manageable'],
    ['provide', 'available'],
  ] as const) {
    for (const uuid of uuids) await made.provision(uuid, target);
    await made.until(() => uuids.every((uuid) => made.node(uuid).provision_state === state));
  }
  const image = { name: 'debian-13', source: 'http://images.test/debian.raw', checksum: CHECKSUM };
  await made.request('POST', '/v1/images', image);
  const areIn = (state: string) => uuids.every((uuid) => made.node(uuid).provision_state === state);
  const place = `${made.url}/ui/deploy?${uuids.map((uuid) => `node=${uuid}`).join('&')}`;
  return { ...made, uuids, areIn, place };
}

const field = (page: Page, name: string) => page.locator(`#field-${name}`);
const hostnames = (made: Awaited<ReturnType<typeof site>>) =>
  made.uuids.map((uuid) => {
    const drive = made.node(uuid).instance_info['configdrive'] as {
      readonly meta_data: { readonly name: string };
    };
    return drive.meta_data.name;
  });

describe('the form Deploy in Chromium', { skip: withoutBrowser }, () => {
  it('brings two machines from available to active by mouse: the plan follows what is typed', async (t) => {
    const made = await site(t);
    const page = await (await startBrowser(t)).newPage({ viewport: { width: 1280, height: 900 } });
    const complaints = complaintsOf(page);
    await page.goto(made.place);
    await isLive(page);
    await page.getByText('Not possible yet').waitFor();
    await field(page, 'image').selectOption('debian-13');
    await page.getByText('Not possible yet').waitFor({ state: 'detached' });
    await page.getByText('all data on the root device').waitFor();
    await field(page, 'hostname').fill('web');
    await page.getByText('2 machines would all be called web').waitFor();
    await field(page, 'hostname').fill('web-{n}');
    await page.getByText('web-1, web-2').waitFor();
    await field(page, 'user_data').fill('#cloud-config\npackages: [nginx');
    await page.getByText('it is not YAML').waitFor();
    assert.equal(await field(page, 'user_data').getAttribute('aria-invalid'), 'true');
    await field(page, 'user_data').pressSequentially(']');
    await page.getByText('valid cloud-config').waitFor();
    assert.equal(await field(page, 'user_data').inputValue(), '#cloud-config\npackages: [nginx]');
    assert.equal(await page.evaluate('document.activeElement.name'), 'user_data');
    await page.getByText('As command line').click();
    await page.getByText(/^ironic-edge node deploy rack-001 rack-002 --image debian-13/).waitFor();
    assert.ok(made.areIn('available'), 'nothing has begun');
    await field(page, 'confirm').fill('2 machines');
    await page.getByRole('button', { name: 'Deploy 2 machines' }).click();
    await page.waitForURL(`${made.url}/ui/results/*`);
    await isLive(page);
    await made.until(() => made.areIn('active'));
    await page.getByText('2 done', { exact: true }).waitFor();
    assert.deepEqual(hostnames(made), ['web-1', 'web-2']);
    assert.deepEqual(complaints, []);
  });

  it('does so by keyboard alone and without JavaScript', async (t) => {
    const made = await site(t);
    const context = await (await startBrowser(t)).newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(made.place);
    await tabTo(field(page, 'image'));
    await page.keyboard.type('debian-13');
    await tabTo(field(page, 'hostname'));
    await page.keyboard.type('db-{n}');
    await page.keyboard.press('Enter');
    await page.getByText('db-1, db-2').waitFor();
    assert.equal(await field(page, 'image').inputValue(), 'debian-13');
    await tabTo(field(page, 'confirm'));
    await page.keyboard.type('2 machines');
    await tabTo(page.getByRole('button', { name: 'Deploy 2 machines' }));
    await page.keyboard.press('Enter');
    await page.waitForURL(`${made.url}/ui/results/*`);
    await made.until(() => made.areIn('active'));
    await page.reload();
    await page.getByText('2 done', { exact: true }).waitFor();
    assert.deepEqual(hostnames(made), ['db-1', 'db-2']);
  });
});
