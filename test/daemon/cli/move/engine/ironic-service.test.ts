import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiClient } from '../../../../../daemon/cli/api-client.ts';
import { find } from '../../../../../daemon/cli/move/engine/ironic-service.ts';
import { startListening } from '../../../../fakes/daemon/listening-daemon.ts';
import { httpServer } from '../../../../fakes/services/http-server.ts';

test('only the API itself can say that there is no node: the answer of a proxy is an error', async (t) => {
  const { url } = await startListening(t, {});
  assert.equal(await find(createApiClient({ OS_ENDPOINT: url }), '/v1/nodes/absent'), undefined);
  for (const [status, text] of [
    [404, '<html>Not Found</html>'],
    [404, '{"error": "no route"}'],
    [404, ''],
    [200, '<html>Log in</html>'],
    [200, '[]'],
    [200, ''],
  ] as const) {
    const { port } = await httpServer(t, (_, response) => void response.writeHead(status).end(text));
    const api = createApiClient({ OS_ENDPOINT: `http://127.0.0.1:${port}` });
    await assert.rejects(find(api, '/v1/nodes/absent'), `${status} ${text}`);
  }
});
