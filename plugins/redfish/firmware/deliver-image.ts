// Gives a BMC a firmware image: by the image's URL, by the URL of a copy on this host, or as an upload when the BMC takes no URLs.
import { defineFault, fault, type FileCopy, type Task } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { converse } from '../bmc/converse.ts';
import { pathIn, targetIn, textIn } from '../bmc/fields.ts';
import { redfishOptions } from '../options.ts';
import { taskOf } from '../steps/redfish-task.ts';
import type { Update } from './requested-updates.ts';
import { asFormData, asRawFile } from './uploads.ts';

const noUpdates = defineFault(
  'FirmwareNotUpdated',
  400,
  'The BMC of node {node} takes no firmware images, neither by URL (SimpleUpdate) nor as an upload (MultipartHttpPushUri, HttpPushUri).',
);

/** Throws InvalidParameter. */
export function refuseSwift(task: Task): void {
  if (redfishOptions(task).firmware_source === 'swift')
    throw fault('InvalidParameter', {
      name: '[redfish] firmware_source',
      reason: 'swift; there is no object store here: use local, or http',
    });
}

/** How an image gets to the BMC. */
export type Delivery =
  | { readonly kind: 'url'; readonly target: string; readonly url: string }
  | { readonly kind: 'form' | 'raw'; readonly target: string; readonly copy: FileCopy };

/** Downloads the image when the BMC is to get a copy of it. Throws FirmwareNotUpdated, ImageUnusable or InvalidParameter. */
export async function plannedDelivery(task: Task, { url, component }: Update): Promise<Delivery> {
  const ways = await converse(task, { operation: 'Reading how the BMC is updated' }, waysOf);
  if (ways.url !== undefined && mayFetch(task, url)) return { kind: 'url', target: ways.url, url };
  const target = ways.url ?? ways.form ?? ways.raw;
  if (target === undefined) throw noUpdates({ node: task.node.uuid });
  const copy = await task.images.copyForStep(url);
  if (ways.url === undefined) return { kind: ways.form === undefined ? 'raw' : 'form', target, copy };
  if (copy.url !== null) return { kind: 'url', target, url: copy.url };
  throw fault('InvalidParameter', {
    name: `the url of ${component}`,
    reason:
      'the BMC is to get a copy from this host (because of a file URL, a checksum, or [redfish] firmware_source = local), which serves no files: set [boot_http] port',
  });
}

/**
 * Whether the BMC may fetch the URL itself. No BMC verifies the checksum behind the `#` of a URL, so an image with a checksum is
 * downloaded and verified by the daemon, and the BMC gets the copy.
 */
const mayFetch = (task: Task, url: string): boolean =>
  redfishOptions(task).firmware_source === 'http' && !url.startsWith('file:') && !url.includes('#');

async function waysOf(bmc: Bmc) {
  const path = pathIn((await bmc.root())['UpdateService']);
  const service = (path === undefined ? undefined : await bmc.find(path)) ?? {};
  return {
    url: targetIn(service, '#UpdateService.SimpleUpdate'),
    form: textIn(service['MultipartHttpPushUri']),
    raw: textIn(service['HttpPushUri']),
  };
}

/** Returns the path of the BMC's task, if the BMC made one. */
export async function deliver(task: Task, update: Update, delivery: Delivery): Promise<string | undefined> {
  const operation = `Updating ${update.component}`;
  if (delivery.kind === 'url')
    return converse(task, { operation }, (bmc) => simpleUpdate(bmc, delivery.target, delivery.url));
  const upload = delivery.kind === 'form' ? asFormData(delivery.copy, update) : asRawFile(delivery.copy);
  const length = Math.ceil(upload.timeoutSeconds / redfishOptions(task).read_timeout) + 2;
  return converse(task, { operation, length }, async (bmc) =>
    taskOf(await bmc.upload(delivery.target, upload)),
  );
}

async function simpleUpdate(bmc: Bmc, target: string, url: string): Promise<string | undefined> {
  const systems = await bmc.memberPaths(`${bmc.rootPath}/Systems`);
  const answer = await bmc.post(target, {
    ImageURI: url,
    TransferProtocol: url.startsWith('https:') ? 'HTTPS' : 'HTTP',
    ...(systems.length > 1 && { Targets: [await bmc.systemPath()] }),
  });
  return taskOf(answer);
}
