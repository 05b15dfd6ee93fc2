// Runs a step of an interface against a simulated BMC and polls the step, as the daemon does.
import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { JsonObject, Step, StepOutcome, Task } from '../../../daemon/plugin-api/index.ts';
import { redfishManagement } from '../../../plugins/redfish/management/management.ts';
import { redfishPower } from '../../../plugins/redfish/power/power.ts';
import { type LabSettings, redfishLab, type RedfishLab } from './redfish-lab.ts';

/** A lab in which `lab.task.setPower` changes the power of the simulated machine. */
export async function steppingLab(t: TestContext, settings: LabSettings = {}): Promise<RedfishLab> {
  const lab = await redfishLab(t, {
    ...settings,
    task: {
      driver: { management: redfishManagement, power: redfishPower, boot: {} as never },
      ...settings.task,
    },
  });
  const setPower: Task['setPower'] = (target) => redfishPower.setPowerState(lab.task, target, 60);
  Object.assign(lab.task, { setPower });
  return lab;
}

/** Polls a step until it no longer waits, and returns its outcome. Throws when it still waits after 400 polls. */
export async function polled(
  { task }: RedfishLab,
  step: Step | undefined,
  given: JsonObject = {},
): Promise<StepOutcome> {
  const { poll } = step ?? {};
  assert.ok(poll !== undefined);
  for (let times = 0; times < 400; times += 1) {
    const outcome = await poll.check(task, given);
    if (outcome !== 'wait') return outcome;
    await task.clock.advance(poll.intervalSeconds * 1000);
  }
  throw new Error('the step still waits');
}

export async function ran(
  lab: RedfishLab,
  step: Step | undefined,
  given: JsonObject = {},
): Promise<StepOutcome> {
  const outcome = await step?.run(lab.task, given);
  assert.ok(outcome !== undefined);
  return outcome === 'wait' ? polled(lab, step, given) : outcome;
}
