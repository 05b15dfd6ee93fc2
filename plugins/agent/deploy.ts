// The deploy interfaces that work through the agent in a ramdisk: `direct` writes an image, `custom-agent` what the
// steps of a request or a template say.
import { defineDeploy, type DeployInterface, type PropertySpec, type Step, type Task } from '#plugin-api';
import { bootModeOf } from './capabilities.ts';
import { checkRootDevice, configdriveFor, imageFor } from './image.ts';
import { bootWrittenImage } from './instance-boot.ts';
import {
  checkBoot,
  prepareCleaning,
  prepareRamdisk,
  prepareService,
  start,
  stop,
  tearDownCleaning,
  tearDownService,
} from './ramdisk-boot.ts';
import { tearDownAgent } from './tear-down-agent.ts';

const properties: Readonly<Record<string, PropertySpec>> = {
  agent_verify_ca: {
    description:
      'Whether the certificate of an agent is verified that brought none of its own, or the file (PEM) with the certificates that are believed then.',
  },
  deploy_forces_oob_reboot: {
    description: 'true: the BMC powers the machine off after a deployment instead of its ramdisk.',
  },
  force_persistent_boot_device: {
    description: 'Never: the disk is chosen as boot device for one boot only.',
  },
};

const imageProperties: Readonly<Record<string, PropertySpec>> = {
  ...properties,
  image_download_source: { description: 'http: the ramdisk fetches images itself.' },
  image_http_proxy: { description: 'URL of the proxy through which the ramdisk fetches http images.' },
  image_https_proxy: { description: 'URL of the proxy through which the ramdisk fetches https images.' },
  image_no_proxy: { description: 'Hosts, with commas between, that are reached without proxy.' },
};

const done = async (work: Promise<void>): Promise<'done'> => {
  await work;
  return 'done';
};

const bootRamdisk: Step = {
  description: 'Boots the ramdisk, unless it runs already.',
  priorities: { deploy: 100 },
  async run(task) {
    if (task.fastTrack) return 'done';
    await task.setPower(task.node.power_state === 'power on' ? 'rebooting' : 'power on');
    return 'wait';
  },
};

const writeImage: Step = {
  description: 'Writes the image of instance_info and the config drive to the root device.',
  priorities: { deploy: 80 },
  destroys: 'all data on the root device',
  async run(task) {
    const args = { image_info: imageFor(task), configdrive: configdriveFor(task) };
    await task.agent.startStep('deploy', { interface: 'deploy', step: 'write_image', args });
    return 'wait';
  },
};

const lastSteps: Readonly<Record<string, Step>> = {
  tear_down_agent: {
    description: 'Ends the ramdisk and powers the machine off.',
    priorities: { deploy: 40 },
    run: (task) => done(tearDownAgent(task)),
  },
  switch_to_tenant_network: {
    description: 'Nothing is moved: machines are connected by hand.',
    priorities: { deploy: 30 },
    run: async () => 'done',
  },
  boot_instance: {
    description: 'Powers the machine on; it boots its instance.',
    priorities: { deploy: 20 },
    run: (task) => done(start(task)),
  },
};

const prepareInstanceBoot = (prepare: (task: Task) => Promise<void>): Step => ({
  description: 'Makes the machine boot its instance from now on.',
  priorities: { deploy: 60 },
  run: (task) => done(prepare(task)),
});

const throughAgent: DeployInterface = {
  properties,
  async validate(task) {
    await checkBoot(task);
    configdriveFor(task);
  },
  offersAgentSteps: true,
  async prepare(task) {
    if (!task.fastTrack) await prepareRamdisk(task);
  },
  async cleanUp(task) {
    await task.driver.boot.cleanUpRamdisk?.(task);
    await task.driver.boot.cleanUpInstance?.(task);
  },
  async tearDown(task) {
    await stop(task);
    await task.driver.boot.cleanUpRamdisk?.(task);
    await task.driver.boot.cleanUpInstance?.(task);
  },
  async takeOver(task) {
    await task.driver.boot.prepareInstance?.(task);
  },
  prepareCleaning,
  tearDownCleaning,
  prepareService,
  tearDownService,
};

export const directDeploy = defineDeploy({
  ...throughAgent,
  properties: imageProperties,
  async validate(task) {
    await throughAgent.validate(task);
    bootModeOf(task);
    checkRootDevice(task);
    imageFor(task);
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
    prepare_instance_boot: prepareInstanceBoot(async (task) => task.driver.boot.prepareInstance?.(task)),
    ...lastSteps,
  },
});
