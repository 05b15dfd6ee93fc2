import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApp } from '../../../daemon/http/app.ts';
import type { Endpoint } from '../../../daemon/http/answer.ts';
import { listen } from '../../../daemon/listener/listen.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

test('an open endpoint outside the API can stream with its own content type, and needs no login and no API version', async (t) => {
  const { services } = await startInProcess(t);
  let send: ReadableStreamDefaultController<Uint8Array> | undefined;
  let ended = 0;
  const events: Endpoint = {
    path: '/events',
    isOpen: () => true,
    answer: () => ({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      content: new ReadableStream({
        start: (controller) => void (send = controller),
        cancel: () => void (ended += 1),
      }),
    }),
  };
  const { fetch: answer } = createApp({
    services,
    routes: [],
    authentication: {
      authenticate: () => Promise.reject(new Error('no login is expected')),
      signIn: undefined,
    },
    beforeApi: [events],
    subjectOf: () => ({}),
    answered: () => undefined,
  });
  const listener = await listen(
    answer,
    { section: 'api', address: { kind: 'tcp', host: '127.0.0.1', port: 0 }, tls: null },
    services,
  );
  t.after(() => {
    listener.closeConnections();
    return listener.close();
  });
  const head = await fetch(`${listener.url}/events`, { method: 'HEAD' });
  assert.deepEqual([head.status, await head.text(), ended], [200, '', 1]);
  const response = await fetch(`${listener.url}/events`, {
    headers: { 'x-openstack-ironic-api-version': '9.9', accept: 'text/event-stream' },
  });
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const reader = response.body?.getReader();
  for (const text of ['data: one\n\n', 'data: two\n\n']) {
    send?.enqueue(new TextEncoder().encode(text));
    assert.equal(new TextDecoder().decode((await reader?.read())?.value), text);
  }
  await reader?.cancel();
});
