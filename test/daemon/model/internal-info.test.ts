import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  changeInfo,
  type InternalInfoChanges,
  keyChange,
  keysUntil,
} from '../../../daemon/model/internal-info.ts';
import { stepPhases } from '../../../daemon/model/steps/step-phases.ts';

test('a change sets and removes keys, and leaves the keys of plugins', () => {
  const info = { agent_url: 'http://a', agent_version: '9', vendor_key: [1] };
  const changes = { agent_url: null, agent_last_lookup: 'now' };
  assert.deepEqual(changeInfo({ driver_internal_info: info }, changes, ['agent_version']), {
    driver_internal_info: { vendor_key: [1], agent_last_lookup: 'now' },
  });
});

test('a key that is both removed and changed gets the new value', () => {
  const node = { driver_internal_info: { clean_step_index: 4 } };
  assert.deepEqual(changeInfo(node, { clean_step_index: 0 }, keysUntil('clean flow')), {
    driver_internal_info: { clean_step_index: 0 },
  });
});

test('each phase has a plan and a step index; its start and its end remove both, but not the plan of another phase', () => {
  for (const phase of stepPhases) {
    const removed = keysUntil(`${phase} flow`);
    assert.ok(removed.includes(`${phase}_steps`) && removed.includes(`${phase}_step_index`), phase);
    for (const other of stepPhases.filter((each) => each !== phase))
      assert.ok(!removed.includes(`${other}_steps`), `${phase} flow removes ${other}_steps`);
  }
});

test('when an agent ends, its cached steps, version and last heartbeat are kept; its URL, certificate and token are not', () => {
  const removed = keysUntil('agent', 'token');
  for (const kept of ['agent_cached_clean_steps', 'agent_version', 'agent_last_heartbeat'] as const)
    assert.ok(!removed.includes(kept), kept);
  for (const gone of ['agent_url', 'agent_verify_ca', 'agent_secret_token'] as const)
    assert.ok(removed.includes(gone), gone);
});

test('a value of the wrong type does not compile', () => {
  const index: InternalInfoChanges = keyChange('clean_step_index', 1);
  // @ts-expect-error an index is a number
  const wrong: InternalInfoChanges = keyChange('clean_step_index', '1');
  assert.deepEqual([index, wrong], [{ clean_step_index: 1 }, { clean_step_index: '1' }]);
});
