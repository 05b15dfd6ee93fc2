// The verbs of states/provision: their events, their first versions and what maintenance forbids.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { next, provisionStates } from '../../../../daemon/model/states/provision-states.ts';
import {
  adviceFor,
  isProvisionVerb,
  provisionVerbs,
  verbOf,
  verbsBefore,
  verbSince,
} from '../../../../daemon/model/states/verbs.ts';

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

test('a verb that a state refuses is preceded by the verbs that lead to it, none of which takes anything away', () => {
  for (const [state, verb, first] of [
    ['enroll', 'inspect', ['manage']],
    ['enroll', 'active', ['manage', 'provide']],
    ['available', 'clean', ['manage']],
    ['clean failed', 'provide', ['manage']],
    ['rescue', 'service', ['unrescue']],
    ['active', 'inspect', []],
    ['available', 'rescue', []],
    ['manageable', 'manage', []],
    ['manageable', 'inspect', []],
  ] as const)
    assert.deepEqual(verbsBefore(state, verb), first, `${verb} in ${state}`);
  assert.equal(adviceFor('enroll', 'inspect'), ' Request "manage" first.');
  assert.equal(adviceFor('enroll', 'active'), ' Request "manage", then "provide" first.');
  assert.equal(adviceFor('clean wait', 'provide'), ' Wait until this work has ended, or abort it.');
  assert.equal(adviceFor('cleaning', 'provide'), ' Wait until this work has ended.');
  assert.equal(adviceFor('active', 'inspect'), '');
});

test('the verbs that precede a verb are accepted one after another, and then the verb is', () => {
  for (const state of provisionStates)
    for (const verb of provisionVerbs) {
      let at = state;
      const first = verbsBefore(state, verb);
      for (const each of first) {
        assert.notEqual(next(at, verbOf(each).event), undefined);
        at = verbOf(each).reaches ?? at;
      }
      if (first.length > 0) assert.notEqual(next(at, verbOf(verb).event), undefined, `${verb} in ${state}`);
    }
});
