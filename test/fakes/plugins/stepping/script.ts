// The stepping machine's script and its record of operations, both stored in the node.
import { fault, type Json, type JsonObject, type Step, type StepOutcome, type Task } from '#plugin-api';

/** The field of `driver_internal_info` that lists the calls of operations, in order, such as `step` or `step {"argument":1}`. */
export const NOTES = 'notes';

export async function note(task: Task, text: string): Promise<void> {
  const { [NOTES]: notes, ...rest } = task.node.driver_internal_info;
  const before = Array.isArray(notes) ? (notes as readonly Json[]) : [];
  await task.update({ driver_internal_info: { ...rest, [NOTES]: [...before, text] } });
}

const outcomes: readonly StepOutcome[] = ['done', 'wait', 'wait for agent', 'reboot', 'reboot and repeat'];

/**
 * Ends the operation `what` as scripted in the `driver_info` field of the same name. An outcome is returned. Any other text is
 * thrown as a fault. A number is a pause in milliseconds, after which `otherwise` is returned. A list has one such item for each
 * run. Without the field, or without an item for the run, `otherwise` is returned.
 */
export async function act(task: Task, what: string, otherwise: StepOutcome): Promise<StepOutcome> {
  const script = task.node.driver_info[what];
  const done = task.node.driver_internal_info[NOTES];
  const times = Array.isArray(done) ? done.filter((each) => String(each).split(' ')[0] === what).length : 0;
  const said = Array.isArray(script) ? (script as readonly Json[])[times - 1] : script;
  if (typeof said === 'number') await task.clock.sleep(said);
  if (typeof said !== 'string') return otherwise;
  const outcome = outcomes.find((each) => each === said);
  if (outcome === undefined) throw fault('Invalid', { reason: said });
  return outcome;
}

/** Work that records its run and ends like `act`. */
export const scriptedWork =
  (name: string) =>
  async (task: Task): Promise<void> => {
    await note(task, name);
    await act(task, name, 'done');
  };

/** A step that records its run and ends like `act`. */
export function scripted(name: string, declared: Omit<Step, 'description' | 'run'>): Step {
  return {
    description: `The step ${name}.`,
    ...declared,
    async run(task: Task, given: JsonObject) {
      const shown = Object.keys(given).length === 0 ? '' : ` ${JSON.stringify(given)}`;
      await note(task, `${name}${shown}`);
      return act(task, name, 'done');
    },
  };
}
