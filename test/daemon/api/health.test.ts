import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthAnswer } from '../../../daemon/api/health.ts';
import { startInProcess } from '../../fakes/in-process-daemon.ts';

test('health is JSON for who accepts JSON and HTML for others', () => {
  const json = healthAnswer('text/plain, application/json;q=0.9');
  assert.deepEqual(
    [json.status, json.text, json.headers['content-type']],
    [200, '{"detailed":false,"reasons":[]}', 'application/json'],
  );
  for (const accept of [undefined, '*/*', 'text/html'])
    assert.equal(healthAnswer(accept).headers['content-type'], 'text/html');
});

test('the path is not there unless enabled', async (t) => {
  const session = await startInProcess(t);
  assert.equal((await session.request('GET', '/healthcheck')).status, 404);
});

test('the path is exact, and versions do not matter to it', async (t) => {
  const session = await startInProcess(t, { ini: '[healthcheck]\nenabled = yes\n' });
  const accept = 'application/json';
  for (const asked of [{}, ...['1.1', '9.9'].map((each) => ({ 'x-openstack-ironic-api-version': each }))]) {
    const options = { version: null, headers: { accept, ...asked } };
    assert.equal((await session.request('GET', '/healthcheck', options)).status, 200);
  }
  for (const where of ['/healthcheck/', '/v1/healthcheck', '/healthcheck/x'])
    assert.equal((await session.request('GET', where)).status, 404, where);
});
