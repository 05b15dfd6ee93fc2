// The interfaces that are usable and those that are valid under add_ports.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json, JsonObject } from '#plugin-api';
import { validateInterfaces } from '../../../../plugins/inspection/interfaces/validate-interfaces.ts';
import { draftOf, interfaces, inventoryOf, type RecordedDraft } from '../draft.ts';

function validated(inventory: Json, addPorts: string): RecordedDraft {
  const draft = draftOf({ inventory, inspector: { add_ports: addPorts } });
  validateInterfaces.preprocess?.(draft);
  return draft;
}

const namesIn = (draft: RecordedDraft, key: string) => Object.keys(draft.pluginData[key] as JsonObject);
const entry = (draft: RecordedDraft, name: string) =>
  (draft.pluginData['all_interfaces'] as JsonObject)[name] as JsonObject;

const PXE = '01-3c-ec-ef-10-20-30';
const USABLE = ['lo', 'eno1', 'eno2', 'ens1f0', 'ib0'];
const NOT_LOOPBACK = USABLE.slice(1);

test('interfaces without a name or a valid MAC address are skipped with a warning', () => {
  const draft = validated(inventoryOf(PXE), 'pxe');
  assert.deepEqual(namesIn(draft, 'all_interfaces'), USABLE);
  assert.equal(draft.warnings.length, 3);
  assert.match(draft.warnings[1] ?? '', /banana/);
});

test('an interface keeps its reported fields, with MAC and IPv6 address normalized', () => {
  const draft = validated(inventoryOf(PXE), 'pxe');
  assert.deepEqual(entry(draft, 'eno1'), {
    ...interfaces[1],
    mac_address: '3c:ec:ef:10:20:30',
    ipv6_address: 'fe80::1',
    pxe_enabled: true,
  });
});

for (const bootif of [
  PXE,
  '3c:ec:ef:10:20:30',
  '3C:EC:EF:10:20:30',
  '3c-ec-ef-10-20-30',
  '20-3c-ec-ef-10-20-30',
]) {
  test(`${bootif} names the interface that the ramdisk booted from`, () => {
    const draft = validated(inventoryOf(bootif), 'pxe');
    assert.deepEqual(
      USABLE.filter((name) => entry(draft, name)['pxe_enabled'] === true),
      ['eno1'],
    );
    assert.deepEqual(namesIn(draft, 'valid_interfaces'), ['eno1']);
    assert.deepEqual(draft.pluginData['macs'], ['3c:ec:ef:10:20:30']);
  });
}

for (const addPorts of ['all', 'disabled']) {
  test(`add_ports = ${addPorts} accepts all interfaces but loopback`, () => {
    const draft = validated(inventoryOf(PXE), addPorts);
    assert.deepEqual(namesIn(draft, 'valid_interfaces'), NOT_LOOPBACK);
    assert.equal((draft.pluginData['macs'] as readonly Json[]).length, 4);
  });
}

test('add_ports = active accepts interfaces with an IPv4 or IPv6 address', () => {
  assert.deepEqual(namesIn(validated(inventoryOf(PXE), 'active'), 'valid_interfaces'), ['eno1', 'ens1f0']);
});

for (const unknown of [null, 5, 'banana', {}]) {
  test(`add_ports = pxe with boot interface ${JSON.stringify(unknown)} accepts all but loopback and logs a warning`, () => {
    const draft = validated(inventoryOf(unknown), 'pxe');
    assert.deepEqual(namesIn(draft, 'valid_interfaces'), NOT_LOOPBACK);
    assert.equal(
      USABLE.some((name) => entry(draft, name)['pxe_enabled'] === true),
      false,
    );
    assert.match(draft.warnings.at(-1) ?? '', /does not say which interface/);
  });
}

test('add_ports = pxe with an inventory without boot accepts all interfaces but loopback', () => {
  const draft = validated({ interfaces }, 'pxe');
  assert.deepEqual(namesIn(draft, 'valid_interfaces'), NOT_LOOPBACK);
});

test('loopback is recognized by its name and by its address', () => {
  const list = [
    { name: 'lo', mac_address: '02:00:00:00:00:01' },
    { name: 'dummy0', mac_address: '02:00:00:00:00:02', ipv6_address: '::1' },
    { name: 'eth0', mac_address: '02:00:00:00:00:03', ipv4_address: 'nonsense', ipv6_address: 7 },
  ];
  assert.deepEqual(namesIn(validated(inventoryOf(null, list), 'all'), 'valid_interfaces'), ['eth0']);
});

test('the last of two interfaces with the same name is used', () => {
  const list = [
    { name: 'eth0', mac_address: '02:00:00:00:00:01' },
    { name: 'eth0', mac_address: '02:00:00:00:00:02' },
  ];
  assert.deepEqual(validated(inventoryOf(null, list), 'all').pluginData['macs'], ['02:00:00:00:00:02']);
});

test('an interface may be named __proto__', () => {
  const list = JSON.parse(
    '[{"name": "__proto__", "mac_address": "02:00:00:00:00:01", "__proto__": 1}]',
  ) as Json;
  const draft = validated(inventoryOf(null, list), 'all');
  assert.deepEqual(namesIn(draft, 'valid_interfaces'), ['__proto__']);
});

const invalid: readonly (readonly [title: string, inventory: Json, addPorts: string, reason: RegExp])[] = [
  [
    'a boot interface that is not in the list under add_ports = pxe',
    inventoryOf('01-02-00-00-00-00-99'),
    'pxe',
    /add_ports = pxe\. Booted from: 02:00:00:00:00:99\. Reported: lo .*eno1 \(3c:ec/,
  ],
  ...['pxe', 'all', 'active', 'disabled'].map(
    (addPorts) =>
      [
        `only loopback under add_ports = ${addPorts}`,
        inventoryOf(null, interfaces.slice(0, 1)),
        addPorts,
        new RegExp(`add_ports = ${addPorts}`),
      ] as const,
  ),
  [
    'an inventory without usable interfaces',
    inventoryOf(null, interfaces.slice(5)),
    'all',
    /no valid network interfaces/,
  ],
  ['an inventory without interfaces', {}, 'all', /interfaces is missing/],
  ['an empty list of interfaces', { interfaces: [] }, 'all', /interfaces is \[\]/],
  ['interfaces that are not a list', { interfaces: { eth0: {} } }, 'all', /interfaces is \{"eth0"/],
  [
    'a list of interfaces without objects',
    { interfaces: [null, 5, []] },
    'all',
    /no valid network interfaces/,
  ],
  ['a list of 4097 interfaces', { interfaces: Array<Json>(4097).fill(0) }, 'all', /1 to 4096/],
];

for (const [title, inventory, addPorts, reason] of invalid) {
  test(`${title} is an invalid inventory`, () => {
    assert.throws(() => validated(inventory, addPorts), { name: 'InspectionError', message: reason });
  });
}

test('error messages stay short when the report contains long values', () => {
  const list = [{ name: 'x'.repeat(100_000), mac_address: 'banana' }];
  assert.throws(
    () => validated({ interfaces: list }, 'all'),
    (error: Error) => error.message.length < 400,
  );
});
