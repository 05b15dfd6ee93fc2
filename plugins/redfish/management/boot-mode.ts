// The boot mode of the management interface `redfish`.
import { type BootMode, fault, type Task } from '#plugin-api';
import { converse } from '../bmc/converse.ts';
import { refusalOf } from '../bmc/redfish-client.ts';
import { afterPost } from './boot-device.ts';
import { bootModeIn, bootPlace, modes, readBoot, sendBoot } from './boot-request.ts';
import { takenOver } from './after-reboot.ts';

const FRESH_SECONDS = 120;

export const getBootMode = (task: Task): Promise<BootMode | null> => readMode(task, FRESH_SECONDS);

const readMode = (task: Task, maxAgeSeconds: number): Promise<BootMode | null> =>
  converse(task, { operation: 'Reading the boot mode' }, async (bmc) =>
    bootModeIn(await readBoot(bmc, maxAgeSeconds)),
  );

/** Throws UnsupportedDriverExtension when the BMC has no boot mode. */
export async function setBootMode(task: Task, mode: BootMode): Promise<void> {
  try {
    await afterPost(task, () => sendMode(task, mode));
  } catch (error) {
    if (refusalOf(error) === undefined || (await getBootMode(task)) !== null) throw error;
    const extension = `the boot mode ${mode}: the BMC neither shows nor takes one`;
    throw fault('UnsupportedDriverExtension', { driver: task.node.driver, extension }, { cause: error });
  }
  await takenOver(task, `boot mode ${mode}`, async () => [mode, null].includes(await readMode(task, 0)));
}

const sendMode = (task: Task, mode: BootMode): Promise<void> =>
  converse(task, { operation: `Setting the boot mode ${mode}` }, async (bmc) => {
    const { bootFull } = await bmc.remedies();
    const place = await bootPlace(bmc);
    const { BootSourceOverrideTarget: target, BootSourceOverrideEnabled: enabled } = place.boot;
    await sendBoot(bmc, place, {
      BootSourceOverrideMode: modes[mode],
      ...(bootFull && {
        BootSourceOverrideTarget: target ?? 'Pxe',
        BootSourceOverrideEnabled: enabled ?? 'Once',
      }),
    });
  });
