// What commands print cannot control the terminal, whatever machines and clients wrote into records.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { visibleText } from '../../../daemon/lib/plain-text.ts';
import { enrolNode, startListening } from '../../fakes/daemon/listening-daemon.ts';
import { runProcess } from '../../fakes/clients/run-process.ts';

const ROOT = path.join(import.meta.dirname, '../../..');
const HOSTILE = 'x\u001B[2J\u009B31m\u202Ey\rz\nrack-2  power on';

test('every format shows what a terminal could obey as escapes, and JSON and YAML have the same value', async (t) => {
  const { url, services } = await startListening(t, {});
  const uuid = await enrolNode(url, { driver: 'fake-hardware', name: 'rack-1', extra: { note: HOSTILE } });
  services.db.nodes.update(uuid, { last_error: HOSTILE, maintenance_reason: HOSTILE });
  services.timeline.record({ hop: 'inspection', node: uuid, text: HOSTILE, failed: true });
  const run = async (...words: readonly string[]) => {
    const { out, errors } = await runProcess(url, words);
    assert.equal(visibleText(out + errors), out + errors, words.join(' '));
    return out;
  };
  for (const format of ['table', 'csv', 'value', 'json', 'yaml']) {
    const shown = await run('node', 'show', 'rack-1', '-f', format);
    assert.match(shown, /x\\(u001b|e)\[2J\\u009b31m\\u202ey\\(u000d|r)z/, format);
    await run('node', 'list', '--fields', 'name,last_error,extra', '-f', format);
  }
  const table = await run('node', 'list', '--fields', 'name,last_error');
  assert.equal(table.trimEnd().split('\n').length, 2, 'no record can add a row');
  const node = await run('node', 'show', 'rack-1', '-f', 'json');
  assert.equal((JSON.parse(node) as { last_error: string }).last_error, HOSTILE);
  const yaml = parse(await run('node', 'show', 'rack-1', '-f', 'yaml')) as { extra: { note: string } };
  assert.equal(yaml.extra.note, HOSTILE);
  const line = await run('node', 'timeline', 'rack-1');
  assert.equal(line.trimEnd().split('\n').length, 1, line);
  assert.match(await run('node', 'timeline', 'rack-1', '--json'), /\\u202e/);
  const { errors } = await runProcess(url, ['node', 'show', HOSTILE]);
  assert.equal(visibleText(errors), errors);
});

/** What writes to standard output or standard error itself, and why it may. */
const WRITERS: Readonly<Record<string, string>> = {
  'daemon/cli/ironic-edge.ts': 'makes the outputs of commands',
  'daemon/cli/nodes/console/console-command.ts': 'attaches the terminal to a machine, which is to control it',
  'daemon/cli/setup/ask.ts': 'asks on the terminal, with prompts made visible',
  'daemon/doctor/fetch-by-tftp.ts': 'a program of its own, whose output the doctor reads',
  'daemon/doctor/search-dhcp-rivals.ts': 'a program of its own, whose output setup reads',
  'daemon/doctor/search-dhcp6-rivals.ts': 'a program of its own, whose output setup reads',
  'daemon/plugin-kit/template/http/service-processor.ts': 'a program of its own in a template',
  'pxe-filter/ironic-pxe-filter.ts': 'a program of its own',
};

test('nothing writes to the terminal past the outputs of commands', () => {
  const files = globSync('{daemon,pxe-filter,plugins,ramdisk-callback}/**/*.ts', { cwd: ROOT });
  const writers = files.filter((file) =>
    /\bprocess\.(stdout|stderr)\b|\b(stdout|stderr)\b[^;\n]* = process;|\bconsole\.(log|error|info|warn)\(/.test(
      readFileSync(path.join(ROOT, file), 'utf8').replaceAll(/^\s*(\/\/|\*).*$/gm, ''),
    ),
  );
  assert.deepEqual(writers.toSorted(), Object.keys(WRITERS));
});
