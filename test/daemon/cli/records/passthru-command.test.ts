import assert from 'node:assert/strict';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { httpServer } from '../../../fakes/services/http-server.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runProcess } from '../../../fakes/clients/run-process.ts';

test("a node's vendor methods are listed with their HTTP methods, and called with arguments", async (t) => {
  const { url } = await startListening(t, {});
  await enrolNode(url, { driver: 'fake-hardware', name: 'a', vendor_interface: 'fake' });
  const run = (...words: readonly string[]) => runProcess(url, ['node', 'passthru', ...words]);
  const listed = await run('list', 'a');
  assert.match(listed.out, /^name +http_methods +async +description/);
  assert.match(listed.out, /\nthird_method_sync +\[POST\] +false +Returns whether bar is/);
  assert.deepEqual(await run('call', 'a', 'third_method_sync', 'bar=meow'), {
    code: 0,
    out: 'true\n',
    errors: '',
  });
  assert.equal((await run('call', 'a', 'third_method_sync', 'bar:=7', '--json')).out, 'false\n');
  assert.deepEqual(await run('call', 'a', 'second_method', 'bar=x'), { code: 0, out: '', errors: '' });
  const refused = await run('call', 'a', 'third_method_sync', '--http-method', 'GET');
  assert.equal(refused.code, 4);
  const wrong = await run('call', 'a', 'third_method_sync', '--http-method', 'HEAD');
  assert.equal(wrong.code, 2);
  assert.match(wrong.errors, /--http-method "HEAD": expected one of GET, POST, PUT, PATCH, DELETE/);
});

test('arguments of a vendor method are sent in the query if the HTTP method has no body, otherwise in the body', async (t) => {
  const requests: string[] = [];
  const { port } = await httpServer(t, async (message, response) => {
    const body = await text(message);
    requests.push([message.method, message.url, body].join(' '));
    response.end('{"lamp":{"state":"on"},"fan":{"speed":7}}');
  });
  const call = (...words: readonly string[]) =>
    runProcess(`http://127.0.0.1:${port}`, ['driver', 'passthru', ...words]);
  const { out } = await call('call', 'acme', 'parts', 'rack=1 a', 'deep:=true', '--http-method', 'get');
  assert.equal(out, 'name  state  speed\nlamp  on     -\nfan   -      7\n');
  await call('call', 'acme', 'parts', 'deep:=true', '--http-method', 'PUT');
  await call('call', 'acme', 'reset');
  await call('list', 'acme');
  assert.deepEqual(requests, [
    'GET /v1/drivers/acme/vendor_passthru?method=parts&rack=1+a&deep=true ',
    'PUT /v1/drivers/acme/vendor_passthru?method=parts {"deep":true}',
    'POST /v1/drivers/acme/vendor_passthru?method=reset {}',
    'GET /v1/drivers/acme/vendor_passthru/methods ',
  ]);
});
