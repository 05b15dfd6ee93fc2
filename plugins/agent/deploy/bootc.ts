// The deploy interface `bootc`: the agent runs a bootable container image, which installs itself on the disk.
import { bootFromDisk, defineDeploy, fault, type Step, type Task } from '#plugin-api';
import { pullSecretFor } from '../image-source.ts';
import { checkRootDevice } from '../root-device.ts';
import { customAgentDeploy } from './direct.ts';

const installContainer: Step = {
  description:
    'Has the agent run the container image of instance_info, which installs itself on the root device.',
  priorities: { deploy: 80 },
  destroys: 'all data on the root device',
  async run(task) {
    const args = {
      image_source: imageOf(task),
      configdrive: await task.configDrive.image(),
      oci_pull_secret: pullSecretOf(task),
    };
    await task.ramdisk.agent.startStep('deploy', {
      interface: 'deploy',
      step: 'execute_bootc_install',
      args,
    });
    return 'wait for agent';
  },
};

export const bootcDeploy = defineDeploy({
  ...customAgentDeploy,
  async validate(task) {
    await customAgentDeploy.validate(task);
    imageOf(task);
    pullSecretOf(task);
    checkRootDevice(task);
  },
  steps: {
    ...customAgentDeploy.steps,
    execute_bootc_install: installContainer,
    set_boot_to_disk: {
      description: 'Sets the disk as boot device.',
      priorities: { deploy: 60 },
      async run(task) {
        await bootFromDisk(task);
        return 'done';
      },
    },
  },
});

/** Throws InvalidParameter unless `image_source` is the URL of a container image. */
function imageOf({ node: { instance_info: instance } }: Task): string {
  const { image_source: source } = instance;
  if (typeof source === 'string' && source.startsWith('oci://') && source.length > 'oci://'.length)
    return source;
  throw fault('InvalidParameter', {
    name: 'instance_info/image_source',
    reason: `${JSON.stringify(source ?? null)}; deploy interface bootc needs a container image, such as oci://registry.example/os:latest`,
  });
}

/**
 * Returns the instance's pull secret in base64; null when it has none. The registry logins in the configuration are never sent to
 * the agent, because a user may name any registry. Throws InvalidParameter unless the secret is text.
 */
function pullSecretOf(task: Task): string | null {
  const secret = pullSecretFor(task);
  if (secret === null || !secret.includes(':')) return secret;
  return Buffer.from(secret).toString('base64');
}
