import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

test('health is JSON when Accept includes JSON, and otherwise HTML', async (t) => {
  const session = await startInProcess(t, { ini: '[healthcheck]\nenabled = yes\n' });
  const asked = (accept?: string) =>
    session.app.fetch(
      new Request('http://localhost/healthcheck', { headers: accept === undefined ? {} : { accept } }),
    );
  const json = await asked('text/plain, application/json;q=0.9');
  assert.deepEqual(
    [json.status, await json.text(), json.headers.get('content-type')],
    [200, '{"detailed":false,"reasons":[]}', 'application/json'],
  );
  for (const accept of [undefined, '*/*', 'text/html'])
    assert.equal((await asked(accept)).headers.get('content-type'), 'text/html');
});

test('/healthcheck returns 404 unless enabled', async (t) => {
  const session = await startInProcess(t);
  assert.equal((await session.request('GET', '/healthcheck')).status, 404);
});

test('/healthcheck matches exactly and ignores the API version', async (t) => {
  const session = await startInProcess(t, { ini: '[healthcheck]\nenabled = yes\n' });
  const accept = 'application/json';
  for (const asked of [{}, ...['1.1', '9.9'].map((each) => ({ 'x-openstack-ironic-api-version': each }))]) {
    const options = { version: null, headers: { accept, ...asked } };
    assert.equal((await session.request('GET', '/healthcheck', options)).status, 200);
  }
  for (const where of ['/healthcheck/', '/v1/healthcheck', '/healthcheck/x'])
    assert.equal((await session.request('GET', where)).status, 404, where);
});
