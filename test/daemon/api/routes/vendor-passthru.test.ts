import assert from 'node:assert/strict';
import { request as httpRequest } from 'node:http';
import test, { after } from 'node:test';
import { text } from 'node:stream/consumers';
import { createNode } from '../../../../daemon/conductor/records/node-records.ts';
import { ABLE_PLUGINS, startAbleSession, uuidOf } from '../../../fakes/daemon/able-session.ts';
import { refused } from '../../../fakes/clients/api-replies.ts';
import { startListening } from '../../../fakes/daemon/listening-daemon.ts';

const api = await startAbleSession({ after });

const call = (verb: string, path: string, body?: unknown) => api.request(verb, path, { version: 1, body });

test('a vendor method is called with POST, PUT, PATCH and DELETE, and gets the query and the body merged', async () => {
  const node = await api.createNode('able-hardware');
  for (const verb of ['POST', 'PUT', 'PATCH', 'DELETE']) {
    const { status, body } = await call(verb, `${node}/vendor_passthru/echo?a=1&b=2`, { b: [3] });
    assert.equal(status, 200);
    assert.deepEqual(body, { verb, given: { a: '1', b: [3] } });
  }
});

test('the query may name the method', async () => {
  const node = await api.createNode('able-hardware');
  const { body } = await call('PUT', `${node}/vendor_passthru?method=echo&a=1`, { method: 'mine' });
  assert.deepEqual(body, { verb: 'PUT', given: { a: '1', method: 'mine' } });
  assert.match(refused(await call('POST', `${node}/vendor_passthru`, {}), 400), /parameter: method/);
});

// fetch refuses to send a GET with a body
test('a method receives the body of a GET', async (t) => {
  const environment = {
    IRONIC_PLUGINS__PATH: ABLE_PLUGINS,
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'able-hardware',
  };
  const { services, url } = await startListening(t, { environment });
  const { uuid } = createNode(services, { driver: 'able-hardware' });
  const payload = JSON.stringify({ id: 'x' });
  const headers = { 'content-length': payload.length };
  const answer = await new Promise<string>((resolve, reject) => {
    httpRequest(
      `${url}/v1/nodes/${uuid}/vendor_passthru?method=echo`,
      { method: 'GET', headers },
      (response) => {
        text(response).then(resolve, reject);
      },
    )
      .on('error', reject)
      .end(payload);
  });
  assert.deepEqual(JSON.parse(answer), { verb: 'GET', given: { id: 'x' } });
});

test('the answer to a call is the bare JSON value that the method returns, or null if it returns none', async () => {
  const node = await api.createNode('fake-hardware');
  const third = (bar: string) => call('POST', `${node}/vendor_passthru/third_method_sync`, { bar });
  assert.equal((await third('meow')).json, true);
  assert.equal((await third('woof')).json, false);
  const able = await api.createNode('able-hardware');
  const silent = await call('GET', `${able}/vendor_passthru/silence`);
  assert.deepEqual([silent.status, silent.json], [200, null]);
});

test('a background method returns 202 without a body, and its failure sets last_error', async () => {
  const node = await api.createNode('able-hardware');
  const kept = await call('POST', `${node}/vendor_passthru/keep`, { x: 1 });
  assert.deepEqual(
    [kept.status, kept.json, kept.headers.get('content-type'), kept.headers.get('location')],
    [202, undefined, null, null],
  );
  assert.deepEqual((await api.settled(node)).driver_internal_info, { kept: { x: 1 } });
  assert.equal((await call('POST', `${node}/vendor_passthru/lose`)).status, 202);
  assert.equal(
    (await api.settled(node)).last_error,
    `Failed to run the vendor method lose: The vendor interface able of plugin able failed in nodeMethods.lose.call on node ${node.slice(node.lastIndexOf('/') + 1)}: gone`,
  );
});

test('a fault from a method is returned unchanged, and another error returns 500', async () => {
  const node = await api.createNode('able-hardware');
  assert.equal(refused(await call('POST', `${node}/vendor_passthru/refuse`), 409), 'not now');
  assert.equal(
    refused(await call('POST', `${node}/vendor_passthru/burn`), 500),
    `The vendor interface able of plugin able failed in nodeMethods.burn.call on node ${node.slice(node.lastIndexOf('/') + 1)}: smoke`,
  );
});

