// Indicators (LEDs) of a machine: list, read and set them.
import { fault } from '../../model/faults.ts';
import type { Indicator, IndicatorState } from '../../model/machine/indicators.ts';
import { nodeOrFault, withTask } from '../tasks/run-task.ts';
import type { Caller, Services } from '../services.ts';
import { NodeTask } from '../tasks/task.ts';
import { unsupported } from './unsupported.ts';

/** Takes no lock. */
export function listIndicators(
  services: Services,
  caller: Caller,
  uuid: string,
): Promise<readonly Indicator[]> {
  return list(new NodeTask(services, nodeOrFault(services, uuid), caller));
}

async function list(task: NodeTask): Promise<readonly Indicator[]> {
  const { management } = task.driver;
  await management.validate(task.view);
  if (management.listIndicators === undefined) throw unsupported(task, 'indicators');
  return management.listIndicators(task.view);
}

export interface IndicatorId {
  readonly name: string;
  readonly component: string;
}

/** Throws InvalidParameter when the machine has no such indicator. */
export function getIndicator(
  services: Services,
  caller: Caller,
  uuid: string,
  id: IndicatorId,
): Promise<IndicatorState> {
  return withTask(services, caller, uuid, async (task) => {
    const indicator = await find(task, id);
    const { management } = task.driver;
    if (management.getIndicatorState === undefined) throw unsupported(task, 'get_indicator_state');
    return management.getIndicatorState(task.view, indicator);
  });
}

export interface IndicatorChange extends IndicatorId {
  readonly state: IndicatorState;
}

/** Throws InvalidParameter when the machine has no such indicator, or it cannot be set to the state. */
export function setIndicator(
  services: Services,
  caller: Caller,
  uuid: string,
  { state, ...id }: IndicatorChange,
): Promise<void> {
  return withTask(services, caller, uuid, async (task) => {
    const indicator = await find(task, id);
    const { management } = task.driver;
    if (management.setIndicatorState === undefined) throw unsupported(task, 'set_indicator_state');
    if (indicator.readonly || !indicator.states.includes(state)) {
      const takes = indicator.readonly ? 'it is read-only' : `expected one of ${indicator.states.join(', ')}`;
      throw fault('InvalidParameter', { name: 'state', reason: `${id.name}@${id.component}: ${takes}` });
    }
    await management.setIndicatorState(task.view, indicator, state);
  });
}

async function find(task: NodeTask, { name, component }: IndicatorId): Promise<Indicator> {
  const all = await list(task);
  const found = all.find((one) => one.name === name && one.component === component);
  if (found !== undefined) return found;
  const known = all.map((one) => `${one.name}@${one.component}`).join(', ') || 'none';
  throw fault('InvalidParameter', {
    name: 'indicator',
    reason: `node ${task.node.uuid} has no ${name}@${component}. It has: ${known}`,
  });
}
