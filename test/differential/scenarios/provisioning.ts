// Provision verbs: which of them the states enroll, manageable and available refuse at which version, and the transitions between
// these states.
import { type Conversation, uuid } from '../conversation.ts';
import type { Scenario } from './scenario.ts';

const NODE = uuid(1);
const MISSING = uuid(999);

/** The verbs, each with the first minor API version that accepts it, and one that does not exist. */
const VERBS = [
  ['manage', 4],
  ['provide', 4],
  ['inspect', 6],
  ['clean', 15],
  ['active', 1],
  ['deploy', 73],
  ['rebuild', 1],
  ['deleted', 1],
  ['undeploy', 1],
  ['abort', 13],
  ['adopt', 17],
  ['rescue', 38],
  ['unrescue', 38],
  ['unhold', 85],
  ['service', 87],
  ['unknown', 1],
] as const;

async function ask(both: Conversation, verb: string, more: object = {}): Promise<void> {
  await both.send('PUT', `/v1/nodes/${NODE}/states/provision`, { body: { target: verb, ...more } });
  await both.settled(NODE);
  await both.sendAll(`GET /v1/nodes/${NODE}`, `GET /v1/nodes/${NODE}/states`);
}

async function enrol(both: Conversation, fields: object = {}): Promise<void> {
  await both.quietly('DELETE', `/v1/nodes/${NODE}`);
  await both.quietly('POST', '/v1/nodes', {
    uuid: NODE,
    name: 'n',
    driver: 'fake-hardware',
    resource_class: 'gold',
    ...fields,
  });
}

/** Sends the verbs that the node's state refuses (all but `allowed`), each at its first version, the one before and the newest. */
async function refusals(both: Conversation, allowed: readonly string[]): Promise<void> {
  for (const [verb, since] of VERBS) {
    if (allowed.includes(verb)) continue;
    for (const minor of both.versions(since - 1, since, both.maximum).filter((one) => one > 0))
      await both.at(minor).send('PUT', `/v1/nodes/${NODE}/states/provision`, { body: { target: verb } });
  }
}

const STEP = { interface: 'bios', step: 'factory_reset' };

/** Provision requests whose arguments are wrong, missing, empty or those of another verb. */
const ARGUMENTS: readonly object[] = [
  { target: null },
  { target: 5 },
  { target: 'manage', unknown: 1 },
  { target: 'manage', clean_steps: [] },
  { target: 'manage', deploy_steps: [] },
  { target: 'manage', rescue_password: 'x' },
  { target: 'manage', disable_ramdisk: true },
  { target: 'manage', configdrive: 'x' },
  { target: 'manage', runbook: 'none' },
  { target: 'manage', service_steps: [] },
  { target: 'clean' },
  { target: 'clean', clean_steps: [] },
  { target: 'clean', clean_steps: 'text' },
  { target: 'clean', clean_steps: {} },
  { target: 'clean', clean_steps: [{}] },
  { target: 'clean', clean_steps: [{ interface: 'bios' }] },
  { target: 'clean', clean_steps: [{ ...STEP, interface: 'none' }] },
  { target: 'clean', clean_steps: [{ ...STEP, args: [] }] },
  { target: 'clean', clean_steps: [{ ...STEP, unknown: 1 }] },
  { target: 'clean', clean_steps: [{ ...STEP, order: 'text' }] },
  { target: 'clean', clean_steps: [STEP], disable_ramdisk: 'maybe' },
  { target: 'clean', clean_steps: [STEP], configdrive: 'aGk=' },
  { target: 'clean', clean_steps: [STEP], runbook: 'none' },
  { target: 'clean', runbook: 'none' },
  { target: 'clean', runbook: '' },
  { target: 'adopt', configdrive: 'x' },
];

