import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requestedRange } from '../../../../daemon/boot/http/byte-range.ts';

const SIZE = 100;

for (const [header, expected] of [
  ['bytes=0-9', { start: 0, end: 10 }],
  ['bytes=90-', { start: 90, end: 100 }],
  ['bytes=90-999999999999999999999', { start: 90, end: 100 }],
  ['bytes=99-99', { start: 99, end: 100 }],
  ['bytes=-1', { start: 99, end: 100 }],
  ['bytes=-500', { start: 0, end: 100 }],
  ['Bytes=5-6', { start: 5, end: 7 }],
] as const) {
  test(`${header} is satisfiable for ${SIZE} bytes`, () => {
    assert.deepEqual(requestedRange(header, SIZE), expected);
  });
}

for (const header of ['bytes=100-', 'bytes=100-200', 'bytes=-0', `bytes=${'9'.repeat(400)}-`]) {
  test(`${header.slice(0, 20)} is unsatisfiable for ${SIZE} bytes`, () => {
    assert.equal(requestedRange(header, SIZE), 'unsatisfiable');
  });
}

test('empty content has no range', () => {
  for (const header of ['bytes=0-', 'bytes=0-0', 'bytes=-5'])
    assert.equal(requestedRange(header, 0), 'unsatisfiable');
});

test('a missing or malformed header, another unit and several ranges ask for the whole content', () => {
  const headers = [
    'bytes',
    'bytes=',
    'bytes=-',
    'bytes=9-5',
    'bytes=a-b',
    'bytes=1-2-3',
    'bytes=0x1-5',
    'lines=0-5',
  ];
  for (const header of [
    undefined,
    ...headers,
    'bytes=+1-5',
    'bytes=0-1,5-6',
    'bytes=0-1,',
    'bytes = 0-1',
    'bytes=1e1-',
  ])
    assert.equal(requestedRange(header, SIZE), undefined, header);
});
