import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanStepsCommand } from '../../../../daemon/cli/nodes/clean-steps-command.ts';
import { ABLE_PLUGINS } from '../../../fakes/daemon/able-session.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand((context) => cleanStepsCommand(args, context), environment);

test('clean-steps lists the steps as a table or JSON, and says so if they are not known yet', async (t) => {
  const { url, services } = await startListening(t, {
    environment: { IRONIC_PLUGINS__PATH: ABLE_PLUGINS, IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'stepping' },
  });
  const uuid = await enrolNode(url, { driver: 'stepping', name: 'a-node' });
  const environment = { OS_ENDPOINT: url };
  const unknown = await run(['a-node'], environment);
  assert.deepEqual([unknown.code, unknown.out], [1, '']);
  assert.match(unknown.errors, /are not known yet: .*Try again when they are known\.\n$/);
  services.db.nodes.update(uuid, { driver_internal_info: { agent_cached_clean_steps: {} } });
  const { code, out } = await run(['a-node'], environment);
  assert.equal(code, 0);
  const lines = out.trimEnd().split('\n');
  assert.match(lines[0] ?? '', /^step +priority +abortable +arguments$/);
  assert.match(lines[1] ?? '', /^management\.set_clock +30 +no$/);
  assert.ok(
    lines.some((line) => /^bios\.apply +0 +yes +settings \(required\), reboot$/.test(line)),
    out,
  );
  const { out: json } = await run([uuid, '--min-priority', '30', '--json'], environment);
  assert.deepEqual(
    (JSON.parse(json) as { step: string }[]).map(({ step }) => step),
    ['set_clock', 'wipe', 'polish'],
  );
  for (const spelling of [['--min_priority', '30'], ['--min_priority=30'], ['--min-priority=30']])
    assert.equal((await run([uuid, ...spelling, '--json'], environment)).out, json, spelling.join(' '));
  await assert.rejects(run(['nobody'], environment), /refused with 404: Node nobody could not be found/);
});

test('wrong arguments print the usage and exit with code 2', async () => {
  for (const args of [[], ['a', 'b'], ['a', '--min-priority'], ['a', '--verbose']]) {
    const { code, out, errors } = await run(args, {});
    assert.deepEqual([code, out], [2, '']);
    assert.match(errors, /^usage: ironic-edge clean-steps NODE/);
  }
});
