// The four default hooks in order, on real and constructed reports and on arbitrary JSON.
import assert from 'node:assert/strict';
import test from 'node:test';
import * as fc from 'fast-check';
import { type InspectionDraft, type Json, InspectionError, type JsonObject } from '#plugin-api';
import { architecture } from '../../../plugins/inspection/architecture.ts';
import { ports } from '../../../plugins/inspection/interfaces/ports.ts';
import { ramdiskError } from '../../../plugins/inspection/ramdisk-error.ts';
import { validateInterfaces } from '../../../plugins/inspection/interfaces/validate-interfaces.ts';
import { draftOf, draftOfFixture, port } from './draft.ts';

const hooks = [ramdiskError, validateInterfaces, ports, architecture];

function run(draft: InspectionDraft): void {
  for (const hook of hooks) hook.preprocess?.(draft);
  for (const hook of hooks) hook.call?.(draft);
}

const expected: readonly [fixture: string, addPorts: string, ports: Readonly<Record<string, boolean>>][] = [
  ['agent-12-bios', 'pxe', { '52:54:00:aa:bb:01': true }],
  ['agent-12-bmc', 'pxe', { '52:54:00:aa:bb:01': true }],
  ['agent-12-uefi', 'active', { '52:54:00:aa:bb:01': true }],
  ['agent-2023.1', 'all', { '52:54:00:aa:bb:01': true }],
  ['constructed-vm', 'pxe', { '52:54:00:7a:1c:01': true }],
  ['constructed-server', 'pxe', { 'b0:7b:25:e1:44:10': true }],
  [
    'constructed-server',
    'active',
    { 'b0:7b:25:e1:44:10': true, '04:3f:72:c9:0a:70': false, '04:3f:72:c9:0a:71': false },
  ],
  [
    'constructed-server',
    'all',
    {
      'b0:7b:25:e1:44:10': true,
      'b0:7b:25:e1:44:11': false,
      '04:3f:72:c9:0a:70': false,
      '04:3f:72:c9:0a:71': false,
    },
  ],
];

for (const [fixture, addPorts, pxeByAddress] of expected) {
  test(`${fixture} with add_ports = ${addPorts} creates ${Object.keys(pxeByAddress).length} port(s)`, () => {
    const draft = draftOfFixture(fixture, { add_ports: addPorts });
    run(draft);
    assert.deepEqual(
      Object.fromEntries(draft.ports.map(({ address, pxe_enabled }) => [address, pxe_enabled])),
      pxeByAddress,
    );
    assert.deepEqual(draft.node.properties, { cpu_arch: 'x86_64' });
    assert.deepEqual(draft.pluginData['macs'], Object.keys(pxeByAddress));
    assert.deepEqual(draft.warnings, []);
  });
}

test('a report with errors fails with each error and changes nothing', () => {
  const draft = draftOfFixture('constructed-error');
  assert.throws(() => run(draft), { name: 'InspectionError', message: /\n\* .*\n\* / });
  assert.deepEqual(draft.ports, []);
  assert.deepEqual(draft.node.properties, {});
});

const mac = fc.constantFrom('02:00:00:00:00:01', '02:00:00:00:00:0A', '', 'banana', null, 5);
const ip = fc.oneof(
  fc.ipV4(),
  fc.ipV6(),
  fc.constantFrom('::1', '127.0.0.1', 'fe80::1%a', null),
  fc.jsonValue(),
);
/** An inventory with any part missing or replaced by arbitrary JSON. */
const almostInventory = fc.record(
  {
    interfaces: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.array(
          fc.oneof(
            fc.record(
              {
                name: fc.oneof(fc.constantFrom('eth0', 'lo', '__proto__', 'constructor', ''), fc.jsonValue()),
                mac_address: fc.oneof(mac, fc.jsonValue()),
                ipv4_address: ip,
                ipv6_address: ip,
                client_id: fc.oneof(fc.constantFrom('ff:00', null), fc.jsonValue()),
                pxe_enabled: fc.jsonValue(),
              },
              { requiredKeys: [] },
            ),
            fc.jsonValue(),
          ),
        ),
      },
      { weight: 1, arbitrary: fc.jsonValue() },
    ),
    boot: fc.oneof(
      fc.record({ pxe_interface: fc.oneof(fc.constantFrom('01-02-00-00-00-00-01', null), fc.jsonValue()) }),
      fc.jsonValue(),
    ),
    cpu: fc.oneof(
      fc.record({ architecture: fc.oneof(fc.constant('x86_64'), fc.jsonValue()) }),
      fc.jsonValue(),
    ),
  },
  { requiredKeys: [] },
);
const pluginData = fc.dictionary(
  fc.oneof(fc.constantFrom('error', 'all_interfaces', 'valid_interfaces', 'macs', '__proto__'), fc.string()),
  fc.jsonValue(),
);
const inspector = fc.record({
  add_ports: fc.constantFrom('pxe', 'all', 'active', 'disabled'),
  keep_ports: fc.constantFrom('all', 'present', 'added'),
  update_pxe_enabled: fc.boolean(),
});

test('each hook succeeds or fails with an InspectionError on any report', () => {
  const seen = { completed: 0, failed: 0 };
  fc.assert(
    fc.property(fc.oneof(almostInventory, fc.object()), pluginData, inspector, (inventory, sent, options) => {
      const draft = draftOf({
        inventory: inventory as Json,
        pluginData: sent as JsonObject,
        inspector: options,
        ports: [port('02:00:00:00:00:0A')],
      });
      const steps = [
        ...hooks.map((hook) => () => hook.preprocess?.(draft)),
        ...hooks.map((hook) => () => hook.call?.(draft)),
      ];
      for (const step of steps) {
        try {
          step();
          seen.completed += 1;
        } catch (error) {
          assert.ok(error instanceof InspectionError, String(error));
          assert.ok(error.message.length < 4096);
          seen.failed += 1;
        }
      }
      for (const { address } of draft.ports) assert.match(address, /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/i);
      assert.equal(typeof (draft.node.properties['cpu_arch'] ?? ''), 'string');
    }),
    { numRuns: 500 },
  );
  assert.ok(seen.completed > 0 && seen.failed > 0);
});
