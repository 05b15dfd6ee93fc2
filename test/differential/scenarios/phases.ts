// The phases of a node's life with fake-hardware, end to end: cleaning, deployment, rescue, service, adoption.
import { type Conversation, uuid } from '../conversation.ts';
import type { Scenario } from './scenario.ts';

const NODE = uuid(1);
const AT = `/v1/nodes/${NODE}`;
const STEP = { interface: 'bios', step: 'factory_reset' };

/** Requests the provision verb `target`, waits until neither side works on the node, and compares the node and its states. */
async function go(both: Conversation, target: string, more: object = {}): Promise<void> {
  await both.send('PUT', `${AT}/states/provision`, { body: { target, ...more } });
  await both.settled(NODE);
  await both.sendAll(`GET ${AT}`, `GET ${AT}/states`);
}

const patch = (both: Conversation, op: string, path: string, value?: unknown) =>
  both.send('PATCH', AT, { body: [{ op, path, ...(value !== undefined && { value }) }] });

async function reach(both: Conversation, ...verbs: readonly string[]): Promise<void> {
  await both.quietly('POST', '/v1/nodes', {
    uuid: NODE,
    name: 'n',
    driver: 'fake-hardware',
    resource_class: 'gold',
  });
  for (const target of verbs) {
    await both.quietly('PUT', `${AT}/states/provision`, { target });
    await both.settled(NODE);
  }
}

const cleaning: Scenario = async (both) => {
  await reach(both, 'manage');
  await go(both, 'clean', { clean_steps: [STEP] });
  await go(both, 'clean', { clean_steps: [STEP, { interface: 'raid', step: 'delete_configuration' }] });
  await go(both, 'clean', { clean_steps: [{ interface: 'bios', step: 'none' }] });
  await go(both, 'abort');
  await go(both, 'manage');
  await both.sendAll(`DELETE ${AT}/maintenance`);
  const settings = [{ name: 'virtualisation', value: 'on' }];
  await go(both, 'clean', {
    clean_steps: [{ interface: 'bios', step: 'apply_configuration', args: { settings } }],
  });
  await both.sendAll(`GET ${AT}/bios`, `GET ${AT}/bios/virtualisation`, `GET ${AT}/bios/none`);
  await go(both, 'clean', { clean_steps: [{ interface: 'deploy', step: 'hold' }] });
  await go(both, 'unhold');
  await go(both, 'abort');
  await go(both, 'manage');
  await patch(both, 'replace', '/automated_clean', true);
  await go(both, 'provide');
};

const deployment: Scenario = async (both) => {
  await reach(both, 'manage', 'provide');
  await go(both, 'active', { configdrive: 'aGVsbG8=' });
  await patch(both, 'add', '/protected', true);
  await patch(both, 'add', '/protected_reason', 'in use');
  await go(both, 'deleted');
  await go(both, 'rebuild');
  await both.sendAll(`DELETE ${AT}`);
  await patch(both, 'replace', '/protected', false);
  for (const [path, value] of [
    ['/resource_class', 'silver'],
    ['/deploy_interface', 'fake'],
    ['/extra/a', 1],
    ['/instance_uuid', uuid(700)],
    ['/name', 'other'],
  ] as const)
    await patch(both, 'add', path, value);
  await both.send('POST', '/v1/ports', {
    body: { uuid: uuid(11), node_uuid: NODE, address: '52:54:00:00:00:01' },
  });
  await both.send('PATCH', `/v1/ports/${uuid(11)}`, {
    body: [{ op: 'replace', path: '/address', value: '52:54:00:00:00:02' }],
  });
  await go(both, 'rebuild', { configdrive: { meta_data: { a: 1 }, user_data: 'hello' } });
  await both.sendAll(`DELETE ${AT}`);
  await both.sendAll(`PUT ${AT}/maintenance`);
  await go(both, 'rebuild');
  await both.sendAll(`DELETE ${AT}/maintenance`);
  await go(both, 'deploy');
  await go(both, 'deleted');
  await go(both, 'deploy');
  await go(both, 'undeploy');
  await go(both, 'active', { deploy_steps: [{ ...STEP, args: {}, priority: 20 }] });
};

const rescue: Scenario = async (both) => {
  await reach(both, 'manage', 'provide', 'active');
  await go(both, 'rescue');
  await go(both, 'rescue', { rescue_password: ' ' });
  await go(both, 'rescue', { rescue_password: 'secret' });
  await go(both, 'rescue', { rescue_password: 'another' });
  await go(both, 'unrescue');
  await go(both, 'rescue', { rescue_password: 'secret' });
  await go(both, 'deleted');
};

const service: Scenario = async (both) => {
  await reach(both, 'manage', 'provide', 'active');
  await go(both, 'service');
  await go(both, 'service', { service_steps: [{ interface: 'vendor', step: 'log_passthrough' }] });
  await go(both, 'service', { service_steps: [{ interface: 'bios', step: 'none' }] });
  await go(both, 'abort');
};

const adoption: Scenario = async (both) => {
  await reach(both, 'manage');
  await go(both, 'adopt');
  await go(both, 'deleted');
};

export const phases = { cleaning, deployment, rescue, service, adoption };
