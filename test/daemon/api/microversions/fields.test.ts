import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import {
  ACTIVE,
  ALLOCATION,
  CHASSIS,
  CONNECTOR,
  HISTORY,
  NODE,
  PORTGROUP,
  RULE,
  startPopulated,
  TARGET,
} from '../../../fakes/daemon/populated-api.ts';

// from the API reference: a version and the fields that are shown since then.
// The tables of nodes and ports are in record-view.test.ts.
const chassis = '1: uuid description extra created_at updated_at nodes links';
const portgroup = `
23: uuid address name node_uuid extra internal_info standalone_ports_supported created_at updated_at ports links
26: mode properties
102: physical_network
103: category
111: dynamic_portgroup`;
const connector = '32: uuid node_uuid type connector_id extra created_at updated_at links';
const target =
  '32: uuid node_uuid volume_type volume_id boot_index properties extra created_at updated_at links';
const allocation = `
52: uuid name candidate_nodes extra resource_class traits state last_error node_uuid created_at updated_at links
60: owner`;
const deployTemplate = '55: uuid name steps extra created_at updated_at links';
const runbook = `
92: uuid name steps disable_ramdisk extra public owner created_at updated_at links
112: description traits`;
const rule = '96: uuid description priority phase sensitive conditions actions created_at updated_at links';
const conductor = '49: hostname conductor_group alive drivers created_at updated_at links';
const driver = `
1: name hosts links
14: properties
30: type`;
const wholeDriver = `${driver}
30: ${both('boot console deploy inspect management network power raid vendor')}
33: ${both('storage')}
38: ${both('rescue')}
40: ${both('bios')}
86: ${both('firmware')}`;
const states = `
1: console_enabled last_error power_state provision_state target_power_state target_provision_state
1: provision_updated_at
12: raid_config target_raid_config
75: boot_mode secure_boot`;
const shortHistory = '78: uuid created_at severity event links';
const history = `${shortHistory}
78: event_type conductor user
113: project
115: state target_provision_state duration_seconds`;
const shortBios = '40: name value created_at updated_at links';
const bios = `${shortBios}
74: attribute_type allowable_values lower_bound upper_bound min_length max_length
74: read_only reset_required unique`;
const firmware = `
86: component initial_version current_version last_version_flashed created_at updated_at
114: vendor model serial_number`;
const versionDocument = `
1: id links media_types version chassis nodes ports drivers
22: lookup heartbeat
23: portgroups
32: volume
49: conductors
52: allocations
54: events
55: deploy_templates
82: shards
84: continue_inspection
92: runbooks
96: inspection_rules`;
const nodeSummary = `
1: uuid instance_uuid maintenance power_state provision_state links
5: name`;

function both(types: string): string {
  return types
    .split(' ')
    .map((type) => `default_${type}_interface enabled_${type}_interfaces`)
    .join(' ');
}

interface View {
  readonly path: string;
  /** Where the answer holds the record, such as `ports/0`; not set: the answer is the record. */
  readonly at?: string;
  readonly table: string;
  /** The first version that returns 200, if it is not the first of the table. */
  readonly since?: number;
  /** The status of requests with an older version; not set: 404. If 400, versions without the endpoint still answer 404. */
  readonly below?: number;
}

