// What an operator has a machine do by itself: its indicators (LEDs), which are listed, read and set, and the interrupt (NMI) that
// makes a hanging system write its crash dump.
import { fault } from '../../model/faults.ts';
import type { Indicator, IndicatorState } from '../../model/machine/indicators.ts';
import { withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';
import { onInterface, operationOf } from './on-interface.ts';
import type { HardwareServices, HardwareTask } from './services.ts';

export const listIndicators = onInterface('management', 'listIndicators', 'indicators', { lock: false });

export const injectNmi = onInterface('management', 'injectNmi', 'inject_nmi', { lock: true });

export interface IndicatorId {
  readonly name: string;
  readonly component: string;
}

/** Throws InvalidParameter when the machine has no such indicator. */
export function getIndicator(
  context: Call<HardwareServices>,
  uuid: string,
  id: IndicatorId,
): Promise<IndicatorState> {
  return withTask(context, uuid, async (task) => {
    const indicator = await find(task, id);
    return operationOf(task, 'management', 'getIndicatorState', 'get_indicator_state')(indicator);
  });
}

export interface IndicatorChange extends IndicatorId {
  readonly state: IndicatorState;
}

/** Throws InvalidParameter when the machine has no such indicator, or the indicator cannot be set to the state. */
export function setIndicator(
  context: Call<HardwareServices>,
  uuid: string,
  { state, ...id }: IndicatorChange,
): Promise<void> {
  return withTask(context, uuid, async (task) => {
    const indicator = await find(task, id);
    const setState = operationOf(task, 'management', 'setIndicatorState', 'set_indicator_state');
    if (indicator.readonly || !indicator.states.includes(state)) {
      const takes = indicator.readonly ? 'it is read-only' : `expected one of ${indicator.states.join(', ')}`;
      throw fault('InvalidParameter', { name: 'state', reason: `${id.name}@${id.component}: ${takes}` });
    }
    await setState(indicator, state);
  });
}

async function find(task: HardwareTask, { name, component }: IndicatorId): Promise<Indicator> {
  await task.driver.management.validate(task.view);
  const all = await operationOf(task, 'management', 'listIndicators', 'indicators')();
  const found = all.find((one) => one.name === name && one.component === component);
  if (found !== undefined) return found;
  const known = all.map((one) => `${one.name}@${one.component}`).join(', ') || 'none';
  throw fault('InvalidParameter', {
    name: 'indicator',
    reason: `node ${task.node.uuid} has no ${name}@${component}. It has: ${known}`,
  });
}
