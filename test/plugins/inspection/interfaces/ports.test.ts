// The `ports` hook: the ports that it adds, deletes and changes.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json, JsonObject, PortDraft } from '#plugin-api';
import { ports } from '../../../../plugins/inspection/interfaces/ports.ts';
import { validateInterfaces } from '../../../../plugins/inspection/interfaces/validate-interfaces.ts';
import { CLIENT_ID, draftOf, inventoryOf, port, type RecordedDraft } from '../draft.ts';

const PXE = '01-3c-ec-ef-10-20-30';
const ENO1 = '3c:ec:ef:10:20:30';
const ENO2 = '3c:ec:ef:10:20:31';
const ENS1F0 = 'b8:59:9f:aa:00:10';
const IB0 = '7c:fe:90:29:26:52';
const OTHER = 'de:ad:be:ef:00:01';

function run(
  inspector: Readonly<Record<string, unknown>>,
  existing: readonly PortDraft[] = [],
  inventory: JsonObject = inventoryOf(PXE),
): RecordedDraft {
  const draft = draftOf({ inventory, ports: existing, inspector });
  validateInterfaces.preprocess?.(draft);
  ports.call?.(draft);
  return draft;
}

const pxeByAddress = (draft: RecordedDraft) =>
  Object.fromEntries(draft.ports.map(({ address, pxe_enabled }) => [address, pxe_enabled]));
const addedByName = (draft: RecordedDraft) =>
  Object.fromEntries(
    Object.entries(draft.pluginData['valid_interfaces'] as JsonObject).map(([name, reported]) => [
      name,
      (reported as JsonObject)['is_added'],
    ]),
  );

test('the hook depends on validate-interfaces', () => {
  assert.deepEqual(ports.dependencies, ['validate-interfaces']);
});

test('add_ports = pxe adds a port for the interface that the ramdisk booted from', () => {
  const draft = run({});
  assert.deepEqual(draft.ports, [
    { address: ENO1, pxe_enabled: true, extra: {}, local_link_connection: {}, physical_network: null },
  ]);
  assert.deepEqual(addedByName(draft), { eno1: true });
});

test('add_ports = all adds a port for each valid interface, with the client identifier of InfiniBand', () => {
  const draft = run({ add_ports: 'all' });
  assert.deepEqual(pxeByAddress(draft), { [ENO1]: true, [ENO2]: false, [ENS1F0]: false, [IB0]: false });
  assert.deepEqual(draft.ports.find(({ address }) => address === IB0)?.extra, { 'client-id': CLIENT_ID });
});

test('add_ports = active adds ports for interfaces with an IP address', () => {
  assert.deepEqual(pxeByAddress(run({ add_ports: 'active' })), { [ENO1]: true, [ENS1F0]: false });
});

test('add_ports = disabled adds no port', () => {
  const draft = run({ add_ports: 'disabled' });
  assert.deepEqual(draft.ports, []);
  assert.deepEqual(addedByName(draft), { eno1: false, eno2: false, ens1f0: false, ib0: false });
});

test('an existing port is not added again, regardless of the spelling of its address', () => {
  const existing = port('3C:EC:EF:10:20:30', { physical_network: 'prov' });
  const draft = run({}, [existing]);
  assert.deepEqual(draft.ports, [existing]);
  assert.deepEqual(addedByName(draft), { eno1: false });
});

test('interfaces that share a MAC address get one port', () => {
  const list = [
    { name: 'eth0', mac_address: ENO1 },
    { name: 'eth0.100', mac_address: ENO1 },
  ];
  assert.deepEqual(pxeByAddress(run({ add_ports: 'all' }, [], inventoryOf(PXE, list))), { [ENO1]: true });
});

const ALL = [ENO1, ENO2, ENS1F0, IB0];
for (const [keepPorts, kept] of [
  ['all', [ENO1, ENO2, OTHER]],
  ['present', [ENO1, ENO2]],
  ['added', [ENO1]],
] as const) {
  test(`keep_ports = ${keepPorts} keeps ${kept.join(' ')}`, () => {
    const draft = run({ keep_ports: keepPorts }, [port(ENO1), port(ENO2.toUpperCase()), port(OTHER)]);
    assert.deepEqual(
      draft.ports.map(({ address }) => address.toLowerCase()),
      kept,
    );
  });
}

