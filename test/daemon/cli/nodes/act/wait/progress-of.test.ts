import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeVerbs } from '../../../../../../daemon/cli/nodes/act/node-verbs.ts';
import { progressOf } from '../../../../../../daemon/cli/nodes/act/wait/progress-of.ts';
import type { JsonObject } from '../../../../../../daemon/model/json.ts';

const idle = {
  power_state: 'power off',
  target_power_state: null,
  last_error: null,
  provision_state: 'manageable',
};
const progress = (words: string, node: JsonObject, goal: string | null = null) => {
  const verb = nodeVerbs[words];
  assert.ok(verb);
  return progressOf(verb, { ...idle, ...node }, goal);
};

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
  assert.equal(progress('deploy', active, 'active').kind, 'done');
  const failed = { provision_state: 'deploy failed', last_error: 'no disk' };
  assert.deepEqual(progress('deploy', failed, 'active'), {
    kind: 'failed',
    text: 'deploy failed: no disk',
    share: 1,
  });
  assert.equal(
    progress('manage', { provision_state: 'enroll', last_error: 'no BMC' }, 'manageable').kind,
    'failed',
  );
});

test('work whose target was never seen has failed if the node has an error, and is done otherwise', () => {
  assert.equal(progress('manage', {}).kind, 'done');
  assert.equal(progress('manage', { provision_state: 'enroll', last_error: 'no BMC' }).kind, 'failed');
});

test('a node on hold ends the wait, and the text names the command that continues the steps', () => {
  const { kind, text } = progress('clean', { provision_state: 'clean hold' }, 'manageable');
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
