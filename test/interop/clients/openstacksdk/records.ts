// openstacksdk's calls that create, get, list, update, patch, delete and find records; some kinds have no call to find one.
import assert from 'node:assert/strict';
import { MISSING, type Site } from '../site.ts';
import type { Result, Scenario, Scenarios } from '../library.ts';

interface RecordKind {
  /** The word for one record, as in `create_port`. */
  readonly one: string;
  /** The call that lists the records. */
  readonly many: string;
  readonly path: string;
  /** Attributes of a new record, under the SDK's names. Those that must be unique differ each time. */
  readonly attributes: (site: Site) => Promise<Readonly<Record<string, unknown>>>;
  /** What an update changes: the attribute, the field of the API, and the value. */
  readonly update: readonly [attribute: string, field: string, value: unknown];
  /** The attribute whose value `find_...` is given; absent for a kind without this call. */
  readonly foundBy?: 'id' | 'name';
  /** The arguments that list records with all their fields; by default, `details` is true. */
  readonly long?: object;
}

type Action = (kind: RecordKind) => Scenario;

const make = async (kind: RecordKind, site: Site, sdk: Parameters<Scenario>[0]): Promise<Result> =>
  sdk.record(`create_${kind.one}`, [], await kind.attributes(site));

const idOf = (record: Result) => String(record['id']);
const ids = (records: readonly Result[]) => records.map(idOf);

const create: Action = (kind) => async (sdk, site) => {
  const attributes = await kind.attributes(site);
  const made = await sdk.record(`create_${kind.one}`, [], attributes);
  assert.partialDeepStrictEqual(made, attributes);
  assert.equal((await site.shown(`${kind.path}/${idOf(made)}`)).uuid, made['id']);
  // the UUID is taken
  assert.match(await sdk.refused(`create_${kind.one}`, [], { ...attributes, id: made['id'] }), /409/);
};

const get: Action = (kind) => async (sdk, site) => {
  const made = await make(kind, site, sdk);
  const { location: _, ...got } = await sdk.record(`get_${kind.one}`, [idOf(made)]);
  assert.partialDeepStrictEqual(got, { id: made['id'], created_at: made['created_at'] });
  const [attribute, field] = kind.update;
  const narrow = await sdk.record(`get_${kind.one}`, [idOf(made)], { fields: ['uuid', field] });
  assert.deepEqual(
    [narrow['id'], narrow[attribute], narrow['created_at']],
    [made['id'], made[attribute], null],
  );
  assert.match(await sdk.refused(`get_${kind.one}`, [MISSING]), /NotFound.*could not be found/);
};

const find: Action = (kind) => async (sdk, site) => {
  const made = await make(kind, site, sdk);
  const found = await sdk.record(`find_${kind.one}`, [made[kind.foundBy ?? 'id']]);
  assert.equal(found['id'], made['id']);
  assert.equal(await sdk.done(`find_${kind.one}`, [MISSING]), null);
};

const list: Action = (kind) => async (sdk, site) => {
  const made = [await make(kind, site, sdk), await make(kind, site, sdk)];
  assert.deepEqual(ids(await sdk.records(kind.many)).slice(-2), ids(made));
  // one record per page
  assert.deepEqual(ids(await sdk.records(kind.many, [], { limit: 1 })).slice(-2), ids(made));
  const long = await sdk.records(kind.many, [], kind.long ?? { details: true });
  assert.equal(long.at(-1)?.['created_at'], made[1]?.['created_at']);
  const narrow = await sdk.records(kind.many, [], { fields: ['uuid'] });
  assert.deepEqual([narrow.at(-1)?.['id'], narrow.at(-1)?.['created_at']], [made[1]?.['id'], null]);
};

const update: Action = (kind) => async (sdk, site) => {
  const made = await make(kind, site, sdk);
  const [attribute, field, value] = kind.update;
  const updated = await sdk.record(`update_${kind.one}`, [idOf(made)], { [attribute]: value });
  assert.deepEqual(updated[attribute], value);
  assert.deepEqual((await site.shown(`${kind.path}/${idOf(made)}`))[field], value);
  assert.match(
    await sdk.refused(`update_${kind.one}`, [MISSING], { [attribute]: value }),
    /NotFound.*could not be found/,
  );
};

const patch: Action = (kind) => async (sdk, site) => {
  const made = await make(kind, site, sdk);
  const [attribute, field, value] = kind.update;
  const record = { is: { call: `get_${kind.one}`, args: [idOf(made)] } };
  const patched = await sdk.record(`patch_${kind.one}`, [record, [{ op: 'add', path: `/${field}`, value }]]);
  assert.deepEqual(patched[attribute], value);
  assert.deepEqual((await site.shown(`${kind.path}/${idOf(made)}`))[field], value);
  const forbidden = [{ op: 'add', path: '/created_at', value: 'never' }];
  assert.match(await sdk.refused(`patch_${kind.one}`, [record, forbidden]), /BadRequest.*created_at/);
};

