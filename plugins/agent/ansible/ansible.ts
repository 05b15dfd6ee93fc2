// The deploy interface `ansible`: a playbook writes the image over SSH, in a ramdisk with the agent and an SSH server.
import { access, constants } from 'node:fs/promises';
import { defineDeploy, fault, type JsonObject, reasonOf, type Step, type Task } from '#plugin-api';
import { directDeploy } from '../deploy/direct.ts';
import { unlessFromVolume } from '../deploy/volume-boot.ts';
import { imageFor } from '../image.ts';
import { prepareInstance } from '../ramdisk-boot.ts';
import { ansibleOptions } from '../options.ts';
import { chosenDisk } from './chosen-disk.ts';
import { playbookOf, runPlaybook, userOf } from './run-playbook.ts';
import { wrongInstanceInfo } from '../wrong-instance-info.ts';

const writeImage: Step = unlessFromVolume({
  description:
    'Runs the playbook that writes the image of instance_info and the config drive to the root device.',
  priorities: { deploy: 80 },
  destroys: 'all data on the root device',
  async run(task) {
    const { result: hardware } = await task.ramdisk.agent.run('poll.get_hardware_info', {});
    await runPlaybook(task, {
      nodes: [{ name: task.node.uuid, user: userOf(task), extra: task.node.extra }],
      image: imageVariables(task),
      root_device: chosenDisk(task, hardware),
      configdrive: await task.configDrive.image(),
      ...(Object.keys(task.node.target_raid_config).length > 0 && {
        raid_config: task.node.target_raid_config,
      }),
    });
    return 'done';
  },
});

const prepareInstanceBoot: Step = {
  description: 'Sets the machine to boot its instance.',
  priorities: { deploy: 60 },
  async run(task) {
    await prepareInstance(task);
    return 'done';
  },
};

export const ansibleDeploy = defineDeploy({
  ...directDeploy,
  offersAgentSteps: ['clean', 'service'],
  properties: {
    ...directDeploy.properties,
    ansible_username: {
      description:
        'The user as which Ansible logs in to the ramdisk: root, or one that is allowed to use sudo.',
    },
    ansible_deploy_playbook: {
      description: 'Name of the playbook in [ansible] playbooks_path that deploys the instance.',
    },
    ansible_python_interpreter: { description: 'Path of the Python interpreter in the ramdisk.' },
  },
  async validate(task) {
    await directDeploy.validate(task);
    userOf(task);
    await checkPlaybook(task);
    if (task.node.instance_info['image_type'] === 'partition')
      throw wrongInstanceInfo(
        'image_type',
        'deploy interface ansible writes whole-disk images; use direct for a partition image',
      );
    refuseLinkedConfigDrive(task);
  },
  steps: { ...directDeploy.steps, write_image: writeImage, prepare_instance_boot: prepareInstanceBoot },
});

async function checkPlaybook(task: Task): Promise<void> {
  const playbook = playbookOf(task);
  await access(playbook, constants.R_OK).catch((error: unknown) => {
    throw fault('InvalidParameter', {
      name: `[ansible] playbooks_path: ${playbook}`,
      reason: reasonOf(error),
    });
  });
}

/** Returns the value of the playbook's variable `ironic.image`. Throws InvalidParameter. */
function imageVariables(task: Task): JsonObject {
  const {
    urls,
    disk_format: format,
    checksum,
    os_hash_algo: algorithm,
    os_hash_value: digest,
  } = imageFor(task);
  if (typeof checksum === 'string' && checksum.includes('://'))
    throw wrongInstanceInfo(
      'image_checksum',
      'deploy interface ansible takes a digest, not the URL of a file with digests',
    );
  return {
    url: Array.isArray(urls) ? (urls[0] ?? null) : null,
    format: format ?? 'qcow2',
    algorithm: algorithm ?? 'md5',
    digest: digest ?? checksum ?? null,
    insecure: ansibleOptions(task).image_store_insecure,
  };
}

function refuseLinkedConfigDrive({ node }: Task): void {
  const { configdrive } = node.instance_info;
  if (typeof configdrive === 'string' && /^https?:/.test(configdrive))
    throw wrongInstanceInfo('configdrive', 'deploy interface ansible takes documents or an image, not a URL');
}