test('methods need the lock of the node unless they declare otherwise', async () => {
  const node = await api.createNode('able-hardware');
  const release = api.services.locks.tryAcquire(uuidOf(node));
  refused(await call('GET', `${node}/vendor_passthru/silence`), 409);
  refused(await call('POST', `${node}/vendor_passthru/keep`), 409);
  assert.equal((await call('GET', `${node}/vendor_passthru/peek`)).body, 'seen');
  assert.equal((await call('POST', `${node}/vendor_passthru/lose`)).status, 202);
  await api.settled(node);
  release?.();
});

test('unknown methods and wrong verbs are refused', async () => {
  const node = await api.createNode('able-hardware');
  assert.match(
    refused(await call('GET', `${node}/vendor_passthru/sing`), 400),
    /has no method sing. It has: echo/,
  );
  refused(await call('GET', `${node}/vendor_passthru/constructor`), 400);
  assert.match(
    refused(await call('GET', `${node}/vendor_passthru/keep`), 400),
    /does not accept GET. It accepts: POST/,
  );
  refused(await call('POST', '/v1/nodes/nobody/vendor_passthru/echo'), 404);
  refused(await call('POST', `${node}/vendor_passthru/methods`), 405);
  refused(await call('POST', `${node}/vendor_passthru/echo`, ['a']), 400);
});

test('a missing mandatory argument is refused', async () => {
  const node = await api.createNode('fake-hardware');
  for (const method of ['second_method', 'third_method_sync', 'fourth_method_shared_lock']) {
    for (const body of [undefined, {}, { bar: '' }, { bar: null }]) {
      const reply = await call('POST', `${node}/vendor_passthru/${method}`, body);
      assert.match(refused(reply, 400), /Missing mandatory parameter: bar/);
    }
  }
  assert.equal((await call('POST', `${node}/vendor_passthru/log_passthrough`)).status, 202);
  await api.settled(node);
  assert.equal((await call('POST', `${node}/vendor_passthru/second_method?bar=x`)).status, 202);
  assert.equal((await api.settled(node)).last_error, null);
});

test('the methods of a node are described', async () => {
  const node = await api.createNode('fake-hardware');
  const { status, body } = await call('GET', `${node}/vendor_passthru/methods`);
  assert.equal(status, 200);
  const methods = body as Record<string, { description: string }>;
  assert.deepEqual(Object.keys(methods), [
    'second_method',
    'third_method_sync',
    'fourth_method_shared_lock',
    'log_passthrough',
  ]);
  const { description, ...fourth } = methods['fourth_method_shared_lock'] ?? { description: '' };
  assert.ok(description.length > 0);
  assert.deepEqual(fourth, {
    http_methods: ['POST'],
    async: true,
    attach: false,
    require_exclusive_lock: false,
  });
});

test('a driver without vendor methods lists none and refuses calls', async () => {
  const node = await api.createNode('manual-management');
  assert.deepEqual((await call('GET', `${node}/vendor_passthru/methods`)).json, {});
  assert.match(refused(await call('POST', `${node}/vendor_passthru/echo`), 400), /does not support vendor/);
  const driver = '/v1/drivers/manual-management/vendor_passthru';
  assert.deepEqual((await call('GET', `${driver}/methods`)).json, {});
  assert.match(refused(await call('POST', `${driver}/echo`), 400), /does not support vendor/);
});

test('a driver has its own methods', async () => {
  const driver = '/v1/drivers/able-hardware/vendor_passthru';
  assert.equal((await call('GET', `${driver}/sum?a=1&b=2`)).json, 3);
  assert.equal((await call('POST', `${driver}?method=sum`, { a: 4, b: 5 })).json, 9);
  refused(await call('GET', `${driver}/sum?a=1`), 400);
  refused(await call('PUT', `${driver}/sum`, {}), 400);
  refused(await call('POST', `${driver}/echo`, {}), 400);
  const swept = await call('POST', `${driver}/sweep`);
  assert.deepEqual([swept.status, swept.json], [202, undefined]);
  await api.services.workers.idle();
  const { body } = await call('GET', `${driver}/methods`);
  assert.deepEqual(Object.keys(body as object), ['repeat', 'sum', 'sweep']);
  for (const path of ['methods', 'sum'])
    refused(await call('GET', `/v1/drivers/nothing/vendor_passthru/${path}`), 404);
});
