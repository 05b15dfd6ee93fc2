// How SQLite reads lists: through an index, except a list that is sorted by a field without one.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openDatabase } from '../../../../daemon/db/open.ts';
import { nodeConditions, type NodeFilters } from '../../../../daemon/db/tables/nodes.ts';
import { type Condition, pageTail, type Paging } from '../../../../daemon/db/tables/paging.ts';
import { portConditions, type PortFilters } from '../../../../daemon/db/tables/ports.ts';
import { type FieldTable, storageOf } from '../../../../daemon/model/records/fields.ts';
import { interfaceFields } from '../../../../daemon/model/machine/interface-types.ts';
import { nodeFields } from '../../../../daemon/model/records/node.ts';
import { portFields } from '../../../../daemon/model/records/port.ts';

const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-test-'));
const { connection, close } = openDatabase(join(folder, 'ironic-edge.sqlite'));
after(() => {
  close();
  rmSync(folder, { recursive: true });
});

function planOf(
  table: string,
  conditions: readonly Condition[],
  order: Partial<Paging> = {},
): readonly string[] {
  const paging = { limit: 10, sortKey: 'id', descending: false, ...order };
  const { sql, values } = pageTail(table, conditions, paging);
  const rows = connection.prepare(`EXPLAIN QUERY PLAN SELECT * FROM ${table} ${sql}`).all(...values);
  return (rows as { detail: string }[]).map(({ detail }) => detail);
}

/** Free texts have no index because it would store each text twice. */
const FREE_TEXTS = new Set([
  'description',
  'last_error',
  'maintenance_reason',
  'protected_reason',
  'retired_reason',
]);

/** A list sorted by one of these fields scans all records. Such lists are rare, and an index would slow down writes. */
const RARELY_SORTED = new Set([
  'target_power_state',
  'target_provision_state',
  'inspection_started_at',
  'inspection_finished_at',
  'console_enabled',
  'automated_clean',
  'protected',
  'boot_mode',
  'secure_boot',
  'disable_power_off',
  'health',
  'allocation_uuid',
]);

const withoutIndex = (table: string, field: string): string =>
  `${table} has no index on ${field}: create it in the migration that adds the field, or add the field to FREE_TEXTS or RARELY_SORTED`;

const sortKeys = (fields: FieldTable) =>
  Object.entries(fields)
    .filter(
      ([name, field]) =>
        field.computed !== true &&
        storageOf(field) !== 'json' &&
        !FREE_TEXTS.has(name) &&
        !RARELY_SORTED.has(name),
    )
    .map(([name]) => name);

const always = nodeConditions({ includeChildren: false });

test('a list sorted by an indexed field is read from the index, starting at the marker', () => {
  for (const [table, fields, conditions] of [
    ['nodes', nodeFields, always],
    ['ports', portFields, []],
  ] as const)
    for (const sortKey of sortKeys(fields)) {
      for (const descending of [false, true])
        for (const value of ['x', null]) {
          const order = { sortKey, descending };
          for (const plan of [
            planOf(table, conditions, order),
            planOf(table, conditions, { ...order, after: { value, uuid: 'x' } }),
          ]) {
            assert.match(
              plan[0] ?? '',
              new RegExp(`^(SCAN|SEARCH) ${table} USING INDEX`),
              withoutIndex(table, sortKey),
            );
            assert.ok(!plan.some((step) => step.includes('TEMP B-TREE')), `${sortKey}: ${plan.join(', ')}`);
          }
        }
      const second = planOf(table, conditions, { sortKey, after: { value: 'x', uuid: 'x' } });
      assert.match(second[0] ?? '', /^SEARCH/, sortKey);
    }
});

const texts = [
  'instance_uuid',
  'chassis_uuid',
  'driver',
  'resource_class',
  'provision_state',
  'fault',
] as const;
const more = ['conductor_group', 'owner', 'lessee', 'parent_node', 'instance_name'] as const;
const flags = ['maintenance', 'retired', 'auto_discovered'] as const;
const nodeFilters: readonly NodeFilters[] = [
  ...[...texts, ...more, ...interfaceFields].map((name) => ({ equal: { [name]: 'x' } })),
  ...flags.flatMap((name) => [{ equal: { [name]: true } }, { equal: { [name]: false } }]),
  ...[true, false].flatMap((isSet) => [{ associated: isSet }, { sharded: isSet }]),
  { descriptionContains: 'x' },
];

const portFilters: readonly PortFilters[] = [
  { equal: { node_uuid: 'x' } },
  { equal: { portgroup_uuid: 'x' } },
  { equal: { address: 'x' } },
  { descriptionContains: 'x' },
];

function comesFromIndex(filters: object, [first = '', ...rest]: readonly string[]): void {
  assert.match(first, /^(SEARCH|SCAN) \w+ USING INDEX/, JSON.stringify(filters));
  assert.deepEqual(rest, [], JSON.stringify(filters));
}

test('a filtered list is read from an index in order of creation', () => {
  for (const filters of nodeFilters)
    comesFromIndex(filters, planOf('nodes', nodeConditions({ ...filters, includeChildren: false })));
  for (const filters of portFilters) comesFromIndex(filters, planOf('ports', portConditions(filters)));
});

test('filtering by several shards, or by a project as owner or lessee, uses an index instead of scanning all nodes', () => {
  for (const filters of [{ project: 'x' }, { shards: ['x', 'y'] }])
    for (const step of planOf('nodes', nodeConditions({ ...filters, includeChildren: false })))
      assert.doesNotMatch(step, /^SCAN nodes/);
});

test('a sorted list with a broad filter is read from the index of the sort key', () => {
  const broad: readonly NodeFilters[] = [
    ...['driver', 'conductor_group', ...interfaceFields].map((name) => ({ equal: { [name]: 'x' } })),
    ...flags.map((name) => ({ equal: { [name]: false } })),
    { associated: false },
    { sharded: false },
  ];
  for (const filters of broad) {
    const conditions = nodeConditions({ ...filters, includeChildren: false });
    assert.deepEqual(planOf('nodes', conditions, { sortKey: 'updated_at' }), [
      'SCAN nodes USING INDEX nodes_updated_at',
    ]);
  }
});
