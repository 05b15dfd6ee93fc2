import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Evidence, ownershipOf } from '../../../plugins/oneview/server/ownership.ts';

const judged = (evidence: Partial<Evidence>) =>
  ownershipOf({ assigned: '', applied: '', intended: '', assignedName: '', ...evidence });

test('a server without a profile is free, also when the record still names one', () => {
  assert.deepEqual(judged({}), { kind: 'free', isStale: false });
  assert.deepEqual(judged({ applied: '/rest/a' }), { kind: 'free', isStale: true });
});

test('a server with the recorded profile is used by Ironic; case and a final slash of the URI do not matter', () => {
  const used = { kind: 'ironic', profile: '/rest/A/', isRecorded: true };
  assert.deepEqual(judged({ assigned: '/rest/A/', applied: '/rest/a' }), used);
});

test('a server with another profile is used by OneView', () => {
  const used = { kind: 'oneview', profile: '/rest/b' };
  assert.deepEqual(judged({ assigned: '/rest/b', applied: '/rest/a' }), used);
  assert.deepEqual(judged({ assigned: '/rest/b' }), used);
  assert.deepEqual(judged({ assigned: '/rest/b', intended: 'ours', assignedName: 'theirs' }), used);
  assert.deepEqual(judged({ assigned: '/rest/b', intended: '', assignedName: '' }), used);
});

test('a profile that the driver was creating when it stopped is recognised by its name', () => {
  assert.deepEqual(judged({ assigned: '/rest/b', intended: 'ours', assignedName: 'ours' }), {
    kind: 'ironic',
    profile: '/rest/b',
    isRecorded: false,
  });
});
