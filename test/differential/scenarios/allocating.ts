// Allocations that find a node or none, and requests that link a node with an allocation or separate the two.
import { type Conversation, uuid } from '../conversation.ts';
import type { Scenario } from './scenario.ts';

const NODE = uuid(1);
const OTHER = uuid(2);
const ALLOCATION = uuid(91);

async function settled(both: Conversation, allocation: string): Promise<void> {
  await both.until(`/v1/allocations/${allocation}`, (document) => document['state'] !== 'allocating');
  await both.sendAll(
    `GET /v1/allocations/${allocation}`,
    `GET /v1/nodes/${NODE}`,
    `GET /v1/nodes/${NODE}/allocation`,
  );
}

export const allocating: Scenario = async (both) => {
  for (const node of [NODE, OTHER]) {
    const name = node === NODE ? 'wanted' : 'other';
    await both.quietly('POST', '/v1/nodes', {
      uuid: node,
      name,
      driver: 'fake-hardware',
      resource_class: 'gold',
    });
    await both.quietly('PUT', `/v1/nodes/${node}/traits`, { traits: ['CUSTOM_A'] });
    await both.quietly('PUT', `/v1/nodes/${node}/states/power`, { target: 'power off' });
    await both.settled(node);
    for (const target of ['manage', 'provide']) {
      await both.quietly('PUT', `/v1/nodes/${node}/states/provision`, { target });
      await both.settled(node);
    }
  }
  const allocate = async (fields: object) => {
    await both.send('POST', '/v1/allocations', { body: { uuid: ALLOCATION, ...fields } });
    await settled(both, ALLOCATION);
  };
  const release = () => both.sendAll(`DELETE /v1/allocations/${ALLOCATION}`, `GET /v1/nodes/${NODE}`);
  for (const fields of [
    { resource_class: 'gold', name: 'wanted' },
    { resource_class: 'gold', candidate_nodes: ['wanted'] },
    { resource_class: 'gold', candidate_nodes: [NODE], traits: ['CUSTOM_A'] },
    { resource_class: 'gold', candidate_nodes: [NODE], traits: ['CUSTOM_B'] },
    { resource_class: 'silver' },
    { resource_class: 'gold', candidate_nodes: [uuid(999)] },
    { node: 'wanted' },
    { node: uuid(999) },
    { node: 'wanted', resource_class: 'silver' },
    { resource_class: 'gold', node: 'wanted', candidate_nodes: ['wanted'] },
    {},
  ]) {
    await allocate(fields);
    await release();
  }
  await allocate({ resource_class: 'gold', name: 'wanted' });
  await both.send('POST', '/v1/allocations', { body: { uuid: ALLOCATION, resource_class: 'gold' } });
  await both.send('POST', '/v1/allocations', {
    body: { uuid: uuid(92), name: 'wanted', resource_class: 'gold' },
  });
  await both.sendAll(
    `GET /v1/allocations?node=${NODE}`,
    'GET /v1/allocations?node=wanted',
    'GET /v1/allocations?node=none',
    'GET /v1/allocations?state=active',
    'GET /v1/allocations/wanted',
    'GET /v1/nodes/wanted/allocation?fields=uuid,node_uuid',
    `GET /v1/nodes?associated=true&fields=uuid`,
    `DELETE /v1/nodes/${NODE}`,
  );
  for (const [op, path, value] of [
    ['replace', '/name', 'renamed'],
    ['add', '/extra/a', 1],
    ['replace', '/resource_class', 'silver'],
    ['remove', '/name', undefined],
  ])
    await both.send('PATCH', `/v1/allocations/${ALLOCATION}`, { body: [{ op, path, value }] });
  await both.send('PATCH', `/v1/nodes/${NODE}`, { body: [{ op: 'remove', path: '/instance_uuid' }] });
  await both.sendAll(`GET /v1/allocations/${ALLOCATION}`, `DELETE /v1/nodes/${NODE}/allocation`);
  await allocate({ resource_class: 'gold', candidate_nodes: ['wanted'] });
  await both.sendAll(`DELETE /v1/nodes/${NODE}/allocation`, `GET /v1/nodes/${NODE}`);
};
