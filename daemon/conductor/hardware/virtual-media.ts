// Virtual media: images in the virtual drives that a BMC offers its machine.
import { fault } from '../../model/faults.ts';
import { POWER_FAILURE } from '../../model/states/node-faults.ts';
import type { VirtualMediaDevice, VirtualMediaDrive } from '../../model/machine/virtual-media.ts';
import { type Attempt, startManagement } from '../tasks/attempt.ts';
import { nodeOrFault } from '../tasks/run-task.ts';
import type { Caller, Services } from '../services.ts';
import { NodeTask } from '../tasks/task.ts';
import { unsupported } from './unsupported.ts';

/** Takes no lock. */
export async function listVirtualMedia(
  services: Services,
  caller: Caller,
  uuid: string,
): Promise<readonly VirtualMediaDrive[]> {
  const task = new NodeTask(services, nodeOrFault(services, uuid), caller);
  const { management } = task.driver;
  await management.validate(task.view);
  if (management.listVirtualMedia === undefined) throw unsupported(task, 'get_virtual_media');
  return management.listVirtualMedia(task.view);
}

export interface VirtualMedium {
  readonly device: VirtualMediaDevice;
  readonly imageUrl: string;
  /** `http`: the BMC fetches the image from its URL. `local`, `swift`: a copy that the daemon would serve. */
  readonly source: 'http' | 'local' | 'swift';
}

/** Accepts the image; a failure is recorded in `last_error`. */
export function attachVirtualMedia(
  services: Services,
  caller: Caller,
  uuid: string,
  { device, imageUrl, source }: VirtualMedium,
): Promise<void> {
  return begin(services, caller, uuid, (task) => ({
    action: `attach an image as ${device}`,
    eventType: 'virtual media',
    async work() {
      const { management } = task.driver;
      if (management.attachVirtualMedia === undefined) throw unsupported(task, 'attach_virtual_media');
      if (source !== 'http') {
        throw fault('Invalid', {
          reason: `image_download_source "${source}" needs a copy of the image on this server, which does not serve images. Use "http": the BMC then fetches the image itself.`,
        });
      }
      await management.attachVirtualMedia(task.view, device, imageUrl);
    },
  }));
}

/** Accepts the request; a failure is recorded in `last_error`. */
export function detachVirtualMedia(
  services: Services,
  caller: Caller,
  uuid: string,
  devices: readonly VirtualMediaDevice[],
): Promise<void> {
  return begin(services, caller, uuid, (task) => ({
    action: `detach ${devices.join(', ')}`,
    eventType: 'virtual media',
    async work() {
      const { management } = task.driver;
      if (management.detachVirtualMedia === undefined) throw unsupported(task, 'detach_virtual_media');
      await management.detachVirtualMedia(task.view, devices);
    },
  }));
}

function begin(
  services: Services,
  caller: Caller,
  uuid: string,
  described: (task: NodeTask) => Attempt,
): Promise<void> {
  return startManagement(services, caller, uuid, (task) => {
    if (task.node.fault === POWER_FAILURE) throw fault('BmcUnreachable', { node: uuid });
    return described(task);
  });
}
