import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { planCommand } from '../../../../daemon/cli/nodes/plan-command.ts';
import { ABLE_PLUGINS } from '../../../fakes/daemon/able-session.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
  runCommand((context) => planCommand(args, context), environment);

test('plan lists the steps and problems of a request as a table or JSON', async (t) => {
  const { url, services } = await startListening(t, {
    environment: { IRONIC_PLUGINS__PATH: ABLE_PLUGINS, IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'stepping' },
  });
  const uuid = await enrolNode(url, { driver: 'stepping', name: 'a-node' });
  services.db.nodes.update(uuid, { provision_state: 'manageable' });
  const environment = { OS_ENDPOINT: url };
  const provide = await run(['a-node', 'provide'], environment);
  assert.equal(provide.code, 0);
  const rows = provide.out.trimEnd().split('\n');
  assert.match(rows[0] ?? '', /^step +priority +source +chosen by +arguments +destroys$/);
  assert.match(rows[2] ?? '', /^deploy\.wipe +30 +driver +- +- +all data on all disks$/);
  assert.deepEqual(rows.slice(-3), [
    'The machine would be booted into its ramdisk.',
    "The steps that the ramdisk's agent adds are not known until an agent has run on the machine.",
    'Automated cleaning usually erases disks with them.',
  ]);

  const erased = await run(
    ['a-node', 'clean', '--steps', '[{"interface": "deploy", "step": "erase_devices"}]'],
    environment,
  );
  assert.match(erased.out, /^deploy\.erase_devices +0 +unknown +clean_steps +- +all data on all disks$/m);

  const steps = '[{"interface": "bios", "step": "apply", "args": {"colour": 1}}]';
  const folder = mkdtempSync(join(tmpdir(), 'plan-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'steps.json');
  writeFileSync(file, steps);
  for (const source of [steps, file]) {
    const { code, out } = await run(['a-node', 'clean', '--steps', source, '--disable-ramdisk'], environment);
    assert.equal(code, 1);
    assert.match(out, /^bios\.apply +0 +driver +clean_steps +\{"colour":1\} +-$/m);
    assert.match(out, /^Problem: step bios\.apply lacks the required arguments settings$/m);
    assert.doesNotMatch(out, /ramdisk/);
  }
  const { out } = await run([uuid, 'clean', '--steps', file, '--json'], environment);
  assert.partialDeepStrictEqual(JSON.parse(out), { target: 'clean', phase: 'clean', boots_ramdisk: false });
  services.db.nodes.update(uuid, { automated_clean: false });
  assert.equal((await run([uuid, 'provide'], environment)).out, 'No steps would run.\n');
  await assert.rejects(run([uuid, 'fly'], environment), /refused with 400: .*"fly" was not understood/);
  await assert.rejects(run([uuid, 'clean', '--steps', '[{'], environment), /--steps is not JSON/);
  await assert.rejects(
    run([uuid, 'clean', '--steps', join(folder, 'absent')], environment),
    /^Error: --steps .*absent cannot be read: ENOENT.* Name a file that you may read\.$/,
  );
  await assert.rejects(run([uuid, 'clean', '--runbook', 'no-book'], environment), /no-book/);
});

test('wrong arguments print the usage and exit with code 2', async () => {
  for (const args of [
    [],
    ['a'],
    ['a', 'clean', 'b'],
    ['a', 'clean', '--steps'],
    ['a', 'clean', '--verbose'],
  ]) {
    const { code, out, errors } = await run(args, {});
    assert.deepEqual([code, out], [2, '']);
    assert.match(errors, /^usage: ironic-edge plan NODE TARGET/);
  }
});
