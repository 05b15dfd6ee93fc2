import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { nodeCommand } from '../../../../daemon/cli/nodes/node-command.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand((context) => nodeCommand(args, context), environment);

const addNode = (url: string, name: string) => enrolNode(url, { driver: 'fake-hardware', name });

test('list prints the nodes of all pages as a table or JSON', async (context) => {
  const { url } = await startListening(context, { environment: { IRONIC_API__MAX_LIMIT: '2' } });
  const uuids = [await addNode(url, 'one'), await addNode(url, 'two'), await addNode(url, 'three')];
  const { code, out } = await run(['list'], { OS_ENDPOINT: `${url}/v1` });
  assert.equal(code, 0);
  const [head, ...lines] = out.trimEnd().split('\n');
  assert.match(head ?? '', /^uuid +name +power_state +provision_state +maintenance +wait$/);
  assert.deepEqual(
    lines.map((line) => line.split(/ +/)),
    ['one', 'two', 'three'].map((name, index) => [uuids[index], name, '-', 'enroll', 'false', '-']),
  );
  const { out: json } = await run(['list', '--json'], { OS_ENDPOINT: url });
  assert.deepEqual(
    (JSON.parse(json) as { uuid: string }[]).map((node) => node.uuid),
    uuids,
  );
});

test('wrong arguments print the usage and exit with code 2', async () => {
  for (const args of [[], ['shown'], ['list', 'all'], ['list', '--verbose']]) {
    const { code, out, errors } = await run(args, {});
    assert.deepEqual([code, out], [2, '']);
    assert.match(errors, /^usage: ironic-edge node (COMMAND|list) /);
  }
});

test('the usage of rescue shows that it requires --password-file', async () => {
  const { code, errors } = await run(['rescue', 'n1']);
  assert.equal(code, 2);
  assert.match(errors, /^usage: ironic-edge node rescue NODE\.\.\. --password-file FILE \[--wait\]/);
  assert.match(errors, /--password-file is missing/);
});

test('an unreachable daemon, a wrong OS_ENDPOINT and unexpected replies are reported with the reason', async (context) => {
  await assert.rejects(
    run(['list'], { OS_ENDPOINT: 'http://127.0.0.1:9' }),
    /^Error: Cannot reach the API at http:\/\/127\.0\.0\.1:9: .*ECONNREFUSED.* Set OS_ENDPOINT to the URL where it listens\.$/,
  );
  await assert.rejects(
    run(['list'], { OS_ENDPOINT: 'here' }),
    /OS_ENDPOINT = "here": expected a URL such as/,
  );
  const replies = [
    { status: 401, body: JSON.stringify({ error_message: JSON.stringify({ faultstring: 'who are you?' }) }) },
    { status: 502, body: '<html>bad gateway</html>' },
    { status: 200, body: '{}' },
  ];
  const server = createServer((_, response) => {
    const { status = 500, body } = replies.shift() ?? {};
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  context.after(() => server.close());
  const OS_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await assert.rejects(run(['list'], { OS_ENDPOINT }), /was refused with 401: who are you\?$/);
  await assert.rejects(run(['list'], { OS_ENDPOINT }), /was refused with 502: "<html>bad gateway<\/html>"$/);
  await assert.rejects(
    run(['list'], { OS_ENDPOINT }),
    /127\.0\.0\.1:\d+ returned \{\}, not a list of nodes\. Set OS_ENDPOINT/,
  );
});

test('list shows what nodes wait for, and show also for whom, since when and until when', async (context) => {
  const { url, services } = await startListening(context, {});
  const [waiting] = [await addNode(url, 'waiting'), await addNode(url, 'idle')];
  const since = '2026-11-22T10:00:00.000+00:00';
  services.db.nodes.update(waiting, {
    provision_state: 'clean wait',
    provision_updated_at: since,
    wait: { for: 'agent', reason: 'the end of step deploy.erase, which the agent runs', since },
  });
  const said = async (...args: string[]) => (await run(args, { OS_ENDPOINT: url })).out;
  assert.match(await said('list'), /waiting .* false +the end of step deploy\.erase, which the agent runs\n/);
  assert.match(await said('list'), /idle .* false +-\n/);
  assert.match(await said('list', '-f', 'csv'), /idle,,enroll,false,\n/);
  const wait = JSON.parse(await said('list', '-c', 'wait', '--json')) as unknown;
  const shown = JSON.parse(await said('show', 'waiting', '--json')) as { readonly wait: object };
  assert.deepEqual(wait, [{ wait: shown.wait }, { wait: {} }]);
  assert.deepEqual(shown.wait, {
    for: 'agent',
    reason: 'the end of step deploy.erase, which the agent runs',
    since,
    until: '2026-11-22T10:30:00.000+00:00',
  });
});

test('list filters nodes by provision state and auto-discovery', async (context) => {
  const { url, services } = await startListening(context, {});
  const [found, enrolled, managed] = [
    await addNode(url, 'found'),
    await addNode(url, 'enrolled'),
    await addNode(url, 'managed'),
  ];
  services.db.nodes.update(found, { auto_discovered: true });
  services.db.nodes.update(managed, { provision_state: 'clean wait', auto_discovered: true });
  const listed = async (...args: string[]) => {
    const { out } = await run(['list', '--json', ...args], { OS_ENDPOINT: url });
    return (JSON.parse(out) as { uuid: string }[]).map(({ uuid }) => uuid);
  };
  assert.deepEqual(await listed('--provision-state', 'enroll', '--auto-discovered'), [found]);
  assert.deepEqual(await listed('--provision-state', 'enroll'), [found, enrolled]);
  assert.deepEqual(await listed('--provision-state', 'clean wait'), [managed]);
  assert.deepEqual(await listed('--auto-discovered'), [found, managed]);
  await assert.rejects(
    run(['list', '--provision-state', 'lost'], { OS_ENDPOINT: url }),
    /refused with 400: .*lost/,
  );
});
