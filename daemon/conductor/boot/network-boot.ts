// Lets the machine of a node boot from the daemon's own servers, until the boot is withdrawn.
import { dhcpOptionsFor } from '../../boot/dhcp-options.ts';
import { commandLine } from '../../boot/scripts/kernel-command-line.ts';
import { checkVolumes, partNames } from './check-boot.ts';
import { removeCd } from './cd-boot.ts';
import { kernelAndRamdisk } from './kernel-and-ramdisk.ts';
import type { NetworkBootServices, NetworkBootTask } from './services.ts';
import { secretName } from '../../boot/secret-names.ts';
import { secureBootWanted } from '../../model/machine/deploy-capabilities.ts';
import type { BootFile, BootSystem, NetworkBoot } from '../../plugin-api/index.ts';

/** Why the daemon's servers cannot boot machines, as part of a sentence; null when they can. */
export const bootObstacle = ({ networkBoots }: Pick<NetworkBootServices, 'networkBoots'>): string | null =>
  networkBoots.httpUrl === undefined ? 'the daemon serves no boot files: set [boot_http] port' : null;

/** Fetches the images and serves them to the machine until `withdrawBoot`. */
export async function serveBoot(task: NetworkBootTask, boot: NetworkBoot): Promise<void> {
  const { networkBoots, config } = task.services;
  const { node } = task;
  const { protocol, bootMode } = boot;
  // boot scripts would interpret other characters
  const title = boot.title.replace(/[^A-Za-z0-9 ._~-]/g, ' ');
  networkBoots.set(node.uuid, { protocol, title, ...(await fetched(task, boot)) });
  await task.dhcp.update(
    dhcpOptionsFor(
      {
        protocol,
        bootMode,
        architecture: node.properties['cpu_arch'] === 'aarch64' ? 'aarch64' : 'x86_64',
        secureBoot: secureBootWanted(node),
      },
      { httpUrl: networkBoots.httpUrl ?? '', tftp: config.pxe.tftp_server },
    ),
  );
}

async function fetched(task: NetworkBootTask, system: BootSystem) {
  const { services, signal } = task;
  const fetch = (url: string, source: string) => services.images.fetch(url, source, signal);
  if (system.kind === 'iso') return { iso: await fetch(system.iso, partNames.iso) };
  if (system.kind === 'volume') {
    checkVolumes(system);
    const { initiator, login, volumes } = system;
    return { volume: { initiator, login, volumes } };
  }
  const files = await namedFiles(system.files ?? [], fetch);
  const urls = files.map(({ parameter, path }): [string, string] => [
    parameter,
    `${services.networkBoots.httpUrl ?? ''}/${path}`,
  ]);
  return {
    commandLine: commandLine({ ...system.parameters, ...Object.fromEntries(urls) }, partNames.parameters),
    ...(await kernelAndRamdisk(system, (reference, part) => fetch(reference, partNames[part]))),
    ...(files.length > 0 && {
      files: Object.fromEntries(files.map(({ served, content }) => [served, content])),
    }),
  };
}

/** Gives each file a secret name and fetches its image, if any. `path`: of the file or its folder, for the kernel parameter. */
const namedFiles = (files: readonly BootFile[], fetch: (url: string, name: string) => Promise<string>) =>
  Promise.all(
    files.map(async ({ name, content, parameter, urlOf }) => {
      const served = secretName(name);
      return {
        parameter,
        served,
        path: urlOf === 'file' ? served : served.slice(0, -name.length - 1),
        content: 'text' in content ? content : { path: await fetch(content.image, name) },
      };
    }),
  );

export async function withdrawBoot(task: NetworkBootTask): Promise<void> {
  task.services.networkBoots.clear(task.node.uuid);
  await removeCd(task);
  await task.dhcp.clean();
}
