// Which API version the headers of a request ask for.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { Fault } from '../../../daemon/model/faults.ts';
import {
  MAXIMUM_MINOR,
  MINIMUM_MINOR,
  requestedMinor,
  versionText,
} from '../../../daemon/model/microversions.ts';

const refuses = (code: string, standard: string | undefined, legacy: string | undefined) =>
  assert.throws(
    () => requestedMinor(standard, legacy),
    (error) => error instanceof Fault && error.status === 406 && error.code === code,
    `${standard} ${legacy}`,
  );

test('a request without a version gets 1.1, not the latest', () => {
  assert.equal(requestedMinor(undefined, undefined), 1);
  assert.equal(requestedMinor(undefined, ''), 1);
});

test('every version from 1.1 to 1.115 can be asked for in either header', () => {
  assert.deepEqual([MINIMUM_MINOR, MAXIMUM_MINOR], [1, 115]);
  for (let minor = MINIMUM_MINOR; minor <= MAXIMUM_MINOR; minor++) {
    assert.equal(requestedMinor(undefined, versionText(minor)), minor);
    assert.equal(requestedMinor(`baremetal ${versionText(minor)}`, undefined), minor);
  }
});

test('the standard header overrides the legacy header', () => {
  assert.equal(requestedMinor('baremetal 1.90', '1.50'), 90);
  assert.equal(requestedMinor('BareMetal latest', '1.50'), 115);
});

test('a standard header for other services leaves the legacy header in effect', () => {
  assert.equal(requestedMinor('compute 2.1', '1.50'), 50);
  assert.equal(requestedMinor('compute 2.1, identity 3.0', undefined), 1);
});

test('the last baremetal pair of the standard header applies', () => {
  assert.equal(requestedMinor('compute 2.1, baremetal 1.80', undefined), 80);
  assert.equal(requestedMinor('baremetal 1.80,volume 3.1,  baremetal   1.81 ', undefined), 81);
});

test('the word latest, in upper or lower case, is the newest version', () => {
  for (const text of ['latest', 'LATEST', ' Latest ']) assert.equal(requestedMinor(undefined, text), 115);
});

test('a version outside the range is refused and the answer names the range', () => {
  for (const text of ['1.0', '1.116', '2.1', '0.5', '1.999999999'])
    refuses('VersionOutOfRange', undefined, text);
  assert.throws(() => requestedMinor('baremetal 1.116', '1.50'), /Version 1\.116 .* 1\.1 to 1\.115/);
});

test('an unparsable version is refused and a long value is truncated in the answer', () => {
  for (const text of [' ', 'foo', '1', '1.', '.1', '1.2.3', '1.x', '-1.5', '1,5', '１.５'])
    refuses('VersionUnparsable', undefined, text);
  assert.throws(
    () => requestedMinor(undefined, 'x'.repeat(10_000)),
    (error) => error instanceof Fault && error.message.length < 200,
  );
});

test('any two headers yield a supported version or a 406', () => {
  const header = fc.option(
    fc.oneof(
      fc.string(),
      fc.string().map((text) => `baremetal ${text}`),
      fc.tuple(fc.nat(3), fc.nat(200)).map(([major, minor]) => `${major}.${minor}`),
      fc.tuple(fc.nat(3), fc.nat(200)).map(([major, minor]) => `a 1.1, baremetal ${major}.${minor}`),
    ),
    { nil: undefined },
  );
  fc.assert(
    fc.property(header, header, (standard, legacy) => {
      try {
        const minor = requestedMinor(standard, legacy);
        return Number.isInteger(minor) && minor >= MINIMUM_MINOR && minor <= MAXIMUM_MINOR;
      } catch (error) {
        return error instanceof Fault && error.status === 406;
      }
    }),
    { numRuns: 1000 },
  );
});
