import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { InspectedMachines } from '../../daemon/db/tables/boot/inspected-machines.ts';
import { decideFilter, hostNames, hostRecord, UNKNOWN_HOSTS_FILE } from '../../pxe-filter/decide.ts';

const [A, B, GONE] = ['52:54:00:00:00:0a', '52:54:00:00:00:0b', '52:54:00:00:00:0c'] as const;
const TAG = '11111111-2222-4333-8444-555555555555';
const known = (address: string) => ({ address, inspected: false, clientId: null, tag: null });
const inspected = (address: string) => ({ address, inspected: true, clientId: null, tag: null });
const managed = (address: string, tag = TAG) => ({ address, inspected: true, clientId: null, tag });
const ALONE = { discovery: false, files: [] };

const rows: readonly {
  readonly when: string;
  readonly machines: InspectedMachines;
  readonly discovery?: true;
  readonly files?: readonly string[];
  readonly verdicts: Readonly<Record<string, string>>;
}[] = [
  {
    when: 'one node is being inspected and another is not',
    machines: { inspecting: true, ports: [inspected(A), known(B)] },
    verdicts: { [A]: 'allow', [B]: 'deny', [UNKNOWN_HOSTS_FILE]: 'allow' },
  },
  {
    when: 'a node without ports is being inspected',
    machines: { inspecting: true, ports: [known(B)] },
    verdicts: { [B]: 'deny', [UNKNOWN_HOSTS_FILE]: 'allow' },
  },
  {
    when: 'no node is being inspected',
    machines: { inspecting: false, ports: [known(A), known(B)] },
    verdicts: { [A]: 'deny', [B]: 'deny', [UNKNOWN_HOSTS_FILE]: 'deny' },
  },
  {
    when: 'no port exists',
    machines: { inspecting: false, ports: [] },
    verdicts: { [UNKNOWN_HOSTS_FILE]: 'deny' },
  },
  {
    when: 'a port was deleted and no node is being inspected',
    machines: { inspecting: false, ports: [known(A)] },
    files: [GONE, A, UNKNOWN_HOSTS_FILE],
    verdicts: { [A]: 'deny', [GONE]: 'deny', [UNKNOWN_HOSTS_FILE]: 'deny' },
  },
  {
    when: 'a port was deleted and a node is being inspected',
    machines: { inspecting: true, ports: [inspected(A)] },
    files: [GONE, A, UNKNOWN_HOSTS_FILE],
    verdicts: { [A]: 'allow', [GONE]: 'allow', [UNKNOWN_HOSTS_FILE]: 'allow' },
  },
  {
    when: 'discovery is enabled and no node is being inspected',
    machines: { inspecting: false, ports: [known(A)] },
    discovery: true,
    files: [GONE],
    verdicts: { [A]: 'deny', [GONE]: 'allow', [UNKNOWN_HOSTS_FILE]: 'allow' },
  },
];

for (const { when, machines, discovery = false, files = [], verdicts } of rows) {
  test(`when ${when}, the verdicts are ${Object.values(verdicts).join(', ')}`, () => {
    assert.deepEqual(Object.fromEntries(decideFilter(machines, { discovery, files })), verdicts);
  });
}

test('a host record is a MAC address or a wildcard on one line, with ",ignore" when it denies', () => {
  const records = [A, UNKNOWN_HOSTS_FILE].flatMap((file) => [
    hostRecord(file, 'allow'),
    hostRecord(file, 'deny'),
  ]);
  assert.deepEqual(records, [`${A}\n`, `${A},ignore\n`, '*:*:*:*:*:*\n', '*:*:*:*:*:*,ignore\n']);
  assert.deepEqual(
    records.map(({ length }) => length),
    [18, 25, 12, 19],
  );
});

test('the host record of a port with a tag sets the tag, whether or not the node is being inspected', () => {
  const machines = {
    inspecting: true,
    ports: [managed(A), { ...managed(B), inspected: false }, known(GONE)],
  };
  assert.deepEqual(Object.fromEntries(decideFilter(machines, ALONE)), {
    [A]: { managed: TAG },
    [B]: { managed: TAG },
    [GONE]: 'deny',
    [UNKNOWN_HOSTS_FILE]: 'allow',
  });
  assert.equal(hostRecord(A, { managed: TAG }), `${A},set:${TAG},set:ironic\n`);
});

test('a tag that is not a UUID is ignored', () => {
  for (const tag of ['', 'x', `${TAG}\n*:*:*:*:*:*`, `${TAG},ignore`, '{}', '5'])
    assert.equal(decideFilter({ inspecting: true, ports: [managed(A, tag)] }, ALONE).get(A), 'allow');
});

const mac = fc
  .uint8Array({ minLength: 6, maxLength: 6 })
  .map((octets) => [...octets].map((octet) => octet.toString(16).padStart(2, '0')).join(':'));

test('each port has its own verdict, and deleted ports have the verdict of unknown hosts', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(mac),
      fc.uniqueArray(mac),
      fc.infiniteStream(fc.boolean()),
      fc.boolean(),
      (addresses, others, coins, discovery) => {
        const ports = addresses.map((address) => ({
          address,
          inspected: coins.next().value,
          clientId: null,
          tag: null,
        }));
        const inspecting = ports.some((port) => port.inspected);
        const verdicts = decideFilter({ inspecting, ports }, { discovery, files: others });
        const unknown = inspecting || discovery ? 'allow' : 'deny';
        for (const port of ports) assert.equal(verdicts.get(port.address), port.inspected ? 'allow' : 'deny');
        for (const other of others)
          if (!addresses.includes(other)) assert.equal(verdicts.get(other), unknown);
        assert.equal(verdicts.get(UNKNOWN_HOSTS_FILE), unknown);
        assert.equal(verdicts.size, new Set([...addresses, ...others]).size + 1);
      },
    ),
  );
});

test('the file for unknown hosts comes after the files of ports and before those of deleted ports', () => {
  const machines = { inspecting: true, ports: [known(B), inspected(A)] };
  const verdicts = decideFilter(machines, { discovery: false, files: [GONE] });
  assert.deepEqual([...verdicts.keys()], [B, A, UNKNOWN_HOSTS_FILE, GONE]);
});

test('a port whose address is not a MAC address in lower case gets no host file', () => {
  const bad = ['../../etc/passwd', '', '.', 'a/b', A.toUpperCase(), `${A}\n`, `${A}:00`, '*:*:*:*:*:*'];
  const ports = [inspected, known, managed].flatMap((port) => bad.map((address) => port(address)));
  const machines = { inspecting: true, ports };
  assert.deepEqual([...decideFilter(machines, ALONE).keys()], [UNKNOWN_HOSTS_FILE]);
});

test('an InfiniBand card is also known by the client identifier of its port, if that is one', () => {
  const withId = (clientId: string | null) => [
    ...hostNames({ inspecting: false, ports: [{ ...known(A), clientId }] }).values(),
  ];
  assert.deepEqual(withId('FF:00:0a'), [`${A},id:ff:00:0a`]);
  for (const other of [null, '', 'ff', 'ff:00\ndhcp-option=1', 'ff:0', `ff${':00'.repeat(255)}`])
    assert.deepEqual(withId(other), [A]);
  assert.equal(hostRecord(A, 'deny', `${A},id:ff:00`), `${A},id:ff:00,ignore\n`);
});
