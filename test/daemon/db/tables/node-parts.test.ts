import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import test, { after } from 'node:test';
import { createDatabase } from '../../../../daemon/db/database.ts';
import { biosSettingFields, unknownRegistryEntry } from '../../../../daemon/model/records/bios-setting.ts';
import { firmwareComponentFields } from '../../../../daemon/model/records/firmware-component.ts';
import { fakeNode } from '../../../fakes/task.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'node-parts-'));
const db = createDatabase(path.join(directory, 'db.sqlite'));
after(() => {
  db.close();
  rmSync(directory, { recursive: true });
});

const node = fakeNode({});
const { uuid } = node;
db.nodes.insert(node);

const setting = (name: string, value: string | null) => ({
  node_uuid: uuid,
  name,
  value,
  registry: { ...unknownRegistryEntry, upper_bound: 9, unique: true },
  created_at: '2026-01-01T00:00:00.000+00:00',
  updated_at: null,
});
const component = (name: string) => ({
  node_uuid: uuid,
  component: name,
  initial_version: '1',
  current_version: '2',
  last_version_flashed: null,
  vendor: 'v',
  model: null,
  serial_number: null,
  created_at: null,
  updated_at: null,
});

test('BIOS settings and firmware components are returned unchanged, sorted by name', () => {
  db.biosSettings.replace(uuid, [setting('b', null), setting('a', '1')]);
  assert.deepEqual(db.biosSettings.ofNode(uuid), [setting('a', '1'), setting('b', null)]);
  db.firmwareComponents.replace(uuid, [component('nic'), component('bmc')]);
  assert.deepEqual(db.firmwareComponents.ofNode(uuid), [component('bmc'), component('nic')]);
});

test('the test data contains every declared field', () => {
  assert.deepEqual(Object.keys(setting('a', null)).toSorted(), Object.keys(biosSettingFields).toSorted());
  assert.deepEqual(Object.keys(component('a')).toSorted(), Object.keys(firmwareComponentFields).toSorted());
});

test('replacing BIOS settings is atomic', () => {
  db.biosSettings.replace(uuid, [setting('a', '1')]);
  assert.throws(() => db.biosSettings.replace(uuid, [setting('b', '1'), setting('b', '2')]), /UNIQUE/);
  assert.deepEqual(db.biosSettings.ofNode(uuid), [setting('a', '1')]);
  db.biosSettings.replace(uuid, []);
  assert.deepEqual(db.biosSettings.ofNode(uuid), []);
});
