// The verbs of states/provision: their events, their first versions and what maintenance forbids.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { provisionStates } from '../../../../daemon/model/states/provision-states.ts';
import { isProvisionVerb, provisionVerbs, verbOf, verbSince } from '../../../../daemon/model/states/verbs.ts';

const events = {
  active: 'deploy',
  deploy: 'deploy',
  rebuild: 'rebuild',
  deleted: 'delete',
  undeploy: 'delete',
  manage: 'manage',
  provide: 'provide',
  inspect: 'inspect',
  abort: 'abort',
  clean: 'clean',
  adopt: 'adopt',
  rescue: 'rescue',
  unrescue: 'unrescue',
  unhold: 'unhold',
  service: 'service',
};

const since = {
  active: 1,
  deploy: 73,
  rebuild: 1,
  deleted: 1,
  undeploy: 1,
  manage: 4,
  provide: 4,
  inspect: 6,
  abort: 13,
  clean: 15,
  adopt: 17,
  rescue: 38,
  unrescue: 38,
  unhold: 85,
  service: 87,
};

test('each verb fires its event', () => {
  assert.deepEqual(Object.fromEntries(provisionVerbs.map((verb) => [verb, verbOf(verb).event])), events);
});

test('each verb is accepted from its API version on', () => {
  assert.deepEqual(Object.fromEntries(provisionVerbs.map((verb) => [verb, verbOf(verb).since])), since);
});

test('abort is accepted in inspect wait from 1.41 and in wait call-back from 1.110', () => {
  const later = { 'inspect wait': 41, 'wait call-back': 110 };
  for (const state of provisionStates)
    assert.equal(verbSince('abort', state), later[state as keyof typeof later] ?? 13, state);
});

test('every verb except abort has the same first version in all states', () => {
  for (const verb of provisionVerbs.filter((each) => each !== 'abort'))
    for (const state of provisionStates)
      assert.equal(verbSince(verb, state), since[verb], `${verb} in ${state}`);
});

test('maintenance forbids exactly the listed verbs', () => {
  assert.deepEqual(provisionVerbs.filter((verb) => verbOf(verb).notInMaintenance === true).toSorted(), [
    'active',
    'clean',
    'deploy',
    'rebuild',
    'rescue',
    'service',
    'unrescue',
  ]);
});

test('internal events and names of Object.prototype members are not verbs', () => {
  for (const text of ['done', 'fail', 'wait', 'resume', 'hold', 'delete', '', 'toString', '__proto__'])
    assert.equal(isProvisionVerb(text), false, text);
});
