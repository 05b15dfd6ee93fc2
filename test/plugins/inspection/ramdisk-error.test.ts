// Errors that the ramdisk reports.
import assert from 'node:assert/strict';
import test from 'node:test';
import type { Json } from '#plugin-api';
import { ramdiskError } from '../../../plugins/inspection/ramdisk-error.ts';
import { draftOf, draftOfFixture } from './draft.ts';

const reported = (error: Json) => () => ramdiskError.preprocess?.(draftOf({ pluginData: { error } }));

test('a null, empty or missing error passes', () => {
  assert.doesNotThrow(reported(null));
  assert.doesNotThrow(reported(''));
  assert.doesNotThrow(() => ramdiskError.preprocess?.(draftOf({})));
});

test("the ramdisk's error is reported with all of its lines", () => {
  assert.throws(reported('no disks'), {
    name: 'InspectionError',
    message: 'Ramdisk reported error: no disks',
  });
  assert.throws(() => ramdiskError.preprocess?.(draftOfFixture('constructed-error')), {
    name: 'InspectionError',
    message: /^Ramdisk reported error: .*\n\* .*\n\* /,
  });
});

test('an error of an unexpected type is reported as JSON', () => {
  assert.throws(reported({ code: 5 }), { message: 'Ramdisk reported error: {"code":5}' });
});

test('a very long error is truncated', () => {
  assert.throws(reported('x'.repeat(1_000_000)), (error: Error) => error.message.length < 3100);
});
