// The deploy interface `anaconda`: Anaconda, the installer of Red Hat's systems, installs the instance. A kickstart file tells
// Anaconda what to install.
import { randomBytes } from 'node:crypto';
import { type BootSystem, defineDeploy, expectedBootMode, fault, type Step, type Task } from '#plugin-api';
import { throughRamdisk } from '../deploy/through-ramdisk.ts';
import { anacondaOptions } from '../options.ts';
import { prepareInstance, start, stop } from '../ramdisk-boot.ts';
import {
  checkInstallation,
  configDriveToInstall,
  imageUrlOf,
  installerOf,
  imageSha256,
} from './installation.ts';
import { isRepository, kickstartOf } from './kickstart.ts';
import { checkTemplate, fetchedTemplate } from './template.ts';

const bootInstaller: Step = {
  description: 'Boots the installer, which installs the instance and reports the end of the installation.',
  priorities: { deploy: 100 },
  destroys:
    'whatever the kickstart file tells the installer to erase; with the default file, all data on all disks',
  async run(task) {
    const system = await installerSystem(task);
    await task.driver.boot.bootSystem?.(task, system, false);
    await start(task);
    return 'wait';
  },
  async report(task, _given, { status, message }) {
    if (status === 'error')
      throw fault('AgentFailed', {
        node: task.node.uuid,
        command: 'the installation by anaconda',
        reason: message || 'it gave no reason',
      });
    await task.addNote(`The installer reported ${status}: ${message}`);
    return status === 'end' ? 'done' : 'wait';
  },
};

const bootInstance: Step = {
  description:
    'Powers the machine off and on to boot the instance from its disk. Reboots it instead if it must not be powered off.',
  priorities: { deploy: 20 },
  async run(task) {
    await stop(task);
    await prepareInstance(task);
    await start(task);
    return 'done';
  },
};

export const anacondaDeploy = defineDeploy({
  ...throughRamdisk,
  async validate(task) {
    await task.driver.boot.validate(task);
    refuseOtherBoot(task);
    expectedBootMode(task);
    checkInstallation(task);
    await checkTemplate(task);
    await task.driver.boot.checkSystem?.(task, systemWith(task, 'the kickstart file'));
  },
  prepare: stop,
  steps: { deploy: bootInstaller, boot_instance: bootInstance },
});

async function installerSystem(task: Task): Promise<BootSystem> {
  const text = kickstartOf(await fetchedTemplate(task), {
    imageUrl: imageUrlOf(task),
    sha256: imageSha256(task),
    configDrive: configDriveToInstall(task),
    token: await newToken(task),
    heartbeatUrl: `${task.ramdisk.parameters['ipa-api-url'] ?? ''}/v1/heartbeat/${task.node.uuid}`,
    insecure: anacondaOptions(task).insecure_heartbeat,
  });
  return systemWith(task, text);
}

function systemWith(task: Task, kickstart: string): BootSystem {
  const imageUrl = imageUrlOf(task);
  const { kernel, ramdisk, stage2 } = installerOf(task);
  const stages =
    stage2 === null
      ? []
      : [
          // the installer looks for its second stage at this path
          {
            name: 'LiveOS/squashfs.img',
            content: { image: stage2 },
            parameter: 'inst.stage2',
            urlOf: 'folder',
          } as const,
        ];
  return {
    kind: 'kernel',
    kernel,
    ramdisk,
    parameters: { text: null, ...(isRepository(imageUrl) && { 'inst.repo': imageUrl }) },
    files: [{ name: 'ks.cfg', content: { text: kickstart }, parameter: 'inst.ks', urlOf: 'file' }, ...stages],
  };
}

/** Makes the installer's token and stores it in the node. The kickstart file contains the token: the installer does no lookup. */
async function newToken(task: Task): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await task.update({
    driver_internal_info: {
      ...task.node.driver_internal_info,
      agent_secret_token: token,
      agent_secret_token_pregenerated: true,
    },
  });
  return token;
}

function refuseOtherBoot({ node, driver: { boot } }: Task): void {
  if (boot.systems?.includes('kernel') && boot.servesFiles) return;
  throw fault('UnsupportedDriverExtension', {
    driver: node.driver,
    extension: `booting an installer through boot interface ${node.boot_interface ?? ''}; choose ipxe, http-ipxe, pxe or http`,
  });
}
