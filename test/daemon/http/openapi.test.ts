import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after } from 'node:test';
import { renewEventUrl } from '../../../daemon/conductor/bmc-events/event-token.ts';
import { withTask } from '../../../daemon/conductor/tasks/run-task.ts';
import type { SocketService } from '../../../daemon/lib/socket-service.ts';
import { PageVisitor } from '../../fakes/people/page-visitor.ts';
import { startWithUsers } from '../../fakes/people/daemon-with-users.ts';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import { scriptedProgram } from '../../fakes/machines/open-line.ts';
import { describedOperations } from '../../fakes/clients/described-operations.ts';
import { pluginFolder, pluginManifest } from '../../fakes/plugin-folder.ts';
import { type Call, changing, shown } from '../../fakes/clients/every-operation.ts';
import { NODE, startPopulated } from '../../fakes/daemon/populated-api.ts';
import { openApiSpecValidator, skipWithoutOpenApiTools } from '../../setup/openapi-tools.ts';

const api = await startPopulated({ after });
api.services.timeline.record({ hop: 'dhcp', mac: '52:54:00:00:00:99', text: 'asked for an address' });
const { text, json: document } = await api.request('GET', '/openapi.json', { version: null });
const N = `/v1/nodes/${NODE}`;
const described = describedOperations(document as Readonly<Record<string, unknown>>);

test('the document is valid OpenAPI 3.1', { skip: skipWithoutOpenApiTools() }, () => {
  const file = join(api.stateDirectory, 'openapi.json');
  writeFileSync(file, text);
  assert.match(execFileSync(openApiSpecValidator, [file], { encoding: 'utf8' }), /OK$/m);
  rmSync(file);
});

const heartbeat = { callback_url: 'https://192.0.2.1:9999', agent_version: '9', agent_token: '' };

const succeeded = new Set<string>();

async function call([method, path, body, version = 115]: Call) {
  const operation = described.find(method, path);
  const answer = await api.request(method, path, { body, version });
  described.judge(operation, version, answer);
  if (answer.status < 300) succeeded.add(operation.id);
  if (answer.status < 300 && body !== undefined) described.judgeBody(operation, version, body);
  return answer;
}

test('GET answers match the document exactly at every version that changed them', async () => {
  for (const [method, path] of shown) {
    const operation = described.find(method, path);
    const { since } = operation;
    const plain = !path.includes('?');
    for (const version of described.turningPoints(operation)) {
      const { status } = await call([method, path, undefined, version]);
      if (plain && version >= Math.max(since, path.includes('machine') ? 5 : 1))
        assert.equal(status, 200, `${path} 1.${version}`);
      if (version < since) assert.ok(status >= 400, `${path} 1.${version}`);
    }
  }
});

test('requests that change something and their answers match the document', async () => {
  for (const each of changing) {
    const { status, text: said } = await call(each);
    assert.ok(status < 300, `${each[0]} ${each[1]} ${status} ${said}`);
    await api.services.workers.idle();
  }
});

test('requests of ramdisks and their answers match the document', async () => {
  const { nodes } = api.services.db;
  nodes.update(NODE, { provision_state: 'inspect wait', target_provision_state: 'manageable' });
  const looked = await call(['GET', `/v1/lookup?node_uuid=${NODE}`]);
  const { agent_token } = looked.body['config'] as { agent_token: string };
  await call(['POST', `/v1/heartbeat/${NODE}`, { ...heartbeat, agent_token }]);
  await call(['POST', '/v1/heartbeat', { ...heartbeat, agent_token, node_ident: NODE }]);
  const report = { inventory: { interfaces: [{ name: 'eth0', mac_address: '52:54:00:00:00:02' }] } };
  await call(['POST', `/v1/continue_inspection?node_uuid=${NODE}`, report]);
  await api.services.workers.idle();
});

for (const path of ['/v1/events/stream', '/v1/images/local/fetch'])
  test(`the document and the answer give ${path} the content type text/event-stream`, async () => {
    const operation = described.find('GET', path);
    const headers = { accept: 'text/event-stream' };
    const answer = await api.app.fetch(new Request(`http://ironic.test${path}`, { headers }));
    await answer.body?.cancel();
    assert.match(answer.headers.get('content-type') ?? '', /^text\/event-stream\b/);
    const described200 = operation.responses['200'] as { readonly content: object };
    assert.deepEqual(Object.keys(described200.content), ['text/event-stream']);
    succeeded.add(operation.id);
  });

