import assert from 'node:assert/strict';
import { test } from 'node:test';
import { healthWork, parseHealth } from '../../../plugins/ipmi/health.ts';
import { startIpmiSim } from '../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { ipmiTask } from './ipmi-task.ts';

const status = (faulty: readonly string[]) =>
  [
    'System Power         : on',
    ...['Power Overload', 'Main Power Fault', 'Power Control Fault', 'Drive Fault', 'Cooling/Fan Fault'].map(
      (part) => `${part.padEnd(21)}: ${faulty.includes(part)}`,
    ),
    'Power Restore Policy : always-off',
    'Chassis Intrusion    : inactive',
  ].join('\n');

test('a fan or drive fault is Warning, a power fault is Critical, and Critical takes precedence', () => {
  assert.equal(parseHealth(status([])), 'OK');
  assert.equal(parseHealth(status(['Drive Fault'])), 'Warning');
  assert.equal(parseHealth(status(['Cooling/Fan Fault'])), 'Warning');
  for (const part of ['Power Overload', 'Main Power Fault', 'Power Control Fault'])
    assert.equal(parseHealth(status([part, 'Drive Fault'])), 'Critical', part);
  assert.equal(parseHealth(''), 'OK');
});

test('the health of a node with a known power state is read from its BMC and stored on change', async (t) => {
  const sim = await startIpmiSim();
  t.after(() => sim.stop());
  const task = ipmiTask(sim, {}, { node: { power_state: 'power off' } });
  await healthWork.run(task);
  assert.equal(task.node.health, 'OK');
  await healthWork.run(task);
  assert.deepEqual(task.done, ['update'], 'what has not changed is not stored again');
  const unverified = ipmiTask(sim);
  await healthWork.run(unverified);
  assert.equal(unverified.conversations.length, 0);
  assert.deepEqual(healthWork.interval, { section: 'ipmi', option: 'health_interval' });
});