const N = `/v1/nodes/${NODE}`;
const views: readonly View[] = [
  { path: '/', table: '1: name description default_version versions' },
  { path: '/v1', table: versionDocument },
  { path: `/v1/chassis/${CHASSIS}`, table: chassis },
  { path: '/v1/chassis/detail', at: 'chassis/0', table: chassis },
  { path: '/v1/chassis', at: 'chassis/0', table: '1: uuid description links' },
  { path: '/v1/chassis?detail=true', at: 'chassis/0', table: chassis, since: 43, below: 400 },
  { path: `/v1/chassis/${CHASSIS}/nodes`, at: 'nodes/0', table: nodeSummary },
  { path: `/v1/portgroups/${PORTGROUP}`, table: portgroup },
  { path: '/v1/portgroups/detail', at: 'portgroups/0', table: portgroup },
  { path: '/v1/portgroups', at: 'portgroups/0', table: '23: uuid address name links' },
  { path: `${N}/portgroups`, at: 'portgroups/0', table: '24: uuid address name links' },
  { path: `${N}/portgroups/detail`, at: 'portgroups/0', table: portgroup, since: 24 },
  { path: `${N}/ports`, at: 'ports/0', table: '1: uuid address links' },
  { path: `/v1/portgroups/${PORTGROUP}/ports`, at: 'ports/0', table: '24: uuid address links' },
  { path: '/v1/volume', table: '32: links connectors targets' },
  { path: `${N}/volume`, table: '32: links connectors targets' },
  { path: `/v1/volume/connectors/${CONNECTOR}`, table: connector },
  { path: '/v1/volume/connectors?detail=true', at: 'connectors/0', table: connector },
  {
    path: '/v1/volume/connectors',
    at: 'connectors/0',
    table: '32: uuid node_uuid type connector_id links',
  },
  { path: `${N}/volume/connectors?detail=true`, at: 'connectors/0', table: connector },
  { path: `/v1/volume/targets/${TARGET}`, table: target },
  { path: '/v1/volume/targets?detail=true', at: 'targets/0', table: target },
  {
    path: '/v1/volume/targets',
    at: 'targets/0',
    table: '32: uuid node_uuid volume_type boot_index volume_id links',
  },
  { path: `${N}/volume/targets?detail=true`, at: 'targets/0', table: target },
  { path: `/v1/allocations/${ALLOCATION}`, table: allocation },
  { path: '/v1/allocations', at: 'allocations/0', table: allocation },
  { path: `/v1/nodes/${ACTIVE}/allocation`, table: allocation },
  { path: '/v1/deploy_templates/CUSTOM_TEMPLATE', table: deployTemplate },
  { path: '/v1/deploy_templates?detail=true', at: 'deploy_templates/0', table: deployTemplate },
  { path: '/v1/deploy_templates', at: 'deploy_templates/0', table: '55: uuid name links' },
  { path: '/v1/runbooks/CUSTOM_RUNBOOK', table: runbook },
  { path: '/v1/runbooks?detail=true', at: 'runbooks/0', table: runbook },
  { path: '/v1/runbooks', at: 'runbooks/0', table: '92: uuid name links' },
  { path: '/v1/runbooks/CUSTOM_RUNBOOK/traits', table: '112: traits' },
  { path: `/v1/inspection_rules/${RULE}`, table: rule },
  { path: '/v1/inspection_rules?detail=true', at: 'inspection_rules/0', table: rule },
  {
    path: '/v1/inspection_rules',
    at: 'inspection_rules/0',
    table: '96: uuid description priority phase links',
  },
  { path: '/v1/conductors/lab-host', table: conductor },
  { path: '/v1/conductors?detail=true', at: 'conductors/0', table: conductor },
  { path: '/v1/conductors', at: 'conductors/0', table: '49: hostname conductor_group alive links' },
  { path: '/v1/drivers', at: 'drivers/0', table: driver },
  { path: '/v1/drivers?detail=true', at: 'drivers/0', table: wholeDriver, since: 30, below: 406 },
  { path: '/v1/drivers/fake-hardware', table: wholeDriver },
  { path: `${N}/states`, table: states },
  { path: `${N}/states/console`, table: '1: console_enabled console_info' },
  { path: `${N}/management/boot_device`, table: '1: boot_device persistent' },
  { path: `${N}/management/boot_device/supported`, table: '1: supported_boot_devices' },
  {
    path: `${N}/management/indicators`,
    at: 'indicators/0',
    table: '1: name component readonly states links',
  },
  { path: `${N}/management/indicators/uid@chassis`, table: '1: state' },
  {
    path: `${N}/validate`,
    table: '1: bios boot console deploy firmware inspect management network power raid rescue storage',
  },
  {
    path: `${N}/vendor_passthru/methods`,
    at: 'echo',
    table: '1: http_methods async description attach require_exclusive_lock',
  },
  { path: `${N}/history`, at: 'history/0', table: shortHistory },
  { path: `${N}/history?detail=true`, at: 'history/0', table: history },
  { path: `${N}/history/detail`, at: 'history/0', table: history },
  { path: `${N}/history/${HISTORY}`, table: history },
  { path: `${N}/inventory`, table: '81: inventory plugin_data' },
  { path: `${N}/bios`, at: 'bios/0', table: shortBios },
  { path: `${N}/bios?detail=true`, at: 'bios/0', table: bios, since: 74, below: 400 },
  { path: `${N}/bios/VT`, at: 'VT', table: bios },
  { path: `${N}/firmware`, at: 'firmware/0', table: firmware },
  { path: `${N}/traits`, table: '37: traits', below: 406 },
  { path: `${N}/vifs`, table: '28: vifs' },
  { path: `${N}/children`, table: '83: children links' },
  { path: `${N}/vmedia`, at: '0', table: '93: media_types inserted image' },
  { path: '/v1/shards', at: 'shards/0', table: '82: name count' },
];

interface Entry {
  readonly name: string;
  readonly since: number;
}

const entriesOf = (table: string): readonly Entry[] =>
  table
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [since, names = ''] = line.split(': ');
      return names.split(' ').map((name) => ({ name, since: Number(since) }));
    });

const firstOf = (entries: readonly Entry[]) => Math.min(...entries.map(({ since }) => since));

const versions = Array.from({ length: 115 }, (_, at) => at + 1);
const api = await startPopulated({ after });

