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
import { checkImage, imageFor, prepareImage } from '../image.ts';
import { bootWrittenImage } from '../instance-boot.ts';
import { forgetPartitions, rememberPartitions } from '../partitions.ts';
import { checkBoot, prepareInstance, prepareRamdisk, start } from '../ramdisk-boot.ts';
import { checkRootDevice } from '../root-device.ts';
import { tearDownAgent } from '../tear-down-agent.ts';
import { throughRamdisk } from './through-ramdisk.ts';

const properties: Readonly<Record<string, PropertySpec>> = {
  agent_verify_ca: {
    description:
      'How the TLS certificate of an agent is verified when its heartbeat did not include one. true: against the trusted certificates of the system. false: not at all. A path: against the CA certificates in that file (PEM).',
  },
  deploy_forces_oob_reboot: {
    description: 'true: the BMC, not the ramdisk, powers the machine off after a deployment.',
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

const bootRamdisk: Step = {
  description: 'Boots the ramdisk, unless it is already running.',
  priorities: { deploy: 100 },
  async run(task) {
    if (task.ramdisk.isRunning) return 'done';
    await task.setPower(task.node.power_state === 'power on' ? 'rebooting' : 'power on');
    return 'wait';
  },
};

const writeImage: Step = {
  description: 'Writes the image of instance_info and the config drive to the root device.',
  priorities: { deploy: 80 },
  destroys: 'all data on the root device',
  async run(task) {
    const args = { image_info: imageFor(task), configdrive: await task.configDrive.image() };
    await rememberPartitions(task, args.image_info);
    await task.ramdisk.agent.startStep('deploy', { interface: 'deploy', step: 'write_image', args });
    return 'wait for agent';
  },
};

const lastSteps: Readonly<Record<string, Step>> = {
  tear_down_agent: {
    description: 'Shuts down the ramdisk and powers the machine off, unless it must stay on.',
    priorities: { deploy: 40 },
    run: (task) => done(tearDownAgent(task)),
  },
  switch_to_tenant_network: {
    description: 'Does nothing: machines are connected to networks by hand.',
    priorities: { deploy: 30 },
    run: async () => 'done',
  },
  boot_instance: {
    description:
      'Powers the machine on to boot its instance. Reboots it instead if it must not be powered off.',
    priorities: { deploy: 20 },
    run: (task) => done(start(task)),
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
  async validate(task) {
    await throughAgent.validate(task);
    expectedBootMode(task);
    checkRootDevice(task);
    checkImage(task);
  },
  async tearDown(task) {
    await throughAgent.tearDown?.(task);
    await forgetPartitions(task);
  },
  // done before the machine is powered on, so that an unusable image is noticed at once
  async prepare(task) {
    await prepareImage(task);
    await throughAgent.prepare?.(task);
  },
  steps: {
    deploy: bootRamdisk,
    write_image: writeImage,
    prepare_instance_boot: prepareInstanceBoot(bootWrittenImage),
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
