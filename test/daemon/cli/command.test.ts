import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, commandOf, FLAG, groupOf, TEXT } from '../../../daemon/cli/command.ts';
import { runCommand } from '../../fakes/clients/run-command.ts';

const move = commandOf({
  usage: 'usage: move FROM TO\n',
  options: { force: FLAG, owner: { ...TEXT, short: 'o' } },
  positionals: ['FROM', 'TO'],
  run({ values: { force, owner = 'nobody' }, positionals: [from, to] }, { stdout }) {
    stdout.write(`${from} ${to} ${force} ${owner}`);
    return 1;
  },
});
const group = groupOf('usage: file COMMAND\n', { move });

const run = (command: Command, ...args: readonly string[]) =>
  runCommand((context) => command(args, context), {});

test('a command receives its arguments and options, and its exit code is returned', async () => {
  assert.deepEqual(await run(move, 'a', '--force', 'b'), { code: 1, out: 'a b true nobody', errors: '' });
  assert.deepEqual(await run(group, 'move', 'a', 'b', '--owner=me'), {
    code: 1,
    out: 'a b false me',
    errors: '',
  });
});

test('--help prints the usage of a command or a group on standard output', async () => {
  for (const args of [['--help'], ['-h'], ['a', 'b', 'c', '--help']])
    assert.deepEqual(await run(move, ...args), { code: 0, out: 'usage: move FROM TO\n', errors: '' });
  for (const name of ['--help', '-h', 'help'])
    assert.deepEqual(await run(group, name), { code: 0, out: 'usage: file COMMAND\n', errors: '' });
  assert.equal((await run(group, 'move', '--help')).out, 'usage: move FROM TO\n');
});

for (const [line, reason] of [
  ['a', 'TO is missing'],
  ['a b c', 'unexpected argument "c"; leave it out, or quote a value that has spaces'],
  ['a b --owner', "Option '-o, --owner <value>' argument missing"],
  ['a b --force=yes', "Option '--force' does not take an argument"],
  ['a b --focre', 'there is no option --focre; did you mean --force?'],
  ['a b --new-owner=c', 'there is no option --new-owner; did you mean --owner?'],
  ['a b --slow', 'there is no option --slow; options are --force, --owner, --help'],
] as const)
  test(`the arguments "${line}" print the usage and the reason: ${reason}`, async () => {
    const { code, out, errors } = await run(move, ...line.split(' '));
    assert.deepEqual([code, out], [2, '']);
    assert.ok(errors.startsWith(`usage: move FROM TO\n\nironic-edge: ${reason}`), errors);
  });

for (const [args, reason] of [
  [[], 'no command is given'],
  [['copy'], 'there is no command "copy"'],
  [['toString'], 'there is no command "toString"'],
] as const)
  test(`a group says that ${reason}, and names its commands`, async () => {
    const { code, errors } = await run(group, ...args);
    assert.equal(code, 2);
    assert.equal(
      errors,
      `usage: file COMMAND\n\nironic-edge: ${reason}: expected one of move\nAdd --help for an explanation.\n`,
    );
  });

test('an error of the command itself is not taken for wrong arguments', async () => {
  const failing = commandOf({
    usage: '',
    options: {},
    positionals: [],
    run() {
      throw new TypeError('broken');
    },
  });
  await assert.rejects(run(failing), /^TypeError: broken$/);
});

test('a command tells what may come next: the missing argument, its options, the value of an option', async () => {
  assert.deepEqual(await group.next([]), ['move', '--help']);
  assert.deepEqual(await group.next(['move', 'a']), ['TO', '--force', '--owner', '--help']);
  for (const option of ['--owner', '-o']) assert.deepEqual(await group.next(['move', option]), ['OWNER']);
  assert.deepEqual(await group.next(['copy']), []);
});

test('a mistyped command is answered with the commands that were probably meant, not with the whole usage', async () => {
  const below = groupOf('usage: below COMMAND\n', { rename: move });
  const wide = groupOf('usage: all COMMAND\n\n  many lines\n', { file: group, below });
  for (const [name, meant] of [
    ['flie', '"file"'],
    ['rename', '"below rename"'],
    ['move', '"file move"'],
  ] as const)
    assert.deepEqual(await run(wide, name), {
      code: 2,
      out: '',
      errors: `usage: all COMMAND\n\nironic-edge: there is no command "${name}"; did you mean ${meant}?\nAdd --help for an explanation.\n`,
    });
});
