// Matching a report to exactly one waiting node by MAC addresses, BMC addresses and UUID.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { collectEndings } from '../fakes/endings.ts';
import { type InProcessDaemon, startInProcess } from '../fakes/daemon/in-process-daemon.ts';
import { GENERIC, UNKNOWN } from './waiting-node.ts';

const mac = (node: number, port: number) => `02:00:00:00:0${node}:0${port}`;
const STRANGER = '02:00:00:00:09:09';

const uuids: string[] = [];
const endings = collectEndings();
const started: InProcessDaemon[] = [];

before(async () => {
  const daemon = await startInProcess(endings);
  started.push(daemon);
  const nodes = [
    { ports: [mac(1, 1), mac(1, 2)], bmc: ['192.0.2.1'] },
    { ports: [mac(2, 1)], bmc: ['198.51.100.2'] },
    { ports: [mac(3, 1)], bmc: ['203.0.113.3'] },
    { ports: [], bmc: ['192.0.2.40', '2001:db8::40'] },
    { ports: [], bmc: ['192.0.2.50'] },
    { ports: [], bmc: ['192.0.2.50'] },
  ];
  for (const [at, { ports, bmc }] of nodes.entries()) {
    const { uuid } = await daemon.createNode({ driver: 'lab' });
    for (const address of ports) await daemon.createPort(uuid, address);
    daemon.services.db.nodes.update(uuid, {
      provision_state: at === 2 ? 'available' : 'inspect wait',
      driver_internal_info: { lookup_bmc_addresses: bmc },
    });
    uuids.push(uuid);
  }
});

after(async () => {
  await endings.end();
});

type Case = readonly [
  id: string,
  macs: readonly string[],
  bmc: readonly [v4: string | null, v6?: string],
  uuid: number | 'unknown' | undefined,
  /** The number of a node, or an HTTP status of 400 or more. */
  expected: number,
];

/** Nodes are numbered from 1 in the order above. */
const cases: readonly Case[] = [
  ['an invalid MAC address', ['banana'], [null], undefined, 400],
  ['a known and an unknown MAC address', [mac(1, 2), STRANGER], [null], undefined, 1],
  ['both MAC addresses of a node', [mac(1, 1), mac(1, 2)], [null], undefined, 1],
  ['MAC addresses of two nodes', [mac(1, 1), mac(2, 1)], [null], undefined, 404],
  ['a MAC address of an available node', [mac(3, 1)], [null], undefined, 404],
  ['the BMC address of a node without ports', [STRANGER], [null, '2001:db8::40'], undefined, 4],
  ['the BMC address in another spelling', [STRANGER], [null, '2001:DB8:0:0::40'], undefined, 4],
  ['the MAC address, BMC address and UUID of one node', [mac(1, 1)], ['192.0.2.1'], 1, 1],
  ['a MAC address and the BMC address of another node', [mac(1, 1)], ['198.51.100.2'], undefined, 404],
  ['a known MAC address and an unknown BMC address', [mac(1, 1)], ['10.9.9.9'], undefined, 1],
  ['a MAC address and the UUID of another node', [mac(1, 1)], [null], 2, 404],
  ['a BMC address of two nodes', [STRANGER], ['192.0.2.50'], undefined, 404],
  ['a BMC address of two nodes and the UUID of one', [STRANGER], ['192.0.2.50'], 6, 6],
  ['an unknown UUID', [STRANGER], [null], 'unknown', 404],
  ['the UUID of an available node', [STRANGER], [null], 3, 404],
  ['the BMC address of an available node', [STRANGER], ['203.0.113.3'], undefined, 404],
  ['unspecified BMC addresses', [STRANGER], ['0.0.0.0', '::/0'], undefined, 404],
];

for (const [id, macs, [bmc_address, bmc_v6address = null], number, expected] of cases) {
  test(`${id}: ${typeof expected === 'number' && expected < 100 ? `node ${expected}` : expected}`, async () => {
    const [daemon] = started;
    assert.ok(daemon);
    const matched = uuids[expected - 1] ?? '';
    const waiting = daemon.services.db.nodes.get(matched) ?? {};
    const from = daemon.log().length;
    const interfaces = macs.map((mac_address, at) => ({ name: `eth${at}`, mac_address }));
    const uuid = number === 'unknown' ? UNKNOWN : number && uuids[number - 1];
    const answer = await daemon.request(
      'POST',
      `/v1/continue_inspection${uuid === undefined ? '' : `?node_uuid=${uuid}`}`,
      { version: 84, body: { inventory: { interfaces, bmc_address, bmc_v6address } } },
    );
    if (expected >= 100) {
      assert.equal(answer.status, expected, answer.text);
      if (expected === 400) return;
      assert.equal(answer.fault, GENERIC);
      const logged = daemon.log().slice(from);
      assert.match(logged, /inspection data matched no waiting node/);
      // a report whose node_uuid names no waiting node is not read: the log then names that UUID, not a MAC address
      assert.match(logged, new RegExp(String(uuid ?? macs[0])), 'the log names the machine');
      return;
    }
    assert.equal(answer.status, 202, answer.text);
    assert.equal((answer.body['node'] as { uuid: string }).uuid, matched);
    await daemon.idle();
    assert.notEqual(daemon.node(matched).provision_state, 'inspect wait');
    daemon.services.db.nodes.update(matched, waiting);
  });
}
