import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeVerbs } from '../../../../../../daemon/cli/nodes/act/node-verbs.ts';
import { progressOf } from '../../../../../../daemon/cli/nodes/act/wait/progress-of.ts';
import { verbOf } from '../../../../../../daemon/model/states/verbs.ts';
import { provisionStates } from '../../../../../../daemon/model/states/provision-states.ts';
import type { JsonObject } from '../../../../../../daemon/model/json.ts';

const idle = {
  power_state: 'power off',
  target_power_state: null,
  last_error: null,
  provision_state: 'manageable',
};
type VerbWords = keyof typeof nodeVerbs;
const progress = (words: VerbWords, node: JsonObject) => progressOf(nodeVerbs[words], { ...idle, ...node });

test('the progress of a deployment gives the current step, and the fraction of steps that are done', () => {
  const node = {
    provision_state: 'deploying',
    deploy_step: { interface: 'deploy', step: 'write_image' },
    driver_internal_info: { deploy_steps: [{}, {}, {}, {}], deploy_step_index: 1 },
  };
  assert.deepEqual(progress('deploy', node), {
    kind: 'works',
    text: 'deploying, step 2 of 4: deploy.write_image',
    share: 0.25,
  });
  assert.deepEqual(progress('deploy', { provision_state: 'wait call-back' }), {
    kind: 'works',
    text: 'wait call-back',
    share: 0,
  });
});

test('work that has ended is done if the node is in its target state, and has failed otherwise', () => {
  const active = { provision_state: 'active' };
  assert.equal(progress('deploy', active).kind, 'done');
  const failed = { provision_state: 'deploy failed', last_error: 'no disk' };
  assert.deepEqual(progress('deploy', failed), {
    kind: 'failed',
    text: 'deploy failed: no disk',
    share: 1,
  });
  assert.equal(progress('manage', { provision_state: 'enroll', last_error: 'no BMC' }).kind, 'failed');
});

test('each verb is done only in the state that it leads to, whatever error the node has or lacks', () => {
  const reached = (Object.keys(nodeVerbs) as VerbWords[]).flatMap((words) => {
    const verb = nodeVerbs[words];
    const state = verb.kind === 'provision' ? verbOf(verb.target).reaches : undefined;
    return state === undefined ? [] : [[words, state] as const];
  });
  assert.equal(reached.length, 11);
  for (const [words, state] of reached) {
    assert.equal(progress(words, { provision_state: state }).kind, 'done', words);
    for (const other of provisionStates.filter((each) => each !== state))
      assert.notEqual(progress(words, { provision_state: other }).kind, 'done', `${words}: ${other}`);
  }
});

test('a node on hold ends the wait, and the text names the command that continues the steps', () => {
  const { kind, text } = progress('clean', { provision_state: 'clean hold' });
  assert.deepEqual([kind, text], ['failed', 'clean hold: "ironic-edge node unhold" continues the steps']);
});

test('a power request is at work as long as the node has a target power state', () => {
  const on = { power_state: 'power on' };
  assert.equal(progress('power on', { target_power_state: 'power on' }).kind, 'works');
  assert.equal(progress('power reboot', on).kind, 'done');
  assert.deepEqual(progress('power off', { ...on, last_error: 'BMC is busy' }), {
    kind: 'failed',
    text: 'power on: BMC is busy',
    share: 1,
  });
});

test('a power action that failed is never done, although the power state is what it was to be', () => {
  const last_error = 'Failed to change power state to "power off": no answer from the BMC';
  assert.equal(progress('power off', { last_error }).kind, 'failed');
  const on = { power_state: 'power on', last_error };
  for (const words of ['power on', 'power reboot', 'power soft-reboot'] as const)
    assert.equal(progress(words, on).kind, 'failed', words);
  // the error of a failed state stays, and says nothing about power
  const failed = { provision_state: 'deploy failed', last_error: 'no disk' };
  assert.equal(progress('power off', failed).kind, 'done');
  assert.equal(progress('power off', { ...failed, last_error }).kind, 'failed');
});
