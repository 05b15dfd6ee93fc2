// Virtual media: images in the virtual drives that a BMC offers its machine.
import { fault } from '../../model/faults.ts';
import { POWER_FAILURE } from '../../model/states/node-faults.ts';
import type { VirtualMediaDevice } from '../../model/machine/virtual-media.ts';
import { type BackgroundAction, startManagementAction } from './background-action.ts';
import { insertCopy, removeCopies } from '../images/media-images.ts';
import type { Call } from '../tasks/services.ts';
import { onInterface, operationOf } from './on-interface.ts';
import type { HardwareServices, HardwareTask } from './services.ts';

export const listVirtualMedia = onInterface('management', 'listVirtualMedia', 'get_virtual_media', {
  lock: false,
});

export interface VirtualMedium {
  readonly device: VirtualMediaDevice;
  readonly imageUrl: string;
  /**
   * `http`: the BMC fetches the image from `imageUrl`. `local`: the BMC fetches a copy that the daemon serves. `swift`: the BMC
   * would fetch a copy from Swift, which is not supported.
   */
  readonly source: 'http' | 'local' | 'swift';
}

/** Accepts the request; a failure is recorded in `last_error`. */
export function attachVirtualMedia(
  context: Call<HardwareServices>,
  uuid: string,
  { device, imageUrl, source }: VirtualMedium,
): Promise<void> {
  return begin(context, uuid, (task) => ({
    action: `attach an image as ${device}`,
    eventType: 'virtual media',
    async work() {
      const attach = operationOf(task, 'management', 'attachVirtualMedia', 'attach_virtual_media');
      const insert = (url: string) => attach(device, url);
      refuseUnreachable(source, imageUrl);
      if (source === 'local') return insertCopy(task, { device, imageUrl, insert });
      await insert(imageUrl);
      return removeCopies(task, [device]);
    },
  }));
}

const wrongSource = (reason: string) => fault('InvalidParameter', { name: 'image_download_source', reason });

function refuseUnreachable(source: VirtualMedium['source'], imageUrl: string): void {
  if (source === 'swift')
    throw wrongSource(
      '"swift" is not supported; use "local" for a copy that the daemon serves, or "http" to have the BMC fetch the image itself',
    );
  const [scheme = ''] = imageUrl.split(':');
  if (source === 'local' && !['http', 'https'].includes(scheme))
    throw wrongSource(
      `"local" cannot copy an image from ${scheme}; use "http" to have the BMC fetch the image itself`,
    );
}

/** Accepts the request; a failure is recorded in `last_error`. */
export function detachVirtualMedia(
  context: Call<HardwareServices>,
  uuid: string,
  devices: readonly VirtualMediaDevice[],
): Promise<void> {
  return begin(context, uuid, (task) => ({
    action: `detach ${devices.join(', ')}`,
    eventType: 'virtual media',
    async work() {
      await operationOf(task, 'management', 'detachVirtualMedia', 'detach_virtual_media')(devices);
      await removeCopies(task, devices);
    },
  }));
}

function begin(
  context: Call<HardwareServices>,
  uuid: string,
  describe: (task: HardwareTask) => BackgroundAction,
): Promise<void> {
  return startManagementAction(context, uuid, (task) => {
    if (task.node.fault === POWER_FAILURE) throw fault('BmcUnreachable', { node: uuid });
    return describe(task);
  });
}
