import assert from 'node:assert/strict';
import test from 'node:test';
import { driverInfoFlag, type Json } from '../../../daemon/plugin-api/index.ts';
import { fakeNode } from '../../fakes/task.ts';

const flag = (value: Json, otherwise = false) =>
  driverInfoFlag(fakeNode({ driver_info: { flag: value } }), 'flag', otherwise);

test("booleans and Ironic's words for them are accepted", () => {
  for (const on of [true, 'true', 'True', '1', 1, 't', 'on', 'y', 'YES']) assert.equal(flag(on), true);
  for (const off of [false, 'false', '0', 0, 'f', 'off', 'n', 'no']) assert.equal(flag(off, true), false);
});

test('a flag that is null or empty has its default', () => {
  for (const absent of [null, '']) {
    assert.equal(flag(absent, true), true);
    assert.equal(flag(absent, false), false);
  }
});

test('other values are refused', () => {
  for (const wrong of ['perhaps', 'toString', '2', {}]) {
    assert.throws(() => flag(wrong), {
      code: 'DriverInfoInvalid',
      message: /Expected (true or false|a string)\.$/,
    });
  }
});
