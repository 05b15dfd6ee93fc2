import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthAnswer } from '../../../daemon/api/health.ts';
import { startApiSession } from '../../fakes/api-session.ts';

test('health is JSON for who accepts JSON and HTML for others', () => {
  const json = healthAnswer('text/plain, application/json;q=0.9');
  assert.deepEqual(
    [json.status, json.text, json.headers['content-type']],
    [200, '{"detailed":false,"reasons":[]}', 'application/json'],
  );
  for (const accept of [undefined, '*/*', 'text/html'])
    assert.equal(healthAnswer(accept).headers['content-type'], 'text/html');
});

test('the path is not there unless enabled', async () => {
  const session = await startApiSession();
  try {
    assert.equal((await session.request('GET', '/healthcheck')).status, 404);
  } finally {
    await session.stop();
  }
});

test('the path is exact, and versions do not matter to it', async () => {
  const session = await startApiSession({ IRONIC_HEALTHCHECK__ENABLED: 'yes' });
  const headers = { accept: 'application/json' };
  try {
    for (const version of [null, '1.1', '9.9'])
      assert.equal((await session.request('GET', '/healthcheck', { version, headers })).status, 200);
    for (const where of ['/healthcheck/', '/v1/healthcheck', '/healthcheck/x'])
      assert.equal((await session.request('GET', where)).status, 404, where);
  } finally {
    await session.stop();
  }
});