const ACTIVE_ARGUMENTS: readonly object[] = [
  { configdrive: '§' },
  { configdrive: 5 },
  { configdrive: [] },
  { configdrive: { unknown: 1 } },
  { configdrive: { meta_data: 5 } },
  { configdrive: { user_data: 5 } },
  { deploy_steps: 'text' },
  { deploy_steps: [{}] },
  { deploy_steps: [{ ...STEP, args: {} }] },
  { deploy_steps: [{ ...STEP, args: {}, priority: 'text' }] },
  { deploy_steps: [{ ...STEP, args: {}, priority: -1 }] },
  { rescue_password: 'x' },
  { clean_steps: [STEP] },
  { disable_ramdisk: true },
  { service_steps: [STEP] },
];

/** From enroll to available, to manageable and back, with refused requests on the way; then maintenance and retirement. */
export const provisioning: Scenario = async (both) => {
  for (const body of [undefined, '', '{', {}, [], { target: 'manage', more: 1 }])
    for (const node of [NODE, MISSING])
      await both.send('PUT', `/v1/nodes/${node}/states/provision`, { body });
  await enrol(both);
  await refusals(both, ['manage']);
  for (const body of ARGUMENTS) {
    await both.send('PUT', `/v1/nodes/${NODE}/states/provision`, { body });
    await both.settled(NODE);
  }
  await enrol(both);
  await ask(both, 'manage');
  await refusals(both, ['provide', 'inspect', 'adopt', 'clean']);
  for (const body of ARGUMENTS.slice(10))
    await both.send('PUT', `/v1/nodes/${NODE}/states/provision`, { body });
  await ask(both, 'inspect');
  await ask(both, 'provide');
  await refusals(both, ['manage', 'active', 'deploy']);
  for (const more of ACTIVE_ARGUMENTS)
    await both.send('PUT', `/v1/nodes/${NODE}/states/provision`, { body: { target: 'active', ...more } });
  await both.sendAll(
    `PUT /v1/nodes/${NODE}/states/provision?target=manage`,
    `GET /v1/nodes/${NODE}`,
    `GET /v1/nodes/${NODE}/history`,
    `GET /v1/nodes/${NODE}/inventory`,
    `PUT /v1/nodes/n/states/provision?target=provide`,
  );
  await both.settled(NODE);
  await both.sendAll(
    `GET /v1/nodes/${NODE}`,
    `POST /v1/nodes/${NODE}/states/provision?target=manage`,
    `GET /v1/nodes/${NODE}/states/provision`,
  );
  await both.at(1).sendAll(`GET /v1/nodes/${NODE}`, 'GET /v1/nodes/detail');
  await inMaintenance(both);
  await retired(both);
};

async function inMaintenance(both: Conversation): Promise<void> {
  await enrol(both);
  await both.quietly('PUT', `/v1/nodes/${NODE}/maintenance`, { reason: 'broken' });
  for (const verb of ['manage', 'inspect', 'provide', 'active', 'rebuild', 'deleted', 'clean', 'rescue'])
    if (verb === 'clean') await ask(both, verb, { clean_steps: [STEP] });
    else await ask(both, verb);
  await both.sendAll(`DELETE /v1/nodes/${NODE}`);
}

async function retired(both: Conversation): Promise<void> {
  await enrol(both);
  await ask(both, 'manage');
  const set = (...operations: readonly object[]) =>
    both.send('PATCH', `/v1/nodes/${NODE}`, { body: operations });
  await set({ op: 'add', path: '/retired_reason', value: 'old' });
  await set(
    { op: 'add', path: '/retired', value: true },
    { op: 'add', path: '/retired_reason', value: 'old' },
  );
  await ask(both, 'provide');
  await set({ op: 'replace', path: '/retired', value: false });
  await ask(both, 'provide');
  await set({ op: 'add', path: '/retired', value: true });
  await set({ op: 'add', path: '/protected', value: true });
  await set({ op: 'add', path: '/instance_uuid', value: uuid(700) });
  await set({ op: 'add', path: '/instance_uuid', value: uuid(701) });
  await both.sendAll(`DELETE /v1/nodes/${NODE}`);
  await set({ op: 'remove', path: '/instance_uuid' });
  await set({ op: 'add', path: '/resource_class', value: 'silver' });
  await both.sendAll(`DELETE /v1/nodes/${NODE}`);
}
