import assert from 'node:assert/strict';
import { test } from 'node:test';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { runProcess } from '../../../fakes/clients/run-process.ts';

test('list prints chosen columns as values, CSV, a table or JSON, sorted by a column', async (t) => {
  const { url } = await startListening(t, {});
  for (const [name, description] of [
    ['rack-10', 'spare, "left"'],
    ['rack-2', null],
  ] as const)
    await enrolNode(url, { driver: 'fake-hardware', name, description });
  const list = async (...words: readonly string[]) =>
    (await runProcess(url, ['node', 'list', '--fields', 'name,description,maintenance', ...words])).out;
  assert.equal(
    await list('--sort-column', 'name', '-c', 'name', '-c', 'maintenance', '-f', 'value'),
    'rack-2 false\nrack-10 false\n',
  );
  assert.equal(
    await list('--format', 'csv', '--sort-column', 'name'),
    'name,description,maintenance\nrack-2,,false\nrack-10,"spare, ""left""",false\n',
  );
  assert.equal(await list('--column', 'name', '--sort-column', 'name'), 'name\nrack-2\nrack-10\n');
  assert.deepEqual(JSON.parse(await list('--json', '-c', 'description', '--sort-column', 'name')), [
    { description: null },
    { description: 'spare, "left"' },
  ]);
});

test('the format value prints the fields of one record line by line, and an empty line for null', async (t) => {
  const { url } = await startListening(t, {});
  await enrolNode(url, { driver: 'fake-hardware', name: 'a', extra: { rack: 7 } });
  const show = (...words: readonly string[]) => runProcess(url, ['node', ...words]);
  assert.equal((await show('show', 'a', '-f', 'value', '-c', 'last_error')).out, '\n');
  assert.equal(
    (await show('show', 'a', '-f', 'value', '-c', 'name', '-c', 'extra', '-c', 'maintenance')).out,
    'a\n{"rack":7}\nfalse\n',
  );
  assert.equal((await show('states', 'a', '-f', 'value', '-c', 'provision_state')).out, 'enroll\n');
  assert.match(
    (await show('validate', 'a', '-f', 'csv', '-c', 'name', '-c', 'result')).out,
    /\npower,true\n/,
  );
  assert.equal((await show('show', 'a', '--format', 'yaml', '-c', 'extra')).out, 'extra:\n  rack: 7\n');
});

test('a column that does not exist is refused, except for a list without records', async (t) => {
  const { url } = await startListening(t, {});
  const run = (...words: readonly string[]) => runProcess(url, words);
  assert.deepEqual(await run('node', 'list', '-c', 'nme', '-f', 'value'), { code: 0, out: '', errors: '' });
  await enrolNode(url, { driver: 'fake-hardware', name: 'a' });
  const { code, errors } = await run('node', 'list', '-c', 'nme');
  assert.equal(code, 2);
  assert.match(errors, /there is no column "nme": expected one of uuid, name, power_state/);
});

test('commands without columns refuse the formats value and csv', async (t) => {
  const { url } = await startListening(t, {});
  const { code, errors } = await runProcess(url, ['node', 'manage', 'a', '--format', 'csv']);
  assert.equal(code, 2);
  assert.match(errors, /--format "csv": expected one of table, json, yaml/);
});

test('a command that only writes refuses output options, and a list without records prints nothing', async (t) => {
  const { url } = await startListening(t, {});
  await enrolNode(url, { driver: 'fake-hardware', name: 'a' });
  const run = (...words: readonly string[]) => runProcess(url, words);
  assert.equal((await run('node', 'trait', 'add', 'a', 'CUSTOM_A', '--json')).code, 2);
  assert.deepEqual(await run('node', 'trait', 'list', 'a'), { code: 0, out: '', errors: '' });
  await run('node', 'trait', 'add', 'a', 'CUSTOM_A');
  assert.equal((await run('node', 'trait', 'list', 'a')).out, 'CUSTOM_A\n');
  assert.equal(
    (await run('node', 'trait', 'list', 'a', '--json')).out,
    '{\n  "traits": [\n    "CUSTOM_A"\n  ]\n}\n',
  );
});
