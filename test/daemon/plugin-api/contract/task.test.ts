// The rows of a task and of the interfaces: their samples fit, and only functions of the daemon can be called from a process.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contract } from '../../../../daemon/plugin-api/contract/interfaces.ts';
import { describeValue, type Shape } from '../../../../daemon/plugin-api/contract/shapes.ts';
import { isRow, type TaskRows, taskRows } from '../../../../daemon/plugin-api/contract/task.ts';
import { rehearsalTask } from '../../../../daemon/plugin-kit/rehearsal.ts';
import { memberAt } from '../../../../daemon/plugin-host/isolation/border/described.ts';
import { refuseUnfitArguments } from '../../../../daemon/plugin-host/isolation/call-session.ts';

interface Function {
  readonly place: readonly string[];
  readonly given: readonly Shape[];
  readonly sample: unknown;
}

const functionsIn = (rows: TaskRows, place: readonly string[] = []): readonly Function[] =>
  Object.entries(rows).flatMap(([name, row]) => {
    const inner = [...place, name];
    if (!isRow(row)) return functionsIn(row, inner);
    return row.kind === 'call' ? [{ place: inner, given: row.given, sample: row.sample }] : [];
  });
const functions = functionsIn(taskRows);
const samplesOf = (given: readonly Shape[]) => given.map(({ sample }) => sample);

test('the sample of each argument of a function of the task, and of an operation, fits its shape', () => {
  assert.ok(functions.length > 25, String(functions.length));
  for (const { place, given } of functions) refuseUnfitArguments(place, samplesOf(given));
  for (const [type, members] of Object.entries(contract))
    for (const [name, { given }] of Object.entries(members))
      for (const shape of given)
        assert.ok(shape.admits(shape.sample), `${type}.${name}: ${describeValue(shape.sample)}`);
});

test('a rehearsal has each function of the task, which resolves to its sample or says that no agent answers', async () => {
  for (const { place, given, sample } of functions.filter(({ place: [first] }) => first !== 'bmc')) {
    const run = memberAt(rehearsalTask(), place) as (...all: readonly unknown[]) => Promise<unknown>;
    const called = run(...samplesOf(given));
    if (place[1] === 'agent') await assert.rejects(called, { code: 'AgentUnreachable' });
    else assert.deepEqual(await called, sample, place.join('.'));
  }
});

test('what the samples of a rehearsal are changed to does not reach the next rehearsal', () => {
  const { parameters } = rehearsalTask().ramdisk;
  Object.assign(parameters, { debug: null });
  assert.deepEqual(rehearsalTask().ramdisk.parameters, {});
});

test('a process cannot call a value, a function that it has itself, a part of a row or a member of a prototype', () => {
  for (const place of [
    ['node'],
    ['clock', 'sleep'],
    ['log', 'child'],
    ['images'],
    ['images', 'prepared'],
    ['update', 'given'],
    ['addNote', 'does'],
    ['constructor'],
    ['boot', 'toString'],
    [],
  ])
    assert.throws(() => refuseUnfitArguments(place, [1]), /^Error: a task has no function /, place.join('.'));
  assert.throws(
    () => refuseUnfitArguments(['ramdisk', 'agent', 'end'], [{}, -1]),
    new TypeError('task.ramdisk.agent.end was called with -1; expected a number of seconds'),
  );
});
