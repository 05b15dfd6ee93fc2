// The raid interface `redfish`.
import {
  defineRaid,
  fault,
  isJsonObject,
  type JsonObject,
  logicalDiskSchema,
  type StepOutcome,
  type Task,
} from '#plugin-api';
import { bmcConnectionOf, connectionProperties } from '../bmc/connection.ts';
import { objectsIn } from '../bmc/fields.ts';
import { beginCreation, beginDeletion, checkRaid, volumesFor } from './raid-work.ts';
import type { WantedVolume } from './requested-volumes.ts';

const poll = { intervalSeconds: 30, check: checkRaid } as const;

const which = {
  create_root_volume: { description: 'Whether to create the root volume. Default: true.' },
  create_nonroot_volumes: { description: 'Whether to create the other volumes. Default: true.' },
} as const;

export const redfishRaid = defineRaid({
  properties: connectionProperties,
  validate(task) {
    bmcConnectionOf(task);
  },
  logicalDisk: logicalDiskSchema,
  steps: {
    create_configuration: {
      description: "Creates the volumes of the node's target RAID configuration.",
      priorities: { clean: 0 },
      requiresRamdisk: false,
      arguments: which,
      run: (task, given) => create(task, task.node.target_raid_config, given),
      poll,
    },
    apply_configuration: {
      description: 'Creates the volumes that the step is given.',
      priorities: { deploy: 0, service: 0 },
      requiresRamdisk: false,
      arguments: {
        raid_config: { description: 'The RAID configuration, with logical_disks.', required: true },
        ...which,
      },
      run: (task, given) => create(task, given['raid_config'], given),
      poll,
    },
    delete_configuration: {
      description: 'Deletes all RAID volumes.',
      priorities: { clean: 0, deploy: 0, service: 0 },
      requiresRamdisk: false,
      destroys: 'all data on the volumes of the storage controllers',
      run: beginDeletion,
      poll,
    },
  },
});

/** Throws InvalidParameter or RaidImpossible before anything changes. */
const create = async (task: Task, config: unknown, given: JsonObject): Promise<StepOutcome> =>
  beginCreation(task, await plannedVolumes(task, config, given));

/**
 * Returns those volumes of the RAID configuration `config` that `given`, the step's arguments, selects. Throws InvalidParameter or
 * RaidImpossible.
 */
export async function plannedVolumes(
  task: Task,
  config: unknown,
  given: JsonObject,
): Promise<readonly WantedVolume[]> {
  const all = isJsonObject(config) ? objectsIn(config['logical_disks']) : [];
  if (all.length === 0)
    throw fault('InvalidParameter', {
      name: 'the RAID configuration',
      reason: `it lists no logical_disks to create on node ${task.node.uuid}`,
    });
  const wanted = all.filter((disk) =>
    disk['is_root_volume'] === true
      ? given['create_root_volume'] !== false
      : given['create_nonroot_volumes'] !== false,
  );
  return volumesFor(task, wanted);
}
