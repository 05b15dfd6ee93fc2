// Lookups by agents. test/plugins/redfish/shown/quirks.ts lists the quirks of BMCs by their numbers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const MAC = '52:54:00:00:00:09';

test('an agent that did not boot from the CD of its node has no token, and its heartbeat is refused', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  await daemon.createPort(uuid, MAC);
  daemon.services.db.nodes.update(uuid, {
    provision_state: 'wait call-back',
    driver_internal_info: { agent_secret_token: 'on-the-CD', agent_secret_token_pregenerated: true },
  });
  const looked = await daemon.request('GET', `/v1/lookup?addresses=${MAC}`);
  const { agent_token } = looked.body['config'] as { readonly agent_token: string };
  assert.deepEqual([looked.status, agent_token], [200, '******']);
  const beat = (token: string) =>
    daemon.request('POST', `/v1/heartbeat/${uuid}`, {
      body: { callback_url: 'http://192.0.2.9:9999', agent_version: '9.0', agent_token: token },
    });
  assert.match((await beat(agent_token)).fault, /token/i);
  assert.equal(daemon.node(uuid).driver_internal_info['agent_url'], undefined);
});
