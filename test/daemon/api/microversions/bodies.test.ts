import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import {
  CHASSIS,
  CONNECTOR,
  PORTGROUP,
  RULE,
  startPopulated,
  TARGET,
} from '../../../fakes/daemon/populated-api.ts';

const NOTHING = '00000000-0000-4000-8000-0000000000ff';
const versions = Array.from({ length: 115 }, (_, at) => at + 1);
const api = await startPopulated({ after });

// from the API reference: the first version of each field; POST refuses a field without P, PATCH a field without U.
// The tables of nodes and ports are in record-view.test.ts.
interface Written {
  readonly path: string;
  readonly one: string;
  readonly since: number;
  /** The body of a new record, to which a field is added. */
  readonly body: object;
  readonly fields: string;
}

const step = { interface: 'bios', step: 'x', args: {} };
const written: readonly Written[] = [
  {
    path: '/v1/chassis',
    one: `/v1/chassis/${CHASSIS}`,
    since: 1,
    body: {},
    fields: '1: uuid:PU description:PU extra:PU created_at updated_at links nodes',
  },
  {
    path: '/v1/portgroups',
    one: `/v1/portgroups/${PORTGROUP}`,
    since: 23,
    body: { node_uuid: NOTHING },
    fields: `23: uuid:P address:PU name:PU node_uuid:PU extra:PU standalone_ports_supported:PU internal_info
23: physical_network:PU category:PU dynamic_portgroup created_at updated_at links ports
26: mode:PU properties:PU`,
  },
  {
    path: '/v1/volume/connectors',
    one: `/v1/volume/connectors/${CONNECTOR}`,
    since: 32,
    body: { node_uuid: NOTHING, type: 'ip', connector_id: 'c' },
    fields: '32: uuid:P node_uuid:PU type:PU connector_id:PU extra:PU created_at updated_at links',
  },
  {
    path: '/v1/volume/targets',
    one: `/v1/volume/targets/${TARGET}`,
    since: 32,
    body: { node_uuid: NOTHING, volume_type: 'iscsi', volume_id: 'v', boot_index: 5 },
    fields: `32: uuid:P node_uuid:PU volume_type:PU volume_id:PU boot_index:PU properties:PU extra:PU
32: created_at updated_at links`,
  },
  {
    path: '/v1/allocations',
    one: '/v1/allocations/use',
    since: 52,
    body: {},
    fields: `52: uuid:P name:PU candidate_nodes:P extra:PU resource_class:P traits:P state last_error node_uuid
52: created_at updated_at links
60: owner:P`,
  },
  {
    path: '/v1/deploy_templates',
    one: '/v1/deploy_templates/CUSTOM_TEMPLATE',
    since: 55,
    body: { name: 'CUSTOM_X', steps: [{ ...step, priority: 1 }] },
    fields: '55: uuid:P name:PU steps:PU extra:PU description:PU created_at updated_at links',
  },
  {
    path: '/v1/runbooks',
    one: '/v1/runbooks/CUSTOM_RUNBOOK',
    since: 92,
    body: { name: 'CUSTOM_X', steps: [{ ...step, order: 1 }] },
    fields: `92: uuid:P name:PU steps:PU disable_ramdisk:PU extra:PU public:PU owner:PU traits created_at links
112: description:PU`,
  },
  {
    path: '/v1/inspection_rules',
    one: `/v1/inspection_rules/${RULE}`,
    since: 96,
    body: { actions: [] },
    fields: `96: uuid:P description:PU priority:PU phase:PU sensitive:PU conditions:PU actions:PU
96: created_at updated_at links`,
  },
];

const sampleOf = (name: string): unknown => {
  if (name === 'steps' || name === 'actions') return [];
  if (/traits|nodes|conditions/.test(name)) return [];
  if (/properties|extra/.test(name)) return {};
  if (/supported|public|ramdisk|sensitive/.test(name)) return true;
  if (name.endsWith('uuid')) return NOTHING;
  return /index|priority/.test(name) ? 7 : name === 'address' ? '52:54:00:00:00:77' : 'main';
};

const entriesOf = (table: string) =>
  table.split('\n').flatMap((line) => {
    const [since, fields = ''] = line.split(': ');
    return fields.split(' ').map((field) => {
      const [name = '', access = ''] = field.split(':');
      return { name, access, since: Number(since) };
    });
  });

for (const { path, one, since: first, body, fields } of written) {
  test(`POST ${path} accepts its fields since their versions, answers 406 before and refuses other fields`, async () => {
    for (const { name, access, since } of entriesOf(fields)) {
      for (const version of versions.slice(first - 1)) {
        const sent = { [name]: sampleOf(name), ...body };
        const { status, fault } = await api.request('POST', path, { version, body: sent });
        const which = `${name} 1.${version} ${status} ${fault}`;
        assert.equal(status === 406, access.includes('P') && version < since, which);
        assert.equal(/Additional properties/.test(fault), !access.includes('P'), which);
      }
    }
  });

  test(`PATCH ${one} accepts its fields since their versions, answers 406 before and refuses other fields`, async () => {
    for (const { name, access, since } of entriesOf(fields)) {
      for (const version of versions.slice((path === '/v1/allocations' ? 57 : first) - 1)) {
        // the second operation always fails, and the whole patch with it
        const operations = [
          { op: 'replace', path: `/${name}`, value: sampleOf(name) },
          { op: 'replace', path: '/uuid/none', value: 1 },
        ];
        const { status, fault } = await api.request('PATCH', one, { version, body: operations });
        const which = `${name} 1.${version} ${status} ${fault}`;
        assert.equal(status === 406, access.includes('U') && version < since, which);
        assert.equal(fault.includes(`Cannot patch /${name}.`), !access.includes('U'), which);
      }
    }
  });
}
