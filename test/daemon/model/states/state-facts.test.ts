import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  classOf,
  isFailure,
  provisionStates,
  stateFacts,
  statesOfWork,
} from '../../../../daemon/model/states/provision-states.ts';
import type { Work } from '../../../../daemon/model/states/state-permissions.ts';

const factsOf = (state: (typeof provisionStates)[number]) => stateFacts({ provision_state: state });

const works = {
  verify: ['verifying'],
  inspect: ['inspecting', 'inspect wait'],
  clean: ['cleaning', 'clean wait', 'clean hold'],
  adopt: ['adopting'],
  deploy: ['deploying', 'wait call-back', 'deploy hold'],
  'tear down': ['deleting'],
  rescue: ['rescuing', 'rescue wait', 'rescue'],
  unrescue: ['unrescuing'],
  service: ['servicing', 'service wait', 'service hold'],
};
const failures = {
  inspect: 'inspect failed',
  clean: 'clean failed',
  adopt: 'adopt failed',
  deploy: 'deploy failed',
  'tear down': 'error',
  rescue: 'rescue failed',
  unrescue: 'unrescue failed',
  service: 'service failed',
};

test('each work goes on in exactly the listed states, and fails in one', () => {
  for (const [work, states] of Object.entries(works))
    assert.deepEqual(statesOfWork(work as Work).toSorted(), states.toSorted(), work);
  for (const [work, failed] of Object.entries(failures))
    assert.deepEqual(
      provisionStates.filter((state) => factsOf(state).failed === work),
      [failed],
    );
});

test('every state in which something runs, waits or has failed names its work, and no node at rest has any', () => {
  for (const state of provisionStates) {
    const { work, failed } = factsOf(state);
    assert.equal(failed !== null, isFailure(state), state);
    if (['transient', 'wait', 'hold'].includes(classOf(state))) assert.notEqual(work, null, state);
  }
  const idle = provisionStates.filter((state) => {
    const { work, failed } = factsOf(state);
    return work === null && failed === null;
  });
  assert.deepEqual(idle, ['enroll', 'manageable', 'available', 'active']);
});

test('only an active node is in use', () => {
  assert.deepEqual(
    provisionStates.filter((state) => factsOf(state).inUse),
    ['active'],
  );
});
