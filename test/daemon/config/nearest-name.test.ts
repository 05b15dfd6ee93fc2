import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestName } from '../../../daemon/config/nearest-name.ts';

test('a name matches with up to two typos, ignoring case', () => {
  const known = ['port', 'host_ip', 'public_endpoint'];
  assert.equal(nearestName('prot', known), 'port');
  assert.equal(nearestName('PORT', known), 'port');
  assert.equal(nearestName('public_endpiont', known), 'public_endpoint');
  assert.equal(nearestName('publc_endpoin', known), 'public_endpoint');
  assert.equal(nearestName('publ_endpoin', known), undefined);
});

test('the nearest name is chosen, and the first of equally near names', () => {
  assert.equal(nearestName('agents', ['agent_x', 'agent', 'agenta']), 'agent');
  assert.equal(nearestName('boat', ['boot', 'bolt']), 'boot');
});

test('a name of two or three letters matches with one typo at most, a name of one letter with none', () => {
  assert.equal(nearestName('oci', ['api']), undefined);
  assert.equal(nearestName('aip', ['api']), 'api');
  assert.equal(nearestName('x', ['y']), undefined);
});
