// What the BMC reports about the machine besides its power state: health, boot mode, Secure Boot.
import { isJsonObject, type JsonObject, type MachineCondition, type Task } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { converse } from '../bmc/converse.ts';
import { objectIn } from '../bmc/fields.ts';
import { bootModeIn, readBoot } from '../management/boot-request.ts';
import { readSecureBoot } from '../management/secure-boot.ts';

/** A reading of the power state also contains health and boot mode. Up to this age, they are taken from that reading. */
const FRESH_SECONDS = 120;
/**
 * After this many seconds Secure Boot, and a boot mode that only the settings resource shows, are read again: each costs an
 * additional request.
 */
const RARELY_SECONDS = 3600;

export const readCondition = (task: Task): Promise<MachineCondition> =>
  converse(task, { operation: 'Reading the condition of the machine' }, async (bmc) => {
    const system = await bmc.system(FRESH_SECONDS);
    const mode = bootModeIn(objectIn(system['Boot'])) ?? (await modeInSettings(bmc));
    const secure = await bmc.recent(`SecureBoot of ${await bmc.systemPath()}`, RARELY_SECONDS, () =>
      readSecureBoot(bmc),
    );
    return {
      health: healthIn(system),
      ...(mode !== null && { boot_mode: mode }),
      ...(secure !== null && { secure_boot: secure }),
    };
  });

const modeInSettings = async (bmc: Bmc) =>
  bmc.recent(`boot mode of ${await bmc.systemPath()}`, RARELY_SECONDS, async () =>
    bootModeIn(await readBoot(bmc)),
  );

/** Null when the BMC reports no health. */
function healthIn({ Status: status }: JsonObject): 'OK' | 'Warning' | 'Critical' | null {
  const health = isJsonObject(status) ? status['Health'] : undefined;
  return health === 'OK' || health === 'Warning' || health === 'Critical' ? health : null;
}
