import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { readAgentSteps, currentStatus } from '../../../../../daemon/conductor/flows/steps/agent-steps.ts';
import type { JsonObject } from '../../../../../daemon/model/json.ts';
import type { AgentCommand } from '../../../../../daemon/plugin-api/index.ts';
import { stepPhases } from '../../../../../daemon/model/steps/step-phases.ts';

const agentPhases = stepPhases.filter((phase) => phase !== 'verify');
const version = { generic_hardware_manager: '1.2' };

/** Priorities of the clean steps that agent 12.0 reports. */
const GENERIC = {
  'deploy.erase_devices': 10,
  'deploy.erase_devices_metadata': 99,
  'deploy.erase_devices_express': 0,
  'deploy.erase_pstore': 0,
  'deploy.clean_uefi_nvram': 0,
  'raid.delete_configuration': 0,
  'raid.create_configuration': 0,
  'deploy.burnin_cpu': 0,
  'deploy.burnin_gpu': 0,
  'deploy.burnin_disk': 0,
  'deploy.burnin_memory': 0,
  'deploy.burnin_network': 0,
};

function captured(file: string): JsonObject {
  const path = join(import.meta.dirname, '..', '..', '..', '..', 'fixtures', 'agent', file);
  const replies = JSON.parse(readFileSync(path, 'utf8')) as Record<
    string,
    { body: { command_result: JsonObject } }
  >;
  return replies['clean-steps']?.body.command_result ?? {};
}

test('the steps of released agents are read with their priorities and require a ramdisk', () => {
  const steps = readAgentSteps('clean', captured('agent-12.0.json'))?.available ?? [];
  const priorities = Object.fromEntries(
    steps.map((step) => [`${step.interface}.${step.step}`, step.priority]),
  );
  assert.deepEqual(priorities, GENERIC);
  assert.ok(steps.every((step) => step.requires_ramdisk && step.abortable && step.source === 'agent'));
  const nvram = steps.find(({ step }) => step === 'clean_uefi_nvram');
  assert.equal(nvram?.argsinfo['match_patterns']?.required, false);
  const {
    clean_uefi_nvram: _,
    burnin_gpu: __,
    ...older
  } = Object.fromEntries(Object.entries(GENERIC).map(([name, priority]) => [name.split('.')[1], priority]));
  const steps2023 = readAgentSteps('clean', captured('agent-2023.1.json'))?.available ?? [];
  assert.deepEqual(Object.fromEntries(steps2023.map(({ step, priority }) => [step, priority])), older);
});

test('an agent reply that lacks steps or a version, or has an invalid step, is rejected', () => {
  const step = { interface: 'deploy', step: 'x', priority: 1 };
  const good = { clean_steps: { Manager: [step] }, hardware_manager_version: version };
  assert.equal(readAgentSteps('clean', good)?.available.length, 1);
  const bad: readonly JsonObject[] = [
    {},
    { clean_steps: good.clean_steps },
    { hardware_manager_version: version },
    { ...good, clean_steps: [step] },
    { ...good, clean_steps: { Manager: [{ ...step, priority: '1' }] } },
    { ...good, clean_steps: { Manager: [{ step: 'x', priority: 1 }] } },
    { ...good, clean_steps: { Manager: [step, null] } },
    { ...good, clean_steps: { Manager: 'x' } },
  ];
  for (const reply of bad) assert.equal(readAgentSteps('clean', reply), undefined, JSON.stringify(reply));
  assert.equal(readAgentSteps('deploy', good), undefined);
});

test('the first of several steps with the same name is used', () => {
  const steps = [1, 2].map((priority) => ({ interface: 'deploy', step: 'x', priority }));
  const reply = {
    service_steps: { A: [steps[0] ?? {}], B: [steps[1] ?? {}] },
    hardware_manager_version: version,
  };
  assert.deepEqual(
    readAgentSteps('service', reply)?.available.map(({ priority }) => priority),
    [1],
  );
});

test('readAgentSteps does not throw, whatever the agent replies', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (managers, other) => {
      for (const phase of agentPhases) {
        const reply = { [`${phase}_steps`]: managers, hardware_manager_version: other } as JsonObject;
        const steps = readAgentSteps(phase, reply)?.available;
        for (const step of steps ?? []) assert.ok(Number.isInteger(step.priority));
      }
    }),
  );
});

const step = { interface: 'deploy', step: 'erase' };

const command = (
  name: string,
  status: AgentCommand['status'],
  more: Partial<AgentCommand> = {},
): AgentCommand => ({
  id: '1',
  name,
  status,
  error: null,
  result: {},
  ...more,
});

test('the status of a step is derived from the agent commands', () => {
  for (const phase of agentPhases) {
    const execute = `execute_${phase}_step`;
    const got = command(`get_${phase}_steps`, 'SUCCEEDED');
    const ended = (of: object) =>
      command(execute, 'SUCCEEDED', { result: { [`${phase}_step`]: of as JsonObject } });
    const failed = command(execute, 'FAILED', { error: 'no disk' });
    const rows: readonly (readonly [boolean, readonly AgentCommand[], object])[] = [
      [true, [], { kind: 'fresh' }],
      [true, [got, command('get_clean_steps', 'SUCCEEDED')], { kind: 'fresh' }],
      [false, [], { kind: 'fresh' }],
      [true, [got, command('power_off', 'RUNNING')], { kind: 'pending' }],
      [true, [ended(step), command('collect_system_logs', 'SUCCEEDED')], { kind: 'pending' }],
      [true, [got, command(execute, 'RUNNING')], { kind: 'pending' }],
      [
        true,
        [got, ended({ ...step, priority: 1, args: {} })],
        { kind: 'ended', result: ended({ ...step, priority: 1, args: {} }).result },
      ],
      [true, [got, ended({ ...step, step: 'other' })], { kind: 'pending' }],
      [true, [got, ended({ ...step, interface: 'raid' })], { kind: 'pending' }],
      [true, [got, command(execute, 'SUCCEEDED')], { kind: 'pending' }],
      [true, [got, failed], { kind: 'failed', reason: 'no disk' }],
      [true, [got, command(execute, 'FAILED')], { kind: 'failed', reason: 'the agent gave no reason' }],
      [true, [got, command(execute, 'VERSION_MISMATCH')], { kind: 'version mismatch' }],
      [false, [got, ended({ ...step, step: 'other' })], { kind: 'unbegun' }],
      [false, [got, failed], { kind: 'unbegun' }],
      [false, [got, command(execute, 'RUNNING')], { kind: 'pending' }],
    ];
    for (const [wasBegun, commands, expected] of rows) {
      assert.deepEqual(currentStatus(phase, step, wasBegun, commands), expected, JSON.stringify(commands));
    }
  }
});
