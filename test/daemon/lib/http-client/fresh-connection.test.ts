import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { test } from 'node:test';
import { HttpClient } from '../../../../daemon/lib/http-client/http-client.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { httpServer } from '../../../fakes/services/http-server.ts';

test('a request that asks for a new connection gets one, which later requests share; one under way keeps its own', async (t) => {
  const slowly: ServerResponse[] = [];
  const { port, sockets } = await httpServer(t, ({ url }, response) => {
    if (url === '/slow') slowly.push(response);
    else response.end();
  });
  const client = new HttpClient({ url: `http://127.0.0.1:${port}`, clock: fakeClock(), idleSeconds: 60 });
  t.after(() => client.close());
  const send = (url: string, isFresh: boolean) => client.send({ url, timeoutSeconds: 5, isFresh });
  await send('/', false);
  await send('/', true);
  await send('/', false);
  assert.equal(sockets.length, 2);
  const slow = send('/slow', false);
  const change = send('/', true);
  while (slowly.length === 0) await new Promise(setImmediate);
  slowly[0]?.end();
  await Promise.all([slow, change]);
  assert.equal(sockets.length, 2);
});
