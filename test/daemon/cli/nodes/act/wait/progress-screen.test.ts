import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeProgress } from '../../../../../../daemon/cli/nodes/act/wait/progress-of.ts';
import { visibleText } from '../../../../../../daemon/lib/plain-text.ts';
import { outputTo } from '../../../../../../daemon/cli/output.ts';
import { progressScreen } from '../../../../../../daemon/cli/nodes/act/wait/progress-screen.ts';

const works = (text: string, share = 0): NodeProgress => ({ kind: 'works', text, share });
const done: NodeProgress = { kind: 'done', text: 'active', share: 1 };

function screenOf(
  size: { readonly columns: number; readonly rows: number } | undefined,
  labels: readonly string[],
  environment = {},
) {
  const written: string[] = [];
  const write = (text: string) => written.push(text);
  const output = outputTo({ write, isTTY: size !== undefined, ...(size ?? { columns: 0, rows: 0 }) });
  return { screen: progressScreen(output, labels, environment), written };
}

const terminal = { columns: 60, rows: 10 };

test('on a terminal each node has a bar, and a change draws all bars over the previous ones', () => {
  const { screen, written } = screenOf(terminal, ['a', 'bb'], { NO_COLOR: '1' });
  screen.show('a', works('deploying', 0.5));
  screen.show('bb', done);
  assert.deepEqual(written, [
    'a  [##########..........] deploying\nbb [....................] \n',
    '\u001B[2A\u001B[Ja  [##########..........] deploying\nbb [####################] active\n',
  ]);
});

test('bars have colours when NO_COLOR is not set', () => {
  const { screen, written } = screenOf(terminal, ['a']);
  screen.show('a', done);
  assert.ok(written[0]?.startsWith('\u001B[32ma ['), written[0]);
});

test('without a terminal, or on a dumb one, each change is one line, and repetitions are left out', () => {
  for (const [output, environment] of [
    [undefined, {}],
    [terminal, { TERM: 'dumb' }],
  ] as const) {
    const { screen, written } = screenOf(output, ['a', 'b'], environment);
    screen.show('a', works('cleaning'));
    screen.show('a', works('cleaning'));
    screen.show('a', done);
    assert.deepEqual(written, ['a: cleaning\n', 'a: active\n']);
  }
});

test('no line is wider than the terminal, and fewer lines are drawn than the terminal has rows', () => {
  const labels = Array.from({ length: 50 }, (_, number) => `rack-${number}`);
  const { screen, written } = screenOf({ ...terminal, columns: 40 }, labels, { NO_COLOR: '1' });
  screen.show('rack-0', done);
  screen.show('rack-7', works('deploying, step 2 of 4: deploy.write_image'));
  const lines = (written[1] ?? '').trimEnd().split('\n');
  assert.equal(lines.length, 9);
  assert.ok(lines.every((line) => line.replace('\u001B[9A\u001B[J', '').length < 40));
  assert.match(lines[0] ?? '', /rack-1 /);
  assert.equal(lines.at(-1), 'work has ended on 1 of 50 nodes');
});

test('a sentence stays above the bars', () => {
  const { screen, written } = screenOf(terminal, ['a'], { NO_COLOR: '1' });
  screen.show('a', works('cleaning'));
  screen.say('Lost.');
  assert.equal(written[1], '\u001B[1A\u001B[JLost.\n');
  assert.match(written[2] ?? '', /^a \[/);
});

test('names and errors cannot control the terminal, nor write lines of their own', () => {
  const hostile = works('\u001B[2Jcleaning\u009B31m\nrack-2: active\u202E');
  for (const size of [undefined, { columns: 200, rows: 10 }]) {
    const { screen, written } = screenOf(size, ['a\u001B]0;x\u0007', 'b'], { NO_COLOR: '1' });
    screen.show('a\u001B]0;x\u0007', hostile);
    screen.say('Lost: \u001B[31m\nb: active');
    const shown = written.join('').replaceAll('\u001B[1A\u001B[J', '').replaceAll('\u001B[2A\u001B[J', '');
    assert.equal(visibleText(shown), shown);
    assert.doesNotMatch(shown, /^(rack-2|b): active/m);
    assert.match(shown, /\\u001b\[2Jcleaning\\u009b31m\\nrack-2: active\\u202e/);
  }
});
