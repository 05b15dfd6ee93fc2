// The config drives that a provision request accepts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { checkedConfigdrive } from '../../../../daemon/api/bodies/configdrive.ts';
import { Fault } from '../../../../daemon/model/faults.ts';
import { provisionVerbs, type ProvisionVerb } from '../../../../daemon/model/states/verbs.ts';
import { throwsFault } from '../../../fakes/faults.ts';

const refused = (given: unknown, reason: RegExp, verb: ProvisionVerb = 'active', minor = 115) =>
  throwsFault(() => checkedConfigdrive(given, verb, minor), 400, reason);

const accepted = (given: unknown, verb: ProvisionVerb = 'active', minor = 115) =>
  assert.deepEqual(checkedConfigdrive(given, verb, minor), given);

test('an empty config drive is null, also for a verb that takes no config drive', () => {
  for (const given of ['', {}]) assert.equal(checkedConfigdrive(given, 'manage', 1), null);
});

test('a config drive is valid with active, and with rebuild since 1.35', () => {
  accepted('QUJD', 'active', 1);
  accepted('QUJD', 'rebuild', 35);
  refused('QUJD', /only valid with target active/, 'rebuild', 34);
  for (const verb of provisionVerbs.filter((each) => each !== 'active' && each !== 'rebuild'))
    refused('QUJD', /only valid with target active/, verb);
});

test('a config drive string must be a URL or base64', () => {
  for (const given of ['https://h/a b', 'file:///x', 'QUJD\nREU=\n', 'a+/=']) accepted(given);
  for (const given of ['no-base64!', 'ä', 'http:/h']) refused(given, /neither a URL nor base64/);
});

test('a config drive object is accepted since 1.56, and vendor_data since 1.59', () => {
  const documents = { meta_data: { a: 1 }, network_data: {}, user_data: 'x' };
  accepted(documents, 'active', 56);
  refused(documents, /since API 1\.56/, 'active', 55);
  accepted({ vendor_data: {} }, 'rebuild', 59);
  refused({ vendor_data: {} }, /since API 1\.59/, 'active', 58);
});

test('user_data is an object, a list, a string or null; the other documents are objects', () => {
  for (const value of [{}, [], 'x', null]) accepted({ user_data: value });
  refused({ user_data: 5 }, /user_data is not/);
  for (const name of ['meta_data', 'network_data', 'vendor_data']) {
    for (const value of ['x', null, [], 5]) refused({ [name]: value }, new RegExp(`${name} is not`));
  }
});

test('an unknown document in a config drive is refused', () => {
  for (const name of ['other', 'toString'])
    refused({ [name]: {} }, new RegExp(`${name} is not one of meta_data`));
  refused(JSON.parse('{"__proto__": {}}'), /__proto__ is not one of/);
});

test('a config drive that is neither a string nor an object is refused', () => {
  for (const given of [5, 0, false, true, [], ['QUJD']]) refused(given, /neither an object nor a string/);
});

test('a refusal does not quote the config drive', () => {
  refused('hush, secret!', /^(?!.*hush)/);
  refused({ meta_data: 'hush' }, /^(?!.*hush)/);
});

test('any JSON value is returned unchanged, returned as null or refused with a fault', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (given) => {
      try {
        const taken = checkedConfigdrive(given, 'active', 115);
        assert.ok(taken === null || taken === given);
      } catch (error) {
        assert.ok(error instanceof Fault, String(error));
      }
    }),
  );
});
