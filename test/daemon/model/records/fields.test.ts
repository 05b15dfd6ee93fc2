// The field tables of node and port: versions, access, initial values and storage.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv } from 'ajv';
import { type FieldTable, storageOf } from '../../../../daemon/model/records/fields.ts';
import { interfaceFields } from '../../../../daemon/model/machine/interface-types.ts';
import { type NodeField, nodeFields } from '../../../../daemon/model/records/node.ts';
import { portFields } from '../../../../daemon/model/records/port.ts';

// minor number of the first API version: fields
const nodeTable = `
  1: uuid driver driver_info properties instance_info instance_uuid extra chassis_uuid maintenance
  1: maintenance_reason power_state target_power_state provision_state target_provision_state
  1: provision_updated_at last_error reservation console_enabled created_at updated_at auto_discovered
  1: wait
  3: driver_internal_info
  5: name
  6: inspection_started_at inspection_finished_at
  7: clean_step
  12: raid_config target_raid_config
  20: network_interface
  21: resource_class
  31: boot_interface console_interface deploy_interface inspect_interface management_interface
  31: power_interface raid_interface vendor_interface
  33: storage_interface
  37: traits
  38: rescue_interface
  40: bios_interface
  42: fault
  44: deploy_step
  46: conductor_group
  47: automated_clean
  48: protected protected_reason
  49: conductor
  50: owner
  51: description
  52: allocation_uuid
  61: retired retired_reason
  65: lessee
  66: network_data
  75: boot_mode secure_boot
  82: shard
  83: parent_node
  86: firmware_interface
  87: service_step
  95: disable_power_off
  104: instance_name
  109: health
`;
const portTable = `
  1: uuid address node_uuid extra created_at updated_at
  18: internal_info
  19: pxe_enabled local_link_connection
  24: portgroup_uuid
  34: physical_network
  53: is_smartnic
  88: name
  97: description
  100: vendor
  101: category
  111: available_for_dynamic_portgroup
`;

const versionsIn = (table: string): Record<string, number> =>
  Object.fromEntries(
    table
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [since, fields = ''] = line.split(': ');
        return fields.split(' ').map((field) => [field, Number(since)]);
      }),
  );
const versionsOf = (fields: FieldTable): Record<string, number> =>
  Object.fromEntries(Object.entries(fields).map(([name, { since }]) => [name, since]));
const namesWhere = (fields: FieldTable, wanted: (field: FieldTable[string]) => boolean): readonly string[] =>
  Object.keys(fields).filter((name) => wanted(fields[name] as FieldTable[string]));

test('each node field appears in its API version', () => {
  assert.deepEqual(versionsOf(nodeFields), versionsIn(nodeTable));
});

test('each port field appears in its API version', () => {
  assert.deepEqual(versionsOf(portFields), versionsIn(portTable));
});

test('neither POST nor PATCH accepts the node fields that the daemon or other requests set', () => {
  const own = [
    'driver_internal_info',
    'maintenance_reason',
    'fault',
    'power_state',
    'target_power_state',
    'provision_state',
    'target_provision_state',
    'provision_updated_at',
    'inspection_started_at',
    'inspection_finished_at',
    'last_error',
    'reservation',
    'clean_step',
    'deploy_step',
    'service_step',
    'raid_config',
    'target_raid_config',
    'traits',
    'conductor',
    'allocation_uuid',
    'health',
    'created_at',
    'updated_at',
  ];
  for (const name of own) {
    const { create, update } = (nodeFields as FieldTable)[name] as FieldTable[string];
    assert.deepEqual([create, update], [undefined, undefined], name);
  }
});

test('uuid, console_enabled, boot_mode and secure_boot are create-only; protected and protected_reason are update-only', () => {
  const onlyGiven = ['uuid', 'console_enabled', 'boot_mode', 'secure_boot'];
  assert.deepEqual(
    namesWhere(nodeFields, ({ create, update }) => create === true && update !== true),
    onlyGiven,
  );
  assert.deepEqual(
    namesWhere(nodeFields, ({ create, update }) => create !== true && update === true),
    ['protected', 'protected_reason'],
  );
});

test('clients can create and update every interface field of a node', () => {
  for (const name of interfaceFields)
    assert.deepEqual([nodeFields[name].create, nodeFields[name].update], [true, true]);
});

test('each initial value fits the schema of its field, except in fields that every new record sets', () => {
  const ajv = new Ajv({ strict: false, formats: { 'date-time': true, uuid: /^[0-9a-f-]{36}$/ } });
  const unfit = (fields: FieldTable) =>
    namesWhere(fields, ({ schema, initial }) => !ajv.validate(schema, initial));
  assert.deepEqual(unfit(nodeFields), ['uuid', 'driver']);
  assert.deepEqual(unfit(portFields), ['uuid', 'address', 'node_uuid']);
});

const storage = (name: NodeField) => storageOf(nodeFields[name]);

test('fields are stored as flag, text or JSON', () => {
  assert.equal(storage('maintenance'), 'flag');
  assert.equal(storage('automated_clean'), 'flag');
  assert.equal(storage('driver_info'), 'json');
  assert.equal(storage('traits'), 'json');
  assert.equal(storage('uuid'), 'text');
  assert.equal(storage('provision_state'), 'text');
  assert.equal(storage('updated_at'), 'text');
});

test('only reservation and conductor are computed when a node is read', () => {
  assert.deepEqual(
    namesWhere(nodeFields, ({ computed }) => computed === true),
    ['reservation', 'conductor'],
  );
});
