// Whether a system could be served to a machine, from the network or as a CD: what `validate` sees before anything is done.
import { commandLine } from '../../boot/scripts/kernel-command-line.ts';
import { refuseWithoutCdTools } from '../../images/boot-cd.ts';
import type { BootMedium, BootSystem } from '../../plugin-api/index.ts';
import { fault } from '../../model/faults.ts';
import { type IscsiBoot, iscsiFlaw } from '../../model/instance/iscsi-boot.ts';
import type { NetworkBootServices } from './services.ts';

/** How messages name the parts of a system. */
export const partNames = {
  iso: 'the CD image',
  kernel: 'the kernel',
  ramdisk: 'the ramdisk',
  parameters: 'the kernel parameters',
  volume: 'the volume',
} as const;

/** Throws what serving the system would throw, as far as that can be seen without a download. */
export async function checkSystem(
  { images }: NetworkBootServices,
  system: BootSystem,
  medium: BootMedium,
): Promise<void> {
  if (system.kind === 'iso') return images.check(system.iso, partNames.iso);
  if (system.kind === 'volume') return checkVolumes(system);
  commandLine(system.parameters, partNames.parameters);
  await images.check(system.kernel, partNames.kernel);
  if (system.ramdisk !== null) await images.check(system.ramdisk, partNames.ramdisk);
  for (const { name, content } of system.files ?? [])
    if ('image' in content) await images.check(content.image, name);
  if (medium === 'cd') await refuseWithoutCdTools();
}

/** Throws InvalidParameter when iPXE could not boot from the volumes. */
export function checkVolumes(boot: IscsiBoot): void {
  const reason = iscsiFlaw(boot);
  if (reason !== undefined) throw fault('InvalidParameter', { name: partNames.volume, reason });
}
