import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentCommand, JsonObject } from '../../../daemon/plugin-api/index.ts';
import { agentPower } from '../../../plugins/agent/power.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { fakeTask } from '../../fakes/task.ts';

const node = { driver_info: { fast_track: true } };

test('a machine is rebooted by its agent, and soft and hard reboots are the same', async () => {
  const commands: string[] = [];
  const start = async (name: string, parameters: JsonObject): Promise<AgentCommand> => {
    commands.push(`${name} ${JSON.stringify(parameters)}`);
    return { id: '1', name, status: 'RUNNING', error: null, result: {} };
  };
  const task = fakeTask({ node, agentIsAlive: true, agent: { start } });
  await agentPower.validate(task);
  await agentPower.setPowerState(task, 'rebooting', 60);
  await agentPower.setPowerState(task, 'soft rebooting', 60);
  assert.deepEqual(commands, ['standby.run_image {}', 'standby.run_image {}']);
});

test('power actions other than a reboot are refused: nothing can switch the machine on or off', async () => {
  const task = fakeTask({ node, agentIsAlive: true });
  for (const target of ['power on', 'power off', 'soft power off'] as const)
    await rejectsFault(agentPower.setPowerState(task, target, 60), 'PowerStateFailure', /by hand/);
});

test('the power state is on while the agent is alive, and otherwise unknown', async () => {
  assert.equal(await agentPower.getPowerState(fakeTask({ agentIsAlive: true })), 'power on');
  assert.equal(await agentPower.getPowerState(fakeTask({ agentIsAlive: false })), null);
});

test('validation says what is missing: fast track, or an agent', async () => {
  assert.throws(() => agentPower.validate(fakeTask({ agentIsAlive: true })), /set \[deploy\] fast_track/);
  assert.throws(() => agentPower.validate(fakeTask({ node })), /has sent no heartbeat .* by hand/);
  const configuration = { deploy: { fast_track: true } };
  await agentPower.validate(fakeTask({ configuration, agentIsAlive: true }));
  const off = { driver_info: { fast_track: false } };
  assert.throws(
    () => agentPower.validate(fakeTask({ node: off, configuration, agentIsAlive: true })),
    /fast_track/,
  );
});
