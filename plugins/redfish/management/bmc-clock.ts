// The clock of the BMC: a wrong clock can make TLS between the BMC and image servers fail.
import { fault, type JsonObject, type Step, type StepOutcome, type Task } from '#plugin-api';
import { converse } from '../bmc/converse.ts';
import { textIn } from '../bmc/fields.ts';
import { redfishOptions } from '../options.ts';

const TOLERANCE_MILLISECONDS = 1000;
/** Only differences larger than this are noted: a smaller difference hardly ever makes a valid certificate look invalid. */
const NOTED_MILLISECONDS = 300_000;

interface WantedTime {
  /** Milliseconds since the epoch. */
  readonly time: number;
  /** The UTC offset, as in +00:00; undefined: the offset is not changed. */
  readonly offset: string | undefined;
}

async function setClock(task: Task, wanted: WantedTime): Promise<StepOutcome> {
  await converse(task, { operation: "Setting the BMC's clock" }, async (bmc) => {
    const [path] = await bmc.managerPaths();
    if (path === undefined)
      throw fault('UnsupportedDriverExtension', {
        driver: task.node.driver,
        extension: 'the clock of a BMC',
      });
    const manager = await bmc.get(path);
    const change = changeOf(manager, wanted);
    if (Object.keys(change).length === 0) return;
    await bmc.patch(path, change);
    const after = await bmc.get(path);
    if (isWrong(after, wanted, TOLERANCE_MILLISECONDS + 60_000))
      throw fault('InvalidState', {
        reason: `the BMC shows ${textIn(after['DateTime']) ?? 'no time'} after its clock was set to ${new Date(wanted.time).toISOString()}`,
      });
  });
  return 'done';
}

async function warned(task: Task): Promise<StepOutcome> {
  const time = task.clock.now();
  const manager = await converse(task, { operation: "Reading the BMC's clock" }, (bmc) =>
    bmc.optional('its clock', () => bmc.manager()),
  );
  const shown = textIn(manager?.['DateTime']);
  if (shown !== undefined && isWrong({ DateTime: shown }, { time, offset: undefined }, NOTED_MILLISECONDS))
    await task.addNote(
      `The BMC's clock shows ${shown}, and the clock of this host ${new Date(time).toISOString()}: the BMC could refuse the TLS certificates of image servers. Step set_bmc_clock sets the BMC's clock.`,
    );
  return 'done';
}

function changeOf(manager: JsonObject, { time, offset }: WantedTime): JsonObject {
  const shown = manager['DateTime'];
  const text = new Date(time).toISOString();
  const hasFraction = typeof shown === 'string' && shown.includes('.');
  const isOtherOffset = offset !== undefined && manager['DateTimeLocalOffset'] !== offset;
  return {
    ...(isWrong(manager, { time, offset }, TOLERANCE_MILLISECONDS) && {
      DateTime: hasFraction ? text.replace('Z', '+00:00') : `${text.slice(0, 19)}+00:00`,
    }),
    ...(isOtherOffset && { DateTimeLocalOffset: offset }),
  };
}

function isWrong({ DateTime: shown }: JsonObject, { time }: WantedTime, tolerance: number): boolean {
  const seen = typeof shown === 'string' ? Date.parse(shown) : Number.NaN;
  return !(Math.abs(seen - time) <= tolerance);
}

export const clockSteps: Readonly<Record<'set_bmc_clock' | 'verify_bmc_clock', Step>> = {
  set_bmc_clock: {
    description: "Sets the BMC's clock, to the time of this host unless a time is given.",
    priorities: { clean: 0 },
    arguments: {
      target_datetime: { description: 'The time in ISO 8601, as in 2026-01-31T12:00:00+00:00.' },
      datetime_local_offset: { description: 'The offset of local time, as in +02:00.' },
    },
    async run(task, given) {
      return setClock(task, wantedIn(task, given));
    },
  },
  verify_bmc_clock: {
    description:
      "Corrects the BMC's clock if [redfish] enable_verify_bmc_clock is true. Otherwise adds a note to the node's history if the clock is wrong by more than five minutes.",
    priorities: { verify: 1 },
    requiresRamdisk: false,
    async run(task) {
      if (!redfishOptions(task).enable_verify_bmc_clock) return warned(task);
      return setClock(task, { time: task.clock.now(), offset: '+00:00' });
    },
  },
};

function wantedIn(
  task: Task,
  { target_datetime: text, datetime_local_offset: offset }: JsonObject,
): WantedTime {
  const time = text === undefined || text === null ? task.clock.now() : Date.parse(textIn(text) ?? '');
  if (Number.isNaN(time))
    throw fault('InvalidParameter', {
      name: 'target_datetime',
      reason: `${JSON.stringify(text)}; expected a time in ISO 8601, as in 2026-01-31T12:00:00+00:00`,
    });
  return { time, offset: typeof offset === 'string' ? offset : undefined };
}
