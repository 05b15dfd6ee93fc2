// The power interface `agent`, for machines without a BMC: the agent in the ramdisk reboots them. Somebody powers them on and off
// by hand.
import { definePower, fault, hasFastTrack } from '#plugin-api';

export const agentPower = definePower({
  properties: {},
  supportedTargets: ['rebooting', 'soft rebooting'],
  supportsPowerSync: false,
  throughAgent: true,
  validate(task) {
    if (!hasFastTrack(task.node, task.configuration['deploy']?.['fast_track'] === true))
      throw unusable(
        'it needs fast track: set [deploy] fast_track, or driver_info/fast_track of the node, to true',
      );
    if (!task.ramdisk.isAlive)
      throw unusable(
        `the agent of node ${task.node.uuid} has sent no heartbeat within [deploy] fast_track_timeout; power the machine on by hand so that it boots the ramdisk, or set power_interface to one that does not need the agent`,
      );
  },
  getPowerState: async (task) => (task.ramdisk.isAlive ? 'power on' : null),
  async setPowerState(task, target) {
    if (!target.endsWith('rebooting'))
      throw fault('PowerStateFailure', {
        target,
        node: task.node.uuid,
        reason: 'power interface agent can only reboot a machine; switch it on or off by hand',
      });
    // not `run`: the ramdisk shuts down within seconds of its answer, so the end of the command could not be read
    await task.ramdisk.agent.start('standby.run_image', {});
  },
});

const unusable = (reason: string) => fault('InvalidParameter', { name: 'power_interface agent', reason });
