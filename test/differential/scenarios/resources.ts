// What clients may create and change: each field with each kind of value at the newest version, and with some values at the
// version before the one that introduced the field.
import { allocationFields } from '../../../daemon/model/records/allocation.ts';
import { chassisFields } from '../../../daemon/model/records/chassis.ts';
import type { FieldTable } from '../../../daemon/model/records/fields.ts';
import { inspectionRuleFields } from '../../../daemon/model/rules/inspection-rule.ts';
import { nodeFields } from '../../../daemon/model/records/node.ts';
import { portFields } from '../../../daemon/model/records/port.ts';
import { portgroupFields } from '../../../daemon/model/records/portgroup.ts';
import { deployTemplateFields, runbookFields } from '../../../daemon/model/steps/step-lists.ts';
import { volumeConnectorFields, volumeTargetFields } from '../../../daemon/model/records/volume.ts';
import { type Conversation, uuid } from '../conversation.ts';
import { type Scenario, SPECIMENS } from './scenario.ts';

interface Resource {
  readonly path: string;
  readonly since: number;
  readonly fields: FieldTable;
  /** The body of a record that can be created, without its UUID. */
  readonly body: Readonly<Record<string, unknown>>;
}

const NODE = uuid(1);
const RECORD = uuid(5);
const step = { interface: 'bios', step: 'factory_reset', args: {} };

const resources: readonly Resource[] = [
  { path: 'nodes', since: 1, fields: nodeFields, body: { driver: 'fake-hardware' } },
  { path: 'ports', since: 1, fields: portFields, body: { node_uuid: NODE, address: '52:54:00:00:00:01' } },
  { path: 'portgroups', since: 23, fields: portgroupFields, body: { node_uuid: NODE } },
  { path: 'chassis', since: 1, fields: chassisFields, body: {} },
  {
    path: 'volume/connectors',
    since: 32,
    fields: volumeConnectorFields,
    body: { node_uuid: NODE, type: 'iqn', connector_id: 'iqn.2017-05.org.example:one' },
  },
  {
    path: 'volume/targets',
    since: 32,
    fields: volumeTargetFields,
    body: { node_uuid: NODE, volume_type: 'iscsi', volume_id: 'v1', boot_index: 0 },
  },
  { path: 'allocations', since: 52, fields: allocationFields, body: { resource_class: 'none-such' } },
  {
    path: 'deploy_templates',
    since: 55,
    fields: deployTemplateFields,
    body: { name: 'CUSTOM_TEMPLATE', steps: [{ ...step, priority: 1 }] },
  },
  {
    path: 'runbooks',
    since: 92,
    fields: runbookFields,
    body: { name: 'CUSTOM_RUNBOOK', steps: [{ ...step, order: 1 }] },
  },
  {
    path: 'inspection_rules',
    since: 96,
    fields: inspectionRuleFields,
    body: { conditions: [], actions: [{ op: 'fail', args: { msg: 'no' } }] },
  },
];

/** Creates a node that the records can belong to, and powers it off. */
async function prepare(both: Conversation): Promise<void> {
  await both.quietly('POST', '/v1/nodes', { uuid: NODE, name: 'owner', driver: 'fake-hardware' });
  await both.quietly('PUT', `/v1/nodes/${NODE}/states/power`, { target: 'power off' });
  await both.settled(NODE);
}

const sinceOf = ({ fields, since }: Resource, name: string) => Math.max(fields[name]?.since ?? 1, since);
/** Each version that introduces fields, preceded by the version before it. */
const gatesOf = (resource: Resource) =>
  [...new Set(Object.keys(resource.fields).map((name) => sinceOf(resource, name)))].flatMap((since) => [
    since - 1,
    since,
  ]);
const namesOf = ({ fields }: Resource) => [...Object.keys(fields), 'links', 'unknown'];

