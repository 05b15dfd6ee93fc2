// Two deploy interfaces that use the agent in a ramdisk: `direct` writes an image; `custom-agent` runs the steps of a request or of
// deploy templates.
import {
  defineDeploy,
  type DeployInterface,
  expectedBootMode,
  type PropertySpec,
  type Step,
  type Task,
} from '#plugin-api';
import { burnInProperties } from '../burn-in.ts';
import { checkAgentImage, imageFor, prepareAgentImage } from '../image.ts';
import { bootWrittenImage } from '../instance-boot.ts';
import { forgetPartitions, rememberPartitions } from '../partitions.ts';
import { checkBoot, instanceSystem, prepareInstance, prepareRamdisk, start, stop } from '../ramdisk-boot.ts';
import { checkRootDevice } from '../root-device.ts';
import { tearDownAgent } from '../tear-down-agent.ts';
import { throughRamdisk } from './through-ramdisk.ts';
import { checkVolumeBoot, unlessFromVolume } from './volume-boot.ts';

const properties: Readonly<Record<string, PropertySpec>> = {
  agent_verify_ca: {
    description:
      'How the TLS certificate of an agent is verified when its heartbeat did not include one. true: against the trusted certificates of the system. false: not at all. A path: against the CA certificates in that file (PEM).',
  },
  deploy_forces_oob_reboot: {
    description: 'true: the BMC, not the ramdisk, powers the machine off after a deployment.',
  },
  kexec: {
    description:
      'true: the ramdisk starts the kernel of the instance, without a boot of the firmware. Not set: [deploy] kexec. kexec in instance_info takes precedence.',
  },
  force_persistent_boot_device: {
    description: 'If the value is Never, the disk is set as boot device for one boot only.',
  },
  ...burnInProperties,
};

const imageProperties: Readonly<Record<string, PropertySpec>> = {
  ...properties,
  image_download_source: {
    description:
      'http: the ramdisk downloads images itself. local: the daemon downloads, checks and serves them.',
  },
  image_http_proxy: { description: 'URL of the proxy through which the ramdisk downloads http images.' },
  image_https_proxy: { description: 'URL of the proxy through which the ramdisk downloads https images.' },
  image_no_proxy: { description: 'Comma-separated hosts that are reached without a proxy.' },
};

const done = async (work: Promise<void>): Promise<'done'> => {
  await work;
  return 'done';
};

const bootRamdisk: Step = unlessFromVolume({
  description: 'Boots the ramdisk, unless it is already running.',
  priorities: { deploy: 100 },
  async run(task) {
    if (task.ramdisk.isRunning) return 'done';
    await task.setPower(task.node.power_state === 'power on' ? 'rebooting' : 'power on');
    return 'wait';
  },
});

const writeImage: Step = unlessFromVolume({
  description: 'Writes the image of instance_info and the config drive to the root device.',
  priorities: { deploy: 80 },
  destroys: 'all data on the root device',
  async run(task) {
    const args = { image_info: imageFor(task), configdrive: await task.configDrive.image() };
    await rememberPartitions(task, args.image_info);
    await task.ramdisk.agent.startStep('deploy', { interface: 'deploy', step: 'write_image', args });
    return 'wait for agent';
  },
});

async function startInstance(task: Task): Promise<void> {
  const started = await task.ramdisk.startInstanceKernel();
  if (started === 'runs') return;
  if (started === 'failed') await stop(task);
  await start(task);
}

const lastSteps: Readonly<Record<string, Step>> = {
  tear_down_agent: unlessFromVolume({
    description: 'Shuts down the ramdisk and powers the machine off, unless it must stay on.',
    priorities: { deploy: 40 },
    run: (task) => done(tearDownAgent(task)),
  }),
  switch_to_tenant_network: {
    description: 'Does nothing: machines are connected to networks by hand.',
    priorities: { deploy: 30 },
    run: async () => 'done',
  },
  boot_instance: {
    description:
      'Powers the machine on to boot its instance. Reboots it instead if it must not be powered off. With kexec, starts the kernel of the instance.',
    priorities: { deploy: 20 },
    run: (task) => done(startInstance(task)),
  },
};

const prepareInstanceBoot = (prepare: (task: Task) => Promise<void>): Step => ({
  description: 'Sets the machine to boot its instance.',
  priorities: { deploy: 60 },
  run: (task) => done(prepare(task)),
});

const throughAgent: DeployInterface = {
  ...throughRamdisk,
  properties,
  async validate(task) {
    await checkBoot(task);
    await task.configDrive.check();
  },
  offersAgentSteps: true,
  async prepare(task) {
    if (!task.ramdisk.isRunning) await prepareRamdisk(task);
  },
};

export const directDeploy = defineDeploy({
  ...throughAgent,
  properties: imageProperties,
  bootsVolumes: true,
  async validate(task) {
    if (await checkVolumeBoot(task)) return;
    await throughAgent.validate(task);
    expectedBootMode(task);
    checkRootDevice(task);
    await checkAgentImage(task);
  },
  async tearDown(task) {
    await throughAgent.tearDown?.(task);
    await forgetPartitions(task);
  },
  // done before the machine is powered on, so that an unusable image is noticed at once
  async prepare(task) {
    if ((await instanceSystem(task)) !== null) return stop(task);
    await prepareAgentImage(task);
    await throughAgent.prepare?.(task);
  },
  steps: {
    deploy: bootRamdisk,
    write_image: writeImage,
    prepare_instance_boot: prepareInstanceBoot(async (task) =>
      (await instanceSystem(task)) === null ? bootWrittenImage(task) : prepareInstance(task),
    ),
    ...lastSteps,
  },
});

export const customAgentDeploy = defineDeploy({
  ...throughAgent,
  steps: {
    deploy: bootRamdisk,
    prepare_instance_boot: prepareInstanceBoot(prepareInstance),
    ...lastSteps,
  },
});
