import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { startAbleSession, uuidOf } from '../../../fakes/daemon/able-session.ts';
import { refused } from '../../../fakes/clients/api-replies.ts';

const api = await startAbleSession({ after });

const get = (node: string, id = '') => api.request('GET', `${node}/management/indicators${id}`);
const put = (node: string, id: string, state: unknown) =>
  api.request('PUT', `${node}/management/indicators/${id}`, { body: { state } });

interface Shown {
  readonly name: string;
  readonly component: string;
  readonly readonly: boolean;
  readonly states: readonly string[];
  readonly links: readonly { readonly href: string; readonly rel: string }[];
}

test('the indicators of a node are listed with the states that each can have', async () => {
  const node = await api.createNode('fake-hardware');
  const { status, json } = await api.request('GET', `${node}/management/indicators`, { version: 1 });
  assert.equal(status, 200);
  const { indicators } = json as { indicators: readonly Shown[] };
  assert.deepEqual(
    indicators.map(({ name, component, readonly, states }) => ({ name, component, readonly, states })),
    [
      { name: 'led-0@chassis', component: 'chassis', readonly: true, states: ['off', 'on'] },
      { name: 'led@system', component: 'system', readonly: false, states: ['blinking', 'off', 'on'] },
    ],
  );
  const [self, bookmark] = indicators[0]?.links ?? [];
  assert.ok(self?.href.endsWith(`${node}/management/indicators/led-0@chassis`));
  assert.equal(bookmark?.rel, 'bookmark');
});

test('PUT changes the state of an indicator, and GET shows it', async () => {
  const node = await api.createNode('able-hardware');
  assert.deepEqual((await get(node, '/uid@chassis')).body, { state: 'off' });
  const reply = await put(node, 'uid%40chassis', 'blinking');
  assert.equal(reply.status, 204);
  assert.deepEqual((await get(node, '/uid@chassis')).body, { state: 'blinking' });
});

test('the name of an indicator may contain @', async () => {
  const node = await api.createNode('able-hardware');
  assert.deepEqual((await get(node, '/psu@1@power')).body, { state: 'off' });
});

test('an indicator of fake-hardware is on and cannot be changed', async () => {
  const node = await api.createNode('fake-hardware');
  assert.deepEqual((await get(node, '/led@system')).body, { state: 'on' });
  assert.match(refused(await put(node, 'led@system', 'off'), 400), /does not support set_indicator_state/);
});

test('unknown and malformed indicators are refused', async () => {
  const node = await api.createNode('able-hardware');
  assert.match(refused(await get(node, '/led@chassis'), 400), /has no led@chassis.*uid@chassis, psu@1@power/);
  refused(await get(node, '/uid@roof'), 400);
  refused(await put(node, 'uid@system', 'on'), 400);
  assert.match(refused(await get(node, '/uid'), 400), /uid is not a name and a component/);
  refused(await get(node, '/chassis/uid'), 404);
});

test('an unsupported state and a change of a read-only indicator are refused', async () => {
  const node = await api.createNode('able-hardware');
  assert.match(refused(await put(node, 'uid@chassis', 'unknown'), 400), /expected one of off, on, blinking/);
  assert.match(refused(await put(node, 'uid@chassis', 'red'), 400), /red is not one of/);
  assert.match(refused(await put(node, 'psu@1@power', 'on'), 400), /it is read-only/);
  refused(await put(node, 'uid@chassis', undefined), 400);
  assert.deepEqual((await api.settled(node)).driver_internal_info, {});
});

test('reading or changing an indicator needs the lock of the node, but listing indicators does not', async () => {
  const node = await api.createNode('able-hardware');
  const release = api.services.locks.tryAcquire(uuidOf(node));
  assert.equal((await get(node)).status, 200);
  refused(await get(node, '/uid@chassis'), 409);
  refused(await put(node, 'uid@chassis', 'on'), 409);
  release?.();
});

test('a driver without indicators refuses the list and a change', async () => {
  const node = await api.createNode('manual-management');
  assert.match(refused(await get(node), 400), /does not support indicators/);
  refused(await put(node, 'uid@chassis', 'on'), 400);
});

const interrupt = (node: string, options = {}) =>
  api.request('PUT', `${node}/management/inject_nmi`, options);

test('inject_nmi with an empty body or without a body interrupts the machine', async () => {
  const node = await api.createNode('able-hardware');
  for (const options of [{}, { body: {} }]) assert.equal((await interrupt(node, options)).status, 204);
  assert.deepEqual((await api.settled(node)).driver_internal_info, { interrupts: 2 });
});

test('inject_nmi needs 1.29, the lock and a driver that supports it, and refuses arguments', async () => {
  const node = await api.createNode('able-hardware');
  refused(await interrupt(node, { version: 28 }), 404);
  refused(await interrupt(node, { body: { hard: true } }), 400);
  const release = api.services.locks.tryAcquire(uuidOf(node));
  refused(await interrupt(node), 409);
  release?.();
  const fake = await api.createNode('fake-hardware');
  assert.match(refused(await interrupt(fake), 400), /does not support inject_nmi/);
});
