// The `agent` raid interface: the agent in a ramdisk creates and deletes logical disks. The node's `raid_config` records the
// disks that the agent has created.
import { defineRaid, fault, isJsonObject, type JsonObject, logicalDiskSchema, type Task } from '#plugin-api';

export const agentRaid = defineRaid({
  properties: {},
  validate() {},
  logicalDisk: logicalDiskSchema,
  offersAgentSteps: true,
  async agentStepEnded(task, { step }, result) {
    if (step === 'delete_configuration') await task.update({ raid_config: {} });
    if (step === 'create_configuration' || step === 'apply_configuration') await record(task, result);
  },
});

async function record(task: Task, result: JsonObject): Promise<void> {
  const [built] = Object.entries(result)
    .filter(([name]) => name.endsWith('_result'))
    .map(([, value]) => value);
  const disks = isJsonObject(built) ? built['logical_disks'] : undefined;
  if (!isJsonObject(built) || !Array.isArray(disks) || !disks.every(isJsonObject))
    throw fault('AgentFailed', {
      node: task.node.uuid,
      command: 'the RAID configuration',
      reason: 'its answer does not list the logical disks that it has created',
    });
  await task.update({
    raid_config: { ...built, last_updated: new Date(task.clock.now()).toISOString() },
    properties: { ...task.node.properties, ...rootDevice(disks) },
  });
}

/** Returns the properties that make the root volume the target of image deployment; none without a root volume. */
function rootDevice(disks: readonly JsonObject[]): JsonObject {
  const root = disks.find((disk) => disk['is_root_volume'] === true);
  if (root === undefined) return {};
  const { root_device_hint: hint, size_gb: size } = root;
  return {
    ...(isJsonObject(hint) && { root_device: hint }),
    ...(typeof size === 'number' && { local_gb: size }),
  };
}
