import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';

const NODES = 200;
const fakes = join(import.meta.dirname, '../fakes');
/** The report of a real agent: 40 kB, mostly the archive of its logs. */
const report = readFileSync(join(import.meta.dirname, '../fixtures/inspection/agent-12-bios.json'), 'utf8');
const MAC = '52:54:00:aa:bb:01';

const settings = {
  NODE_OPTIONS: `--import=${pathToFileURL(join(fakes, 'daemon/event-loop-delay.ts')).href}`,
  IRONIC_PLUGINS__PATH: join(fakes, 'plugins'),
  IRONIC_INSPECTOR__HOOKS: '$default_hooks,process-witness',
};

const numbers = Array.from({ length: NODES }, (_, number) => number);
const macOf = (number: number) => `52:54:00:00:${hex(number >> 8)}:${hex(number & 255)}`;
const hex = (octet: number) => octet.toString(16).padStart(2, '0');
/** The report of the machine with this number. */
const reportOf = (number: number) =>
  report.replaceAll(MAC, macOf(number)).replaceAll(dashed(MAC), dashed(macOf(number)));
const dashed = (mac: string) => mac.replaceAll(':', '-');

async function enrolled(daemon: DaemonProcess, number: number): Promise<void> {
  const name = `n${number}`;
  const { body } = await daemon.request<{ readonly uuid: string }>('POST', '/v1/nodes', {
    driver: 'manual-management',
    name,
  });
  await daemon.request('POST', '/v1/ports', { address: macOf(number), node_uuid: body.uuid });
  await daemon.request('PUT', `/v1/nodes/${name}/states/provision`, { target: 'manage' });
  await daemon.nodeWhen(name, (node) => node.provision_state === 'manageable');
  await daemon.request('PUT', `/v1/nodes/${name}/states/provision`, { target: 'inspect' });
  await daemon.nodeWhen(name, (node) => node.provision_state === 'inspect wait');
}

interface Inventory {
  readonly inventory: { readonly interfaces: readonly { readonly mac_address: string }[] };
  readonly plugin_data: { readonly ran_in: number };
}

test(`${NODES} simultaneous reports are all processed while the API keeps answering`, async (t) => {
  await using daemon = await DaemonProcess.start(settings);
  for (const number of numbers) await enrolled(daemon, number);
  const eventLoopDelay = async () => {
    const from = daemon.log.length;
    daemon.signal('SIGUSR2');
    return JSON.stringify(await daemon.logged(({ msg }) => msg === 'event loop delay', from));
  };
  t.diagnostic(`before: ${await eventLoopDelay()}`);

  const started = performance.now();
  let ended = 0;
  const allEnded = daemon.logged(
    ({ from, to }) => from === 'inspecting' && to !== 'inspect wait' && (ended += 1) === NODES,
  );
  const polled = pollUntil(allEnded, daemon);
  const posts = await Promise.all(numbers.map((number) => post(daemon, number)));
  await allEnded;
  t.diagnostic(`${NODES} reports: ${Math.round(performance.now() - started)} ms`);
  t.diagnostic(`meanwhile: ${await eventLoopDelay()}`);
  const latencies = (await polled).toSorted((a, b) => a - b).map(Math.round);
  t.diagnostic(
    `GET of a node: ${latencies.length} answers, median ${latencies[latencies.length >> 1]} ms, longest ${latencies.at(-1)} ms`,
  );

  assert.deepEqual(
    posts,
    numbers.map(() => 202),
  );
  for (const number of numbers) await assertInspected(daemon, number);
});

async function post(daemon: DaemonProcess, number: number): Promise<number> {
  const url = `${daemon.url}/v1/continue_inspection`;
  const answer = await fetch(url, { method: 'POST', body: reportOf(number) });
  await answer.body?.cancel();
  return answer.status;
}

/** Gets one node after another until `end` resolves. Resolves to the latency of each answer in milliseconds. */
async function pollUntil(end: Promise<unknown>, daemon: DaemonProcess): Promise<readonly number[]> {
  const latencies: number[] = [];
  const over = end.then(() => true);
  do {
    const asked = performance.now();
    const { status } = await daemon.request('GET', `/v1/nodes/n${latencies.length % NODES}`);
    latencies.push(performance.now() - asked);
    assert.equal(status, 200);
  } while (!(await Promise.race([over, Promise.resolve(false)])));
  return latencies;
}

async function assertInspected(daemon: DaemonProcess, number: number): Promise<void> {
  const { uuid, provision_state, last_error, properties } = await daemon.node(`n${number}`);
  assert.deepEqual([provision_state, last_error, properties], ['manageable', null, { cpu_arch: 'x86_64' }]);
  const ports = await daemon.request<{ readonly ports: readonly { readonly address: string }[] }>(
    'GET',
    `/v1/nodes/${uuid}/ports`,
  );
  assert.deepEqual(
    ports.body.ports.map(({ address }) => address),
    [macOf(number)],
  );
  const { inventory, plugin_data } = (await daemon.request<Inventory>('GET', `/v1/nodes/${uuid}/inventory`))
    .body;
  assert.equal(inventory.interfaces[0]?.mac_address, macOf(number));
  assert.equal(typeof plugin_data.ran_in, 'number');
  assert.notEqual(plugin_data.ran_in, daemon.pid);
}
