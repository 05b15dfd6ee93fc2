// The deploy interface `oneview-direct`: like `direct`, but takes the server from OneView before a deployment or a cleaning, and
// gives it back when the instance is removed or the cleaning has ended. `oneview-iscsi` only explains why it cannot be used.
import { type DeployInterface, extendInterface, fault, type Task } from '#plugin-api';
import { allocateServer, deallocate } from './profiles/allocate.ts';
import { cleaningProfile, instanceProfile } from './profiles/profile-names.ts';
import { wantedOf } from './server/node-fields.ts';
import { readOwner } from './server/server-hardware.ts';
import { onServer } from './server/on-server.ts';

export const oneviewDirect = extendInterface('deploy', 'direct', allocating);

/** Agents since 8.0.0 cannot export their disks (decision 0020). */
export const oneviewIscsi = extendInterface('deploy', 'direct', (direct) => ({
  ...allocating(direct),
  validate(task) {
    wantedOf(task.node);
    throw fault('InvalidParameter', {
      name: 'deploy_interface',
      reason:
        'oneview-iscsi needs a ramdisk whose agent exports its disk over iSCSI, which agents can no longer do since version 8.0.0; set deploy_interface to oneview-direct',
    });
  },
}));

function allocating(direct: DeployInterface): DeployInterface {
  return {
    ...direct,
    ...onServer(direct),
    async prepare(task) {
      await allocateServer(task, instanceProfile(task.node));
      await direct.prepare?.(task);
    },
    async tearDown(task) {
      if ((await readOwner(task)).kind === 'oneview') {
        task.log.warn({}, 'a OneView user has the server: its power and its profile stay as they are');
        return direct.cleanUp?.(task);
      }
      // a cleaning that follows needs the profile, and gives the server back when it ends
      if (!isCleaned(task)) await deallocate(task);
      await direct.tearDown?.(task);
    },
    async prepareCleaning(task) {
      await allocateServer(task, cleaningProfile(task.node));
      return (await direct.prepareCleaning?.(task)) ?? 'ready';
    },
    async tearDownCleaning(task) {
      await deallocate(task);
      await direct.tearDownCleaning?.(task);
    },
  };
}

const isCleaned = ({ node, configuration }: Task): boolean =>
  node.automated_clean ?? configuration['conductor']?.['automated_clean'] === true;
