import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Found } from './conversation.ts';
import { type IntendedDifference, intendedDifferences, judge } from './judge.ts';

const found: Found = {
  method: 'POST',
  path: '/v1/nodes',
  body: '{"uuid":null}',
  version: '1.31',
  aspect: 'status',
  theirs: 500,
  ours: 201,
};
const intended: IntendedDifference = {
  reason: 'it is better',
  request: '^POST /v1/nodes .*null',
  theirs: 500,
};

test('a difference is intended when its request, its aspect, both values and the release are as expected', () => {
  assert.deepEqual(judge([found], [intended], 'newest').unintended, []);
  for (const other of [
    { ...intended, request: '^GET' },
    { ...intended, aspect: '^header' },
    { ...intended, theirs: 400 },
    { ...intended, ours: 400 },
    { ...intended, ours: [400, 404] },
    { ...intended, only: 'debian' as const },
  ])
    assert.deepEqual(judge([found], [other], 'newest').unintended, [found], JSON.stringify(other));
});

test('an intended difference that no longer occurs is reported, but not one of another release', () => {
  assert.deepEqual(judge([], [intended], 'newest').stale, [intended]);
  assert.deepEqual(judge([], [{ ...intended, only: 'debian' }], 'newest').stale, []);
  assert.deepEqual(judge([found], [intended], 'newest').stale, []);
});

test('when two intended differences cover a difference, the first counts as having occurred', () => {
  const wider = { ...intended, request: '.' };
  assert.deepEqual(judge([found, found], [intended, wider], 'newest').stale, [wider]);
});

test('each intended difference has a reason and a pattern that compiles, and no two are alike', () => {
  const list = intendedDifferences();
  for (const each of list) {
    assert.match(each.reason, /^\S.+\.$/, JSON.stringify(each));
    assert.doesNotThrow(() => judge([found], [each], 'newest'), JSON.stringify(each));
  }
  assert.equal(
    new Set(
      list.map(({ request, aspect, theirs, ours, only }) =>
        JSON.stringify([request, aspect, theirs, ours, only]),
      ),
    ).size,
    list.length,
  );
});
