import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import type { Json, JsonObject } from '#plugin-api';
import { accelerators } from '../../../plugins/inspection/accelerators.ts';
import { draftOf } from './draft.ts';

function after(devices: Json, inspector: Readonly<Record<string, unknown>> = {}) {
  const draft = draftOf({
    pluginData: { pci_devices: devices },
    properties: { accelerators: ['old'] },
    inspector,
  });
  accelerators.call?.(draft);
  return draft;
}

const device = (bus: string, product_id = '2236') => ({ vendor_id: '10de', product_id, bus });

test('known accelerators are recorded with their PCI addresses', () => {
  const known = { vendor_id: '10de', device_id: '2236', type: 'GPU', device_info: 'NVIDIA Corporation A10' };
  const { node } = after([device('0000:ca:00.0'), device('0000:cb:00.0', 'ffff'), device('0000:cc:00.0')]);
  assert.deepEqual(node.properties['accelerators'], [
    { ...known, pci_address: '0000:ca:00.0' },
    { ...known, pci_address: '0000:cc:00.0' },
  ]);
});

test('a device list without accelerators empties the property; a missing, empty or invalid list leaves it', () => {
  assert.deepEqual(after([device('x', 'ffff'), null, {}]).node.properties['accelerators'], []);
  for (const devices of [null, [], 'x']) {
    const draft = after(devices);
    assert.deepEqual(draft.node.properties['accelerators'], ['old']);
    assert.match(draft.warnings.join(), /Accelerators unchanged/);
  }
});

test('PCI devices in the inventory are recognized by ids such as 0x10DE, as BMCs report them', () => {
  const pci_devices = [{ vendor_id: '0x10DE', product_id: '0x2236' }];
  const draft = draftOf({ inventory: { pci_devices } });
  accelerators.call?.(draft);
  const [found] = draft.node.properties['accelerators'] as readonly JsonObject[];
  assert.deepEqual([found?.['device_id'], found?.['pci_address']], ['2236', null]);
});

test('the file that known_accelerators names is read at every use, and an invalid file is refused', (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'ironic-edge-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const known_accelerators = join(directory, 'known.yaml');
  const write = (devices: unknown) =>
    writeFileSync(known_accelerators, JSON.stringify({ pci_devices: devices }));
  const yaml = 'pci_devices:\n  - vendor_id: "10de"\n    device_id: ffff\n    type: FPGA\n';
  const found = () => after([device('b', 'FFFF')], { known_accelerators }).node.properties['accelerators'];
  writeFileSync(known_accelerators, yaml);
  assert.deepEqual(found(), [{ vendor_id: '10de', device_id: 'ffff', type: 'FPGA', pci_address: 'b' }]);
  write([]);
  assert.deepEqual(found(), []);

  const check = () => accelerators.checkConfiguration?.({ inspector: { known_accelerators } });
  check();
  for (const devices of [undefined, {}, [{}], [{ vendor_id: '10de', device_id: '' }], [null]]) {
    write(devices);
    assert.throws(check, /^Error: \[inspector\] known_accelerators = .*known\.yaml: .*expected/);
  }
  writeFileSync(known_accelerators, 'a: [b');
  assert.throws(check, /expected a YAML file/);
  rmSync(known_accelerators);
  assert.throws(check, /expected a YAML file: ENOENT/);
});
