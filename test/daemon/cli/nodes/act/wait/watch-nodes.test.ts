import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiClient } from '../../../../../../daemon/cli/api-client.ts';
import { watchNodes } from '../../../../../../daemon/cli/nodes/act/wait/watch-nodes.ts';
import { nodeVerbs } from '../../../../../../daemon/cli/nodes/act/node-verbs.ts';
import { httpServer } from '../../../../../fakes/services/http-server.ts';

test('the wait goes on when a proxy answers 503 for a daemon that restarts', async (t) => {
  const node = { uuid: 'u-1', provision_state: 'active', last_error: null, driver_internal_info: {} };
  const statuses = [503, 200, 503, 200, 200];
  const { port } = await httpServer(t, (request, response) => {
    response.writeHead(statuses.shift() ?? 404, { 'content-type': 'application/json' });
    const isStream = request.url?.includes('stream') === true;
    response.end(isStream ? 'data: {"event_type":"begins"}\n\n' : JSON.stringify(node));
  });
  const { deploy: verb } = nodeVerbs;
  assert.ok(verb);
  const [seen, lost]: [string[], string[]] = [[], []];
  await watchNodes({
    api: createApiClient({ OS_ENDPOINT: `http://127.0.0.1:${port}` }),
    pause: async () => {},
    verb,
    nodes: ['u-1'],
    show: (_, { kind }) => void seen.push(kind),
    lost: (reason) => void lost.push(reason),
    signal: AbortSignal.timeout(60_000),
  });
  assert.deepEqual(seen, ['done']);
  assert.deepEqual([lost.length, statuses], [2, []]);
});