const remove: Action = (kind) => async (sdk, site) => {
  const made = await make(kind, site, sdk);
  await sdk.done(`delete_${kind.one}`, [idOf(made)]);
  await site.gone(`${kind.path}/${idOf(made)}`);
  assert.equal(await sdk.done(`delete_${kind.one}`, [MISSING]), null);
  const missing = await sdk.refused(`delete_${kind.one}`, [MISSING], { ignore_missing: false });
  assert.match(missing, /NotFound.*could not be found/);
};

const nodeId = async (site: Site) => (await site.node()).uuid;
const traitName = (site: Site) => site.name('CUSTOM').replace('-', '_');
const EXTRA = ['extra', 'extra', { a: 1 }] as const;

const kinds: readonly RecordKind[] = [
  {
    one: 'allocation',
    many: 'allocations',
    path: '/v1/allocations',
    attributes: async (site) => ({ name: site.name('wish'), resource_class: 'none-such', extra: {} }),
    update: EXTRA,
    long: {},
  },
  {
    one: 'chassis',
    many: 'chassis',
    path: '/v1/chassis',
    attributes: async () => ({ description: 'rack', extra: {} }),
    update: ['description', 'description', 'rack7'],
    foundBy: 'id',
  },
  {
    one: 'deploy_template',
    many: 'deploy_templates',
    path: '/v1/deploy_templates',
    attributes: async (site) => ({
      name: traitName(site),
      steps: [{ interface: 'bios', step: 'apply_configuration', args: {}, priority: 10 }],
      extra: {},
    }),
    update: EXTRA,
    foundBy: 'name',
  },
  {
    one: 'inspection_rule',
    many: 'inspection_rules',
    path: '/v1/inspection_rules',
    attributes: async () => ({
      description: 'words',
      priority: 5,
      conditions: [],
      actions: [{ op: 'fail', args: { msg: 'no' } }],
    }),
    update: ['description', 'description', 'other words'],
    // the SDK sends its argument `details` under a name that the API does not know; `detail` is sent as it is
    long: { detail: true },
  },
  {
    one: 'port',
    many: 'ports',
    path: '/v1/ports',
    attributes: async (site) => ({ node_id: await nodeId(site), address: site.mac(), is_pxe_enabled: true }),
    update: ['is_pxe_enabled', 'pxe_enabled', false],
    foundBy: 'id',
  },
  {
    one: 'port_group',
    many: 'port_groups',
    path: '/v1/portgroups',
    attributes: async (site) => ({
      node_id: await nodeId(site),
      name: site.name('bond'),
      is_standalone_ports_supported: true,
    }),
    update: ['is_standalone_ports_supported', 'standalone_ports_supported', false],
    foundBy: 'name',
  },
  {
    one: 'runbook',
    many: 'runbooks',
    path: '/v1/runbooks',
    attributes: async (site) => ({
      name: site.name('book'),
      steps: [{ interface: 'bios', step: 'apply_configuration', args: {}, order: 1 }],
      description: 'words',
    }),
    update: ['description', 'description', 'other words'],
  },
  {
    one: 'volume_connector',
    many: 'volume_connectors',
    path: '/v1/volume/connectors',
    attributes: async (site) => ({
      node_id: (await site.poweredOff()).uuid,
      type: 'iqn',
      connector_id: site.name('iqn.2017-07.org.example'),
    }),
    update: EXTRA,
    foundBy: 'id',
  },
  {
    one: 'volume_target',
    many: 'volume_targets',
    path: '/v1/volume/targets',
    attributes: async (site) => ({
      node_id: (await site.poweredOff()).uuid,
      volume_type: 'iscsi',
      boot_index: 0,
      volume_id: 'v1',
    }),
    update: ['volume_id', 'volume_id', 'v2'],
    foundBy: 'id',
  },
  {
    one: 'node',
    many: 'nodes',
    path: '/v1/nodes',
    attributes: async (site) => ({
      driver: 'fake-hardware',
      name: site.name('node'),
      provision_state: 'enroll',
      extra: {},
    }),
    update: EXTRA,
    foundBy: 'name',
  },
];

export const recordCalls: Scenarios = Object.fromEntries(
  kinds.flatMap((kind) => [
    [`create_${kind.one}`, create(kind)],
    [`get_${kind.one}`, get(kind)],
    [kind.many, list(kind)],
    [`update_${kind.one}`, update(kind)],
    [`patch_${kind.one}`, patch(kind)],
    [`delete_${kind.one}`, remove(kind)],
    ...(kind.foundBy === undefined ? [] : ([[`find_${kind.one}`, find(kind)]] as const)),
  ]),
);
