import assert from 'node:assert/strict';
import { test } from 'node:test';
import { receiveReport } from '../../../../daemon/conductor/flows/receive-report.ts';
import type { InProcessDaemon } from '../../../fakes/daemon/in-process-daemon.ts';
import { MAC, waitingNode } from '../../../ramdisk-callback/waiting-node.ts';

const caller = { requestId: 'req-1', user: null, role: 'admin', address: '192.0.2.7' } as const;
const STRANGER = '52:54:00:00:00:99';

/** Hands the conductor a report of the machine with this address; `released` grows when the memory of the report is released. */
function sent({ services }: InProcessDaemon, address: string, wantsToken = false, bmc = {}) {
  const inventory = {
    ...bmc,
    interfaces: [{ name: 'eth0', mac_address: address }],
    cpu: { architecture: 'x86_64', count: 4 },
    memory: { physical_mb: 1024 },
  };
  const released: boolean[] = [];
  const received = receiveReport(
    { services, caller },
    {
      bytes: Buffer.from(JSON.stringify({ inventory })),
      uuid: undefined,
      wantsToken,
      release: () => void released.push(true),
    },
  );
  return { received, released };
}

test("a report's memory is released once, when its processing has ended", async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const { received, released } = sent(daemon, MAC);
  const { node, token } = await received;
  assert.deepEqual([node.uuid, node.provision_state, token], [uuid, 'inspect wait', null]);
  assert.deepEqual([daemon.node(uuid).provision_state, released], ['inspecting', []]);
  await daemon.idle();
  assert.deepEqual([daemon.node(uuid).provision_state, released], ['manageable', [true]]);
});

test("a refused report's memory is released at once", async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const unknown = sent(daemon, STRANGER);
  await assert.rejects(unknown.received, { code: 'NotFound' });
  assert.deepEqual(unknown.released, [true]);

  const { workers } = daemon.services;
  const { workers_pool_size: size } = daemon.services.config.conductor;
  const leave = Array.from({ length: size }, () => workers.enter('request'));
  const crowded = sent(daemon, MAC);
  await assert.rejects(crowded.received, { code: 'NoFreeWorker' });
  assert.deepEqual(crowded.released, [true]);
  assert.equal(daemon.node(uuid).provision_state, 'inspect wait');
  for (const each of leave) each();
});

test('a report is refused with the reason if its parser runs out of memory, and the next report is accepted', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  const { services } = daemon;
  const broken = {
    ...services.inspection,
    identify: () => Promise.reject(new Error('the thread ran out of memory')),
  };
  const { received, released } = sent({ ...daemon, services: { ...services, inspection: broken } }, MAC);
  await assert.rejects(received, /out of memory/);
  assert.deepEqual(released, [true]);
  await sent(daemon, MAC).received;
  await daemon.idle();
  assert.equal(daemon.node(uuid).provision_state, 'manageable');
});

test('the agent gets a token in answer to its first report, if it wants one', async (t) => {
  const { daemon } = await waitingNode(t);
  const { token } = await sent(daemon, MAC, true).received;
  assert.match(token ?? '', /^[\w-]{43}$/);
  await daemon.idle();
});

test('reports appear in the timeline of their machine, also those that no node waits for', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  await sent(daemon, MAC).received;
  await daemon.idle();
  await assert.rejects(sent(daemon, MAC).received);
  await assert.rejects(sent(daemon, STRANGER).received);
  const eventsAt = async (path: string) => {
    const { body } = await daemon.request('GET', path);
    const events = body['events'] as readonly {
      hop: string;
      text: string;
      address: string;
      failed: boolean;
    }[];
    return events
      .filter(({ hop }) => hop === 'inspection')
      .map(({ text, address, failed }) => [text, address, failed]);
  };
  assert.deepEqual(await eventsAt(`/v1/nodes/${uuid}/timeline`), [
    ['its ramdisk sent its inspection report', caller.address, false],
    ['its ramdisk sent an inspection report; no node waits for it', caller.address, true],
  ]);
  assert.deepEqual(await eventsAt(`/v1/unknown_machines/${STRANGER}/timeline`), [
    ['its ramdisk sent an inspection report; no node waits for it', caller.address, false],
  ]);
});

test('a report tells where the BMC of its machine is, whether or not a node waits for it', async (t) => {
  const { daemon } = await waitingNode(t);
  const heard: unknown[] = [];
  t.mock.method(daemon.services.foundBmcs, 'hear', (hint: unknown) => void heard.push(hint));
  const bmc = { bmc_address: '10.0.9.12', bmc_v6address: '::', bmc_mac: '52:54:00:00:09:0A' };
  await assert.rejects(sent(daemon, STRANGER, false, bmc).received, { code: 'NotFound' });
  await assert.rejects(sent(daemon, STRANGER, false, { ...bmc, bmc_mac: 7 }).received, { code: 'NotFound' });
  const said = { source: 'report', sender: '192.0.2.7' };
  assert.deepEqual(heard, [
    { ...said, address: '10.0.9.12', mac: '52:54:00:00:09:0a' },
    { ...said, address: '::', mac: '52:54:00:00:09:0a' },
    { ...said, address: '10.0.9.12', mac: undefined },
    { ...said, address: '::', mac: undefined },
  ]);
});
