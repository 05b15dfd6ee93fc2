import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Candidate,
  candidatesFor,
  mismatches,
} from '../../../../../daemon/conductor/records/allocations/allocation-candidates.ts';

const request = { name: null, resource_class: 'gold', candidate_nodes: [], traits: [], owner: null };

const node = (uuid: string, given: Partial<Candidate> = {}): Candidate => ({
  uuid,
  name: null,
  resource_class: 'gold',
  traits: [],
  owner: null,
  lessee: null,
  instance_uuid: null,
  maintenance: false,
  power_state: 'power off',
  target_power_state: null,
  ...given,
});

const counting = () => {
  let next = 0;
  return () => (next += 0.1);
};

function found(wanted: object, nodes: readonly Candidate[], random: () => number = counting()) {
  const candidates = candidatesFor({ ...request, ...wanted }, nodes, random);
  return candidates.kind === 'found' ? candidates.nodes.map(({ uuid }) => uuid) : candidates.reason;
}

test('all free nodes of the resource class are candidates, in random order', () => {
  const nodes = [node('a'), node('b'), node('c')];
  assert.deepEqual(found({}, nodes), ['a', 'b', 'c']);
  const falling = counting();
  assert.deepEqual(
    found({}, nodes, () => -falling()),
    ['c', 'b', 'a'],
  );
});

test('the node with the name of the allocation is the first candidate', () => {
  const nodes = [node('a'), node('b'), node('c', { name: 'web-1' })];
  assert.deepEqual(found({ name: 'web-1' }, nodes), ['c', 'a', 'b']);
});

test('an allocation without a name does not prefer a node without a name', () => {
  assert.deepEqual(found({}, [node('a', { name: 'x' }), node('b')]), ['a', 'b']);
});

const good = node('good', { traits: ['CUSTOM_A', 'CUSTOM_B'], owner: 'me' });
const asked = { candidate_nodes: ['good', 'bad'], traits: ['CUSTOM_B'], owner: 'me' };
const unfit: readonly (readonly [string, Partial<Candidate>, RegExp])[] = [
  [
    'of another resource class',
    { resource_class: 'silver' },
    /match the resource class gold \(nodes available: 1\)/,
  ],
  ['that the request does not list', { uuid: 'other' }, /is among the candidates good, bad/],
  ['of another owner and lessee', { owner: 'you', lessee: 'them' }, /is owned or leased by me/],
  ['without a wanted trait', { traits: ['CUSTOM_A'] }, /has all of the traits CUSTOM_B/],
  ['with an instance', { instance_uuid: 'i' }, /is without an instance/],
  ['in maintenance', { maintenance: true }, /is out of maintenance/],
  ['of unknown power state', { power_state: null }, /has a known power state/],
];

for (const [what, flaw, reason] of unfit) {
  test(`a node ${what} is not a candidate, and the reason is reported if no other node matches`, () => {
    const bad = { ...good, uuid: 'bad', ...flaw };
    assert.deepEqual(found(asked, [bad, good]), ['good']);
    assert.match(String(found(asked, [bad])), reason);
  });
}

test('a lessee can allocate a node of another owner', () => {
  assert.deepEqual(found(asked, [{ ...good, owner: 'you', lessee: 'me' }]), ['good']);
});

test('if no node is available, the reason for finding no candidate names the resource class', () => {
  assert.equal(found({}, []), 'no available nodes match the resource class gold (nodes available: 0)');
});

test('the reason for finding no candidate names the first unmet requirement and counts the nodes that met the earlier ones', () => {
  const nodes = [node('a', { resource_class: 'x' }), node('b'), node('c')];
  assert.equal(
    found({ traits: ['CUSTOM_A'] }, nodes),
    'of the 2 available nodes that match so far, none has all of the traits CUSTOM_A',
  );
});

test('every mismatch between a node and an allocation request is reported', () => {
  assert.deepEqual(mismatches(good, { ...request, ...asked }), []);
  assert.deepEqual(mismatches(node('n'), { ...request, ...asked, resource_class: null }), [
    'node n does not match: expected one that is among the candidates good, bad',
    'node n does not match: expected one that is owned or leased by me',
    'node n does not match: expected one that has all of the traits CUSTOM_B',
  ]);
});
