// Makes the machine of a node boot from the daemon's own servers, or no longer.
import { dhcpOptionsFor } from '../../boot/dhcp-options.ts';
import { commandLine } from '../../boot/scripts/kernel-command-line.ts';
import { capabilityOf } from '../../model/machine/capabilities.ts';
import type { NetworkBoot } from '../../plugin-api/index.ts';
import type { Services } from '../services.ts';
import type { NodeTask } from '../tasks/task.ts';

/** Why the daemon's servers cannot boot machines, as part of a sentence; null when they can. */
export const bootObstacle = ({ networkBoots }: Services): string | null =>
  networkBoots.httpUrl === undefined ? 'the daemon serves no boot files: set [boot_http] port' : null;

/** Fetches the images and serves them to the machine until `withdrawBoot`. */
export async function serveBoot(task: NodeTask, boot: NetworkBoot): Promise<void> {
  const { networkBoots, images, config } = task.services;
  const { node, signal } = task;
  const line = commandLine(boot.parameters, 'the kernel parameters of the ramdisk');
  const kernel = await images.fetch(boot.kernel, 'the kernel of the ramdisk', signal);
  const ramdisk = boot.ramdisk === null ? null : await images.fetch(boot.ramdisk, 'the ramdisk', signal);
  const { protocol } = boot;
  // boot scripts would interpret other characters
  const title = boot.title.replace(/[^A-Za-z0-9 ._~-]/g, ' ');
  networkBoots.set(node.uuid, { protocol, title, kernel, ramdisk, commandLine: line });
  await task.dhcp.update(
    dhcpOptionsFor(
      {
        protocol,
        bootMode: boot.bootMode,
        architecture: node.properties['cpu_arch'] === 'aarch64' ? 'aarch64' : 'x86_64',
        secureBoot: capabilityOf(node, 'secure_boot') === 'true',
      },
      { httpUrl: networkBoots.httpUrl ?? '', tftp: config.pxe.tftp_server },
    ),
  );
}

export async function withdrawBoot(task: NodeTask): Promise<void> {
  task.services.networkBoots.clear(task.node.uuid);
  await task.dhcp.clean();
}