test('the document says that a console is a WebSocket, and how a request without an upgrade is refused', async (t) => {
  const path = `${N}/states/console/socket`;
  const operation = described.find('GET', path);
  described.judge(operation, 115, await api.request('GET', path));
  const { consoles } = api.services;
  await consoles.open(NODE, async () => scriptedProgram('setInterval(() => {}, 60_000)'));
  t.after(() => consoles.close(NODE, 'The test is over.'));
  const accepted: SocketService[] = [];
  const upgrade = (service: SocketService) => void accepted.push(service);
  await api.app.fetch(new Request(`http://ironic.test${path}`), { upgrade });
  assert.equal(accepted.length, 1);
  accepted[0]?.closed();
  assert.deepEqual(
    Object.keys(operation.responses).filter((status) => status < '400'),
    ['101'],
  );
  assert.ok('426' in operation.responses);
  assert.ok(!('426' in described.find('GET', N).responses));
  succeeded.add(operation.id);
});

test('events that a BMC sends match the document', async () => {
  const url = await withTask({ services: api.services, caller: null }, NODE, renewEventUrl);
  assert.equal((await call(['POST', new URL(url).pathname, { Events: [] }])).status, 204);
});

test('the list of plugins and the reload of a plugin match the document', async (t) => {
  const entryPoints = { 'ironic.hardware.interfaces.power': { acme: './power.ts:acmePower' } };
  const hardwareTypes = { acme: { extends: 'fake-hardware', supported: { power: ['acme'] } } };
  const directory = pluginFolder(t, {
    'acme/plugin.json': pluginManifest('acme', { entryPoints, hardwareTypes }),
    'acme/power.ts': "import { definePower } from '#plugin-api'; export const acmePower = definePower({});",
  });
  await using daemon = await DaemonProcess.start({ IRONIC_PLUGINS__PATH: directory });
  for (const [method, path] of [
    ['GET', '/v1/plugins'],
    ['POST', '/v1/plugins/acme/reload'],
  ] as const) {
    const { status, body } = await daemon.request(method, path);
    assert.equal(status, 200, JSON.stringify(body));
    const operation = described.find(method, path);
    described.judge(operation, 115, { status, text: JSON.stringify(body), json: body });
    succeeded.add(operation.id);
  }
});

test('quarantine and release match the document', async () => {
  const { quarantine } = api.services.db;
  quarantine.addAll('2026-01-01T00:00:00+00:00', 'quarantine: from a backup.');
  assert.equal((await call(['GET', '/v1/quarantine'])).status, 200);
  const release: Call = ['POST', `${N}/quarantine/release`, { unchecked: true }];
  const released = await call(release);
  assert.equal((await call(['POST', `${N}/quarantine`, { handed_to: 'http://192.0.2.9:6385' }])).status, 204);
  await call(release);
  assert.equal(released.status, 200, released.text);
});

test('users with tokens and sessions match the document', async (t) => {
  const daemon = await startWithUsers(t);
  const visitor = new PageVisitor(daemon.app);
  await visitor.signIn('ann', 'secret');
  await visitor.script('/v1/user_tokens', {
    method: 'POST',
    body: '{"user":"monitoring"}',
    headers: { 'content-type': 'application/json', 'content-length': '21' },
  });
  const listed = await visitor.script('/v1/users');
  const json: unknown = JSON.parse(listed.text);
  described.judge(described.find('GET', '/v1/users'), 115, { ...listed, json });
  const { userTokens, userSessions } = daemon.services.db;
  for (const path of [
    `/v1/user_tokens/${userTokens.list()[0]?.id}`,
    `/v1/user_sessions/${userSessions.list()[0]?.id}`,
  ]) {
    const operation = described.find('DELETE', path);
    const answer = await visitor.script(path, { method: 'DELETE' });
    described.judge(operation, 115, { ...answer, json: undefined });
    assert.equal(answer.status, 204, path);
    succeeded.add(operation.id);
  }
});

test('every operation of the document succeeded in a test above', () => {
  const ids = described.operations.map(({ id }) => id);
  const missed = ids.filter((id) => !succeeded.has(id));
  assert.deepEqual(missed, []);
  assert.equal(new Set(ids).size, ids.length);
});