const creating =
  (resource: Resource): Scenario =>
  async (both) => {
    await prepare(both);
    const { path, body } = resource;
    const create = async (given: object, version = both.maximum) => {
      const answers = await both.send('POST', `/v1/${path}`, { version, body: { uuid: RECORD, ...given } });
      await both.undo(answers, `/v1/${path}/${RECORD}`);
    };
    for (const version of both.versions(...gatesOf(resource))) await create(body, version);
    for (const name of Object.keys(body)) await create({ ...body, [name]: undefined });
    for (const name of namesOf(resource)) {
      for (const value of SPECIMENS) await create({ ...body, [name]: value });
      for (const version of both.versions(sinceOf(resource, name) - 1))
        for (const value of ['text', null, {}, true]) await create({ ...body, [name]: value }, version);
    }
    for (const text of ['{', '[]', 'null', '5', '"text"', '', '{}'])
      await both.send('POST', `/v1/${path}`, { body: text });
    for (let again = 0; again < 2; again += 1)
      await both.send('POST', `/v1/${path}`, { body: { uuid: RECORD, ...body } });
    await both.send('POST', `/v1/${path}`, { body: { uuid: uuid(6), ...body } });
    await both.send('DELETE', `/v1/${path}/${uuid(6)}`);
    await both.send('DELETE', `/v1/${path}/${RECORD}`);
    await both.send('DELETE', `/v1/${path}/${RECORD}`);
  };

const OPERATIONS = ['add', 'replace', 'remove'] as const;

const patching =
  (resource: Resource): Scenario =>
  async (both) => {
    await prepare(both);
    const { path, body } = resource;
    const place = `/v1/${path}/${RECORD}`;
    const patch = (operations: unknown, version = both.maximum) =>
      both.send('PATCH', place, { version, body: operations });
    const renew = async () => {
      await both.quietly('DELETE', place);
      await both.quietly('POST', `/v1/${path}`, { uuid: RECORD, ...body });
    };
    for (const name of namesOf(resource)) {
      await renew();
      for (const value of SPECIMENS) await patch([{ op: 'replace', path: `/${name}`, value }]);
      for (const op of OPERATIONS) {
        await renew();
        for (const inner of ['', '/key', '/key/inner', '/0', '/-'])
          await patch([{ op, path: `/${name}${inner}`, ...(op !== 'remove' && { value: 'text' }) }]);
        await patch([{ op, path: `/${name}` }]);
        for (const version of both.versions(sinceOf(resource, name) - 1))
          await patch([{ op, path: `/${name}`, value: 'text' }], version);
      }
    }
    await renew();
    await malformedPatches(both, place);
    await both.quietly('DELETE', place);
  };

const forEach = (
  verb: string,
  scenario: (resource: Resource) => Scenario,
): Readonly<Record<string, Scenario>> =>
  Object.fromEntries(
    resources.map((resource) => [
      `${verb}-${resource.path.replace('/', '-')}`,
      (both: Conversation) => (resource.since <= both.maximum ? scenario(resource)(both) : Promise.resolve()),
    ]),
  );

export const resourceScenarios = { ...forEach('create', creating), ...forEach('patch', patching) };

async function malformedPatches(both: Conversation, place: string): Promise<void> {
  const bodies: readonly unknown[] = [
    '',
    '{',
    {},
    [],
    [[]],
    [5],
    ['text'],
    null,
    [{}],
    [{ op: 'add' }],
    [{ path: '/extra/a', value: 1 }],
    [{ op: 'add', path: '/extra/a', value: 1, from: '/extra/b' }],
    [{ op: 'add', path: '/extra/a', value: 1, other: 1 }],
    ...['test', 'move', 'copy', 'ADD', '', 5].map((op) => [
      { op, path: '/extra/a', from: '/extra', value: 1 },
    ]),
    ...[
      '',
      '/',
      'extra',
      '/extra/',
      '/extra/a b',
      '/extra/a.b',
      '/extra//a',
      '/extra/ä',
      '/extra/a:b',
      5,
    ].map((path) => [{ op: 'add', path, value: 1 }]),
    [
      { op: 'add', path: '/extra/a~1b', value: 1 },
      { op: 'remove', path: '/extra/a~1b' },
    ],
    [
      { op: 'add', path: '/extra/first', value: 1 },
      { op: 'remove', path: '/extra/second' },
    ],
    [
      { op: 'add', path: '/extra/list', value: [1, 2] },
      { op: 'add', path: '/extra/list/-', value: 3 },
      { op: 'add', path: '/extra/list/0', value: 0 },
      { op: 'remove', path: '/extra/list/1' },
      { op: 'replace', path: '/extra/list/0', value: { deep: null } },
    ],
    [{ op: 'add', path: '/extra/list/9', value: 1 }],
    [{ op: 'add', path: '/extra/list/text', value: 1 }],
    [{ op: 'remove', path: '/extra/list/-' }],
    [{ op: 'remove', path: '/extra' }],
    [{ op: 'replace', path: '/extra', value: { 'a.b': 1 } }],
  ];
  for (const body of bodies) await both.send('PATCH', place, { body });
}