function part(json: unknown, at: string | undefined): object {
  const found = (at?.split('/') ?? []).reduce<unknown>(
    (place, name) => (place as Readonly<Record<string, unknown>> | undefined)?.[name],
    json,
  );
  assert.ok(typeof found === 'object' && found !== null, `nothing at ${at}: ${JSON.stringify(json)}`);
  return found;
}

for (const { path, at, table, since, below } of views) {
  test(`GET ${path} shows exactly the fields of each version`, async () => {
    const entries = entriesOf(table);
    const first = since ?? firstOf(entries);
    const endpointSince = firstOf(entries);
    for (const version of versions) {
      const { status, json, text } = await api.request('GET', path, { version });
      const which = `1.${version} ${text}`;
      const refusal = version < endpointSince && path !== '/v1/drivers?detail=true' ? 404 : (below ?? 404);
      assert.equal(status, version >= first ? 200 : below === 406 ? 406 : refusal, which);
      if (status !== 200) continue;
      const expected = entries.filter((entry) => entry.since <= version).map(({ name }) => name);
      assert.deepEqual(Object.keys(part(json, at)).toSorted(), expected.toSorted(), which);
    }
  });
}

/** A path whose answers show the fields that `?fields=` names. */
interface Chosen {
  readonly path: string;
  readonly at?: string;
  readonly table: string;
  /** The first version in which the path accepts `?fields=`. */
  readonly since: number;
  /** The status of a request for a field that is newer than the version of the request. */
  readonly newer: 400 | 406;
  /** The status of a request with `?fields=` and a version older than `since`. */
  readonly below: number;
  readonly always: readonly string[];
}

const links = ['links'];
const withDates = ['created_at', 'updated_at', 'links'];
const plain = { newer: 406, below: 404, always: links } as const;
const chosen: readonly Chosen[] = [
  {
    ...plain,
    path: `/v1/chassis/${CHASSIS}`,
    table: '1: uuid description extra created_at updated_at',
    since: 8,
    below: 406,
  },
  {
    ...plain,
    path: '/v1/chassis',
    at: 'chassis/0',
    table: '1: uuid description extra',
    since: 8,
    below: 406,
  },
  { ...plain, path: `/v1/portgroups/${PORTGROUP}`, table: portgroup.replace(' ports links', ''), since: 23 },
  {
    ...plain,
    path: '/v1/portgroups',
    at: 'portgroups/0',
    table: portgroup.replace(' ports links', ''),
    since: 23,
  },
  { ...plain, path: '/v1/volume/connectors', at: 'connectors/0', table: connector, since: 32 },
  { ...plain, path: `/v1/volume/targets/${TARGET}`, table: target, since: 32 },
  { ...plain, path: '/v1/allocations', at: 'allocations/0', table: allocation, since: 52 },
  { ...plain, path: `/v1/nodes/${ACTIVE}/allocation`, table: allocation, since: 52 },
  { ...plain, path: '/v1/deploy_templates', at: 'deploy_templates/0', table: deployTemplate, since: 55 },
  { ...plain, path: '/v1/runbooks/CUSTOM_RUNBOOK', table: runbook, since: 92 },
  { ...plain, path: '/v1/inspection_rules', at: 'inspection_rules/0', table: rule, since: 96 },
  { ...plain, path: '/v1/conductors/lab-host', table: conductor, since: 49 },
  { ...plain, path: '/v1/drivers/fake-hardware', table: wholeDriver, since: 77, below: 406 },
  { ...plain, path: '/v1/drivers', at: 'drivers/0', table: wholeDriver, since: 77, below: 406 },
  {
    ...plain,
    path: `${N}/firmware`,
    at: 'firmware/0',
    table: firmware,
    since: 86,
    newer: 400,
    always: withDates.slice(0, 2),
  },
  { path: `${N}/bios`, at: 'bios/0', table: bios, since: 74, newer: 400, below: 400, always: withDates },
];

for (const { path, at, table, since, newer, below, always } of chosen) {
  test(`GET ${path}?fields= returns each field since its version`, async () => {
    for (const { name, since: fieldSince } of entriesOf(table)) {
      for (const version of versions.filter((each) => each >= Math.max(since - 1, 1))) {
        const { status, json, text } = await api.request('GET', `${path}?fields=${name}`, { version });
        const which = `${name} 1.${version} ${text}`;
        const expected = version < since ? below : version < fieldSince ? newer : 200;
        assert.equal(status, expected, which);
        if (status !== 200) continue;
        const names = [...new Set([name, ...always])].toSorted();
        assert.deepEqual(Object.keys(part(json, at)).toSorted(), names, which);
      }
    }
    const { status } = await api.request('GET', `${path}?fields=no_such_field`);
    assert.equal(status, 400);
  });
}
