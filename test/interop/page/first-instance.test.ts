// From an empty site to running instances, as a person does it on the page: by mouse and keyboard, without a command and a document.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import type { FactoryMachine } from '../../../daemon/simulator/factory-rack.ts';
import { complaintsOf, isLive, startBrowser, withoutBrowser } from '../../fakes/clients/browser.ts';
import { digest, disk } from '../../fakes/images.ts';
import { bmcAddressOf, newRack, withoutRoot } from '../zero-touch/new-rack.ts';

const MANY = 20;

/** Serves an image; resolves with its URL and checksum. */
async function imageServer(t: TestContext) {
  const image = disk('a system');
  const server = createServer((_, response) => response.end(image));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/base.raw`, checksum: `sha256:${digest(image)}` };
}

const loginOf = ({ fake }: FactoryMachine) => fake.bmc.sessions.accounts.factory;

async function addByBmc(page: Page, machine: FactoryMachine, name: string): Promise<void> {
  await page.getByRole('link', { name: 'By BMC' }).click();
  const { username, password } = loginOf(machine);
  await page.getByLabel('Address').fill(bmcAddressOf(machine));
  await page.getByLabel('User').fill(username);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Test' }).click();
  await page.getByText('The BMC answers and takes the login.').waitFor();
  await page.getByText(machine.fake.machine.serialNumber).waitFor();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Then bring it to available').check();
  await page.getByRole('button', { name: 'Add the machine' }).click();
  await page.getByRole('heading', { name }).waitFor();
}

async function addImage(page: Page, { url, checksum }: { readonly url: string; readonly checksum: string }) {
  await page.getByRole('link', { name: 'Images', exact: true }).first().click();
  await page.getByRole('link', { name: 'Add an image' }).click();
  const form = page.locator('form', { has: page.locator('#url-source') });
  await form.getByLabel('Name').fill('base');
  await form.getByLabel('URL', { exact: true }).fill(url);
  await form.getByLabel('Checksum').fill(checksum);
  await form.getByRole('button', { name: 'Add by URL' }).click();
  await page.getByText('ready').first().waitFor();
}

/** Fills in the form Deploy, and waits until the page of results says that all are done. */
async function deploy(page: Page, hostname: string, count: number): Promise<void> {
  await page.getByLabel('Image', { exact: true }).selectOption('base');
  await page.getByLabel('Host name').fill(hostname);
  const word = await page.getByText(/^Type .+ to confirm/).innerText();
  await page.locator('#field-confirm').fill(/^Type (.+) to confirm/.exec(word)?.[1] ?? '');
  await page.getByRole('button', { name: /^Deploy / }).click();
  await page
    .getByText(/\b[1-9]\d* (?:failed|refused|on hold)\b/)
    .or(page.getByText(`${count} done`, { exact: true }))
    .first()
    .waitFor()
    // the page says below what became of each machine
    .catch(() => undefined);
  assert.equal(
    await page.getByText(`${count} done`, { exact: true }).count(),
    1,
    await page.locator('main').innerText(),
  );
}

test(
  'a person adds a machine, puts a system on it and looks at its console; then twenty machines at once',
  { skip: withoutBrowser || withoutRoot },
  async (t) => {
    const { daemon, rack } = await newRack(t, 1 + MANY, {
      IRONIC_CONDUCTOR__IMAGE_SERVER_NETWORKS: '127.0.0.0/8',
    });
    const [first, ...others] = rack as [FactoryMachine, ...FactoryMachine[]];
    const image = await imageServer(t);
    const page = await (await startBrowser(t)).newPage({ viewport: { width: 1440, height: 900 } });
    const complaints = complaintsOf(page);
    const begun = performance.now();
    await page.goto(`${daemon.url}/ui/`);
    await isLive(page);
    await addByBmc(page, first, 'one');
    await addImage(page, image);
    await page.getByRole('link', { name: 'Machines' }).first().click();
    await page.locator('tr', { hasText: 'one' }).getByText('available').waitFor();
    await page.getByRole('link', { name: 'one', exact: true }).first().click();
    await page.getByRole('button', { name: 'deploy...' }).click();
    await deploy(page, 'web-0', 1);
    await page.getByRole('link', { name: 'one', exact: true }).first().click();
    await page.getByText('active', { exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Console', exact: true }).click();
    await page.getByRole('button', { name: 'Enable the console' }).click();
    // a Redfish service has no serial line: the page links to the one on which the BMC shows the screen
    const screen = page.getByText('The BMC shows the screen of this machine').getByRole('link');
    assert.match((await screen.getAttribute('href')) ?? '', new RegExp(`^https?://${bmcAddressOf(first)}`));
    t.diagnostic(`one machine: ${((performance.now() - begun) / 1000).toFixed(0)} s`);

    const list = others.map((machine, at) => {
      const { username, password } = loginOf(machine);
      return `many-${at + 1},${bmcAddressOf(machine)},${username},${password},redfish`;
    });
    const again = performance.now();
    await page.goto(`${daemon.url}/ui/add/many`);
    await page.locator('#field-list').fill(['name,address,username,password,driver', ...list].join('\n'));
    await page.getByLabel('Then bring the nodes to available').check();
    await page.getByRole('button', { name: 'Check the list' }).click();
    await page.getByRole('button', { name: `Add ${MANY} machines` }).click();
    await page
      .getByRole('heading', { name: /Rack|Machines/ })
      .first()
      .waitFor({ state: 'attached' });
    await page.goto(`${daemon.url}/ui/?state=available`);
    await page
      .locator('tbody tr')
      .nth(MANY - 1)
      .waitFor();
    await page.getByRole('checkbox', { name: 'Choose all machines that are shown' }).click();
    await page.getByText(`${MANY} chosen`).waitFor();
    await page
      .locator('#bulk')
      .getByRole('button', { name: /^Deploy/ })
      .click();
    await deploy(page, 'web-{n}', MANY);
    t.diagnostic(`${MANY} machines: ${((performance.now() - again) / 1000).toFixed(0)} s`);
    const { body } = await daemon.request<{ nodes: { provision_state: string }[] }>('GET', '/v1/nodes');
    assert.deepEqual(new Set(body.nodes.map((node) => node.provision_state)), new Set(['active']));
    assert.deepEqual(complaints, []);
  },
);
