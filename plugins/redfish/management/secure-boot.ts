// Secure Boot of the management interface `redfish`, and the keys that Secure Boot trusts.
import { fault, stateFacts, type Step, type Task, type Work } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { pathIn, targetIn } from '../bmc/fields.ts';
import { converse } from '../bmc/converse.ts';
import { takenOver } from './after-reboot.ts';
import { getBootMode } from './boot-mode.ts';

export const getSecureBoot = (task: Task): Promise<boolean | null> =>
  converse(task, { operation: 'Reading Secure Boot' }, readSecureBoot);

/** Null when the BMC does not show Secure Boot, for example because it lacks a licence. */
export async function readSecureBoot(bmc: Bmc): Promise<boolean | null> {
  const path = pathIn((await bmc.knownSystem())['SecureBoot']);
  if (path === undefined) return null;
  const { SecureBootEnable: enabled } = (await bmc.optional('Secure Boot', () => bmc.get(path))) ?? {};
  return typeof enabled === 'boolean' ? enabled : null;
}

const WORKS_BEFORE_A_BOOT: ReadonlySet<Work | null> = new Set(['deploy', 'tear down'] as const);

/**
 * Throws UnsupportedDriverExtension for a machine without Secure Boot. Throws InvalidState when Secure Boot is to be switched on
 * in boot mode bios, or when the change does not take effect.
 */
export async function setSecureBoot(task: Task, enabled: boolean): Promise<void> {
  if (enabled && (await getBootMode(task)) === 'bios')
    throw fault('InvalidState', {
      reason: `Secure Boot of node ${task.node.uuid} needs boot mode uefi; its machine is in bios`,
    });
  await converse(task, { operation: 'Setting Secure Boot' }, async (bmc) => {
    await bmc.patch(await secureBootPath(bmc, task), { SecureBootEnable: enabled });
    bmc.forgetReadings();
  });
  // deploying and undeploying boot the machine later anyway; a reboot now would end a running ramdisk, and powering the machine on
  // would start the instance
  if (WORKS_BEFORE_A_BOOT.has(stateFacts(task.node).work)) return;
  await takenOver(
    task,
    `Secure Boot ${enabled ? 'on' : 'off'}`,
    async () => (await getSecureBoot(task)) === enabled,
  );
}

async function secureBootPath(bmc: Bmc, task: Task): Promise<string> {
  const path = pathIn((await bmc.knownSystem())['SecureBoot']);
  if (path !== undefined) return path;
  throw fault('UnsupportedDriverExtension', {
    driver: task.node.driver,
    extension: 'Secure Boot of this machine',
  });
}

const keyStep = (description: string, operation: string, ResetKeysType: string): Step => ({
  description,
  destroys: 'the keys that Secure Boot trusts',
  priorities: { clean: 0, deploy: 0 },
  async run(task) {
    await converse(task, { operation }, async (bmc) => {
      const path = await secureBootPath(bmc, task);
      const target = targetIn(await bmc.get(path), '#SecureBoot.ResetKeys');
      await bmc.post(target ?? `${path}/Actions/SecureBoot.ResetKeys`, { ResetKeysType });
    });
    return 'done';
  },
});

export const secureBootSteps = {
  reset_secure_boot_keys_to_default: keyStep(
    'Resets the keys that Secure Boot trusts to those of the factory',
    'Resetting the keys of Secure Boot',
    'ResetAllKeysToDefault',
  ),
  clear_secure_boot_keys: keyStep(
    'Removes all keys that Secure Boot trusts',
    'Removing the keys of Secure Boot',
    'DeleteAllKeys',
  ),
};
