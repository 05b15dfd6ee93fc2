import assert from 'node:assert/strict';
import { test } from 'node:test';
import { auditCommand } from '../../../../daemon/cli/host/audit-command.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

test('audit lists requests with client and answer, filtered by node and time', async (context) => {
  const { url, stateDirectory } = await startListening(context, {});
  const run = (...args: readonly string[]) =>
    runCommand((command) => auditCommand(args, command), { IRONIC_DEFAULT__STATE_PATH: stateDirectory });
  const uuid = await enrolNode(url, { driver: 'fake-hardware', name: 'web-1' });
  await enrolNode(url, { driver: 'fake-hardware', name: 'web-2' });
  await fetch(`${url}/v1/nodes/web-1/states/power`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', 'openstack-api-version': 'baremetal 1.90' },
    body: JSON.stringify({ target: 'power off' }),
  });

  const { code, out } = await run('--node', 'web-1');
  assert.equal(code, 0);
  const [head, ...lines] = out.trimEnd().split('\n');
  assert.match(head ?? '', /^time +user +role +client +request +change +answer$/);
  assert.equal(lines.length, 1);
  assert.match(
    lines[0] ?? '',
    /^\S+Z +- +admin +127\.0\.0\.1 +PUT \/v1\/nodes\/web-1\/states\/power +power off +202$/,
  );

  const json = await run('--node', uuid, '--since', '1h', '--json');
  const records = json.out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { method: string });
  assert.deepEqual(
    records.map(({ method }) => method),
    ['POST', 'PUT'],
  );
  assert.equal((await run('--node', uuid, '--format', 'json')).out, json.out);
  assert.match((await run('--node', uuid, '--format', 'yaml')).out, /^- time: .*\n(  .*\n)+- time: /);
  assert.equal((await run('--since', '2999-01-01')).out.trimEnd().split('\n').length, 1);
});

test('wrong arguments print the usage and exit with code 2', async () => {
  for (const [args, reason] of [
    [['list'], 'unexpected argument "list"'],
    [['--since', 'yesterday'], '--since "yesterday": expected 30m, 12h or 7d, or a time such as'],
    [['--since', '5'], '--since "5": expected 30m, 12h or 7d, or a time such as'],
    [['--verbose'], 'there is no option --verbose; options are '],
  ] as const) {
    const { code, errors } = await runCommand((context) => auditCommand(args, context), {});
    assert.equal(code, 2);
    assert.match(errors, /^usage: ironic-edge audit/);
    assert.ok(errors.includes(`\nironic-edge: ${reason}`), errors);
  }
});

test('a missing audit file is an error that names it', async () => {
  const environment = { IRONIC_DEFAULT__STATE_PATH: '/nonexistent' };
  await assert.rejects(
    runCommand((context) => auditCommand([], context), environment),
    /there is no audit file \/nonexistent\/\S+ \(\[audit\] file\)/,
  );
});