test('keep_ports = added keeps the ports that this run adds', () => {
  const draft = run({ add_ports: 'all', keep_ports: 'added' }, [port(OTHER)]);
  assert.deepEqual(
    draft.ports.map(({ address }) => address),
    ALL,
  );
});

test('pxe_enabled becomes true for the interface that the ramdisk booted from, and false for other ports', () => {
  const draft = run({}, [port(ENO1, { pxe_enabled: false }), port(ENO2), port(OTHER)]);
  assert.deepEqual(pxeByAddress(draft), { [ENO1]: true, [ENO2]: false, [OTHER]: false });
});

test('update_pxe_enabled = false keeps pxe_enabled of existing ports', () => {
  const draft = run({ update_pxe_enabled: false, add_ports: 'all' }, [
    port(ENO1, { pxe_enabled: false }),
    port(ENO2),
  ]);
  assert.deepEqual(pxeByAddress(draft), { [ENO1]: false, [ENO2]: true, [ENS1F0]: false, [IB0]: false });
});

for (const [title, pxeInterface] of [
  ['not known', null],
  ['not among those reported', '01-02-00-00-00-00-99'],
] as const) {
  test(`when the boot interface is ${title}, pxe_enabled stays and is true for new ports`, () => {
    const draft = run({ add_ports: 'all' }, [port(ENO1, { pxe_enabled: false })], inventoryOf(pxeInterface));
    assert.deepEqual(pxeByAddress(draft), { [ENO1]: false, [ENO2]: true, [ENS1F0]: true, [IB0]: true });
  });
}

test('the client identifier of an existing port is replaced, the rest of extra stays', () => {
  const draft = run({ add_ports: 'all' }, [port(IB0, { extra: { 'client-id': 'old', rack: 7 } })]);
  assert.deepEqual(draft.ports[0]?.extra, { 'client-id': CLIENT_ID, rack: 7 });
});

test('a client identifier that is not octets in hexadecimal is ignored with a warning, and a single octet is valid', () => {
  for (const clientId of ['ff:00\ndhcp-option=1', 5, {}, 'ff']) {
    const list = [{ name: 'ib0', mac_address: IB0, client_id: clientId }];
    const draft = run({ add_ports: 'all' }, [], inventoryOf(null, list));
    const isOctets = clientId === 'ff';
    assert.deepEqual(draft.ports[0]?.extra, isOctets ? { 'client-id': 'ff' } : {});
    assert.equal(
      draft.warnings.some((message) => message.includes('client_id')),
      !isOctets,
    );
  }
});

test('existing ports are replaced, never changed in place', () => {
  const existing = Object.freeze(port(ENO2));
  assert.equal(run({}, [existing]).ports[0]?.pxe_enabled, false);
  assert.equal(existing.pxe_enabled, true);
});

const spoilt: readonly Json[] = [
  null,
  [],
  'x',
  {},
  { eth0: null },
  { eth0: { mac_address: 'banana', pxe_enabled: true } },
  { eth0: { mac_address: ENO1 } },
  { eth0: { mac_address: ENO1, pxe_enabled: true }, eth1: null },
];
for (const value of spoilt) {
  test(`plugin data replaced with ${JSON.stringify(value)} fails the inspection and deletes no port`, () => {
    for (const key of ['all_interfaces', 'valid_interfaces']) {
      const draft = draftOf({
        inventory: inventoryOf(PXE),
        ports: [port(OTHER)],
        inspector: { keep_ports: 'present' },
      });
      validateInterfaces.preprocess?.(draft);
      draft.pluginData[key] = value;
      assert.throws(() => ports.call?.(draft), { name: 'InspectionError', message: new RegExp(key) });
      assert.deepEqual(draft.ports, [port(OTHER)]);
    }
  });
}
