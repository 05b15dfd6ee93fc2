// Faults carry the sentences that callers read, with parameters filled in.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  examinable,
  Fault,
  fault,
  type FaultCode,
  faultTable,
  reasonOf,
} from '../../../daemon/model/faults.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';

const parametersOf = (sentence: string) =>
  new Set([...sentence.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? ''));

test('a fault carries its code, its status and the whole sentence', () => {
  const locked = fault('NodeLocked', { node: 'rack1-u7', host: 'edge-1' });
  assert.ok(locked instanceof Error);
  assert.equal(locked.code, 'NodeLocked');
  assert.equal(locked.status, 409);
  assert.equal(
    locked.message,
    'Node rack1-u7 is locked by host edge-1, please retry after the current operation is completed.',
  );
});

test('every parameter of every sentence is filled in', () => {
  for (const { code, status, sentence } of faultTable) {
    const names = [...parametersOf(sentence)];
    const values = Object.fromEntries(names.map((name, index) => [name, `value-${index}-`]));
    const made = fault(code as FaultCode, values as never);
    for (const value of Object.values(values))
      assert.ok(made.message.includes(value), `${code}: ${made.message}`);
    assert.doesNotMatch(made.message, /[{}]|undefined/, code);
    assert.equal(made.status, status);
  }
});

test('every parameter name is one lower-case word', () => {
  for (const { code, sentence } of faultTable)
    for (const name of parametersOf(sentence)) assert.match(name, /^[a-z]+$/, code);
});

test('a value is inserted verbatim, even if it looks like a parameter or a replacement pattern', () => {
  const made = fault('InvalidParameter', { name: '{reason}', reason: "$& $1 $' {name}" });
  assert.equal(made.message, "Invalid input for {reason}: $& $1 $' {name}");
});

test('a parameter may be a number', () => {
  assert.match(fault('BodyTooLarge', { limit: 1024, option: '[api] max_body_kib' }).message, /than 1024 KiB/);
});

test('every fault has a status code that API clients know', () => {
  const known = new Set([400, 401, 403, 404, 405, 406, 408, 409, 413, 421, 426, 429, 500, 503, 507]);
  assert.deepEqual(
    faultTable.filter(({ status }) => !known.has(status)),
    [],
  );
});

test('a fault keeps its cause', () => {
  const cause = new Error('connection refused');
  const made = fault('Internal', { request: 'req-1' }, { cause });
  assert.equal(made.cause, cause);
  assert.ok(made instanceof Fault);
});

test('what cannot be examined is replaced by an error that says so', () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const bad = {
    get(): never {
      throw new Error('no');
    },
  };
  const hostile: readonly unknown[] = [
    proxy,
    Object.create(null),
    { toString: () => ({}), valueOf: () => ({}) },
    Object.defineProperty(new Error('a'), 'message', bad),
    Object.defineProperty(new Error('a'), 'code', bad),
    Object.defineProperty(new Error('a'), 'cause', bad),
    Object.defineProperty(new Error('a'), 'name', { value: 5 }),
    new Error('a', { cause: proxy }),
  ];
  for (const thrown of hostile) {
    assert.match(String(examinable(thrown)), /what was thrown cannot be read/);
    assert.match(reasonOf(thrown), /what was thrown cannot be read/);
  }
  const circle = new Error('round');
  circle.cause = circle;
  for (const sound of [undefined, null, 5, 'text', Symbol('s'), circle, fault('NotFound', {})])
    assert.equal(examinable(sound), sound);
});

test('reasonOf returns text for any thrown value', () => {
  assert.equal(reasonOf(new Error('a')), 'a');
  assert.equal(reasonOf('b'), 'b');
  assert.equal(reasonOf(undefined), 'undefined');
  assert.equal(reasonOf({ code: 1 }), '[object Object]');
});

test('the reason of a failed fetch ends with the reason of its cause', async () => {
  const port = await freeTcpPort();
  const error: unknown = await fetch(`http://127.0.0.1:${port}/`).catch((failure: unknown) => failure);
  assert.equal(reasonOf(error), `fetch failed: connect ECONNREFUSED 127.0.0.1:${port}`);
});

test('a long parameter is truncated', () => {
  const { message } = fault('UnexpectedArguments', { names: 'a, '.repeat(300_000) });
  assert.match(message, /^Unexpected arguments: (a, )+a?,?\.\.\.$/);
  assert.equal(message.length, 'Unexpected arguments: '.length + 4096 + '...'.length);
});
