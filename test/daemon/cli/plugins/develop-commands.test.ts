// What an author does while writing a plugin: tries an operation, and has every change checked.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { startServiceProcessor } from '../../../../daemon/plugin-kit/template/http/service-processor.ts';
import { PLUGIN_COMMAND, runPlugin } from '../../../fakes/clients/plugin-cli.ts';
import { pluginFolder } from '../../../fakes/plugin-folder.ts';

test('try calls an operation on the machine that the node file describes, and shows the result or the fault', async (t) => {
  const directory = pluginFolder(t, {});
  const machine = await startServiceProcessor();
  t.after(() => machine.stop());
  const run = (...words: readonly string[]) => runPlugin(directory, words);
  await run('new', 'bigiron');
  const node = { driver: 'bigiron', driver_info: { bigiron_address: machine.address } };
  writeFileSync(path.join(directory, 'node.json'), JSON.stringify(node));
  const attempt = (operation: string, ...words: readonly string[]) =>
    run('try', 'bigiron', 'node.json', operation, ...words);
  assert.deepEqual(await attempt('power.getPowerState'), { exit: 0, stdout: '"power off"\n', stderr: '' });
  const on = await attempt('power.setPowerState', '--arguments', '["power on", 30]');
  assert.deepEqual(on, { exit: 0, stdout: 'null\n', stderr: '' });
  assert.equal((await attempt('power.getPowerState')).stdout, '"power on"\n');
  const events = await attempt('vendor.nodeMethods.event_log.call', '--arguments', '[{}, "GET"]');
  assert.deepEqual(JSON.parse(events.stdout), { events: ['started', 'power on'] });
  assert.equal((await attempt('vendor.steps.clear_event_log.run')).stdout, '"done"\n');

  writeFileSync(
    path.join(directory, 'node.json'),
    JSON.stringify({ ...node, driver_info: { bigiron_address: 'http://127.0.0.1:9' } }),
  );
  const silent = await attempt('power.getPowerState');
  assert.equal(silent.exit, 1);
  assert.match(
    silent.stderr,
    /^power\.getPowerState failed: Reading the power state failed .*check driver_info\/bigiron_address/,
  );
  assert.match(
    (await attempt('power.getPower')).stderr,
    /the power interface bigiron has no operation getPower; it has validate, getPowerState, setPowerState/,
  );
  assert.match(
    (await attempt('getPowerState')).stderr,
    /expected an operation such as power\.getPowerState; interface types are bios, /,
  );
  assert.equal((await attempt('power.getPowerState', '--arguments', 'on')).exit, 2);
});

test('check --watch checks again when a file has changed', async (t) => {
  const directory = pluginFolder(t, {});
  await runPlugin(directory, ['new', 'bigiron']);
  const child = spawn(PLUGIN_COMMAND, ['plugin', 'check', 'bigiron', '--watch'], {
    cwd: directory,
    env: { ...process.env, NODE_TEST_CONTEXT: undefined },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(() => child.kill());
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const until = async (text: string) => {
    const seen: string[] = [];
    for (let line = await lines.next(); line.done !== true; line = await lines.next()) {
      seen.push(line.value);
      if (line.value.startsWith('---')) break;
    }
    assert.ok(seen.at(-1)?.startsWith(`--- ${text}`), seen.join('\n'));
    return seen.join('\n');
  };
  await until('all is well');
  const file = path.join(directory, 'bigiron/power.ts');
  const good = readFileSync(file, 'utf8');
  writeFileSync(file, good.replace('supportsPowerSync: true', 'supportsPowerSync: "yes"'));
  assert.match(await until('there are problems'), /wrong {3}power bigiron\n.*supportsPowerSync/);
  writeFileSync(file, good);
  await until('all is well');
  child.kill();
  await once(child, 'exit');
});
