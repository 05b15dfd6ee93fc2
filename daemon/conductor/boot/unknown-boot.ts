// Serves the ramdisk to machines that belong to no known node: its agent inspects the machine and reports what it finds. This
// is how nodes without ports are inspected, and how machines are discovered.
import { watch } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { agentImagesIn } from '../../lib/files/agent-images.ts';
import type { KernelBoot } from '../../boot/network-boots.ts';
import { publishUnknownBoot } from '../../boot/start-files.ts';
import { commandLine } from '../../boot/scripts/kernel-command-line.ts';
import { reasonOf } from '../../model/faults.ts';
import { kernelAndRamdisk } from './kernel-and-ramdisk.ts';
import { bootObstacle } from './network-boot.ts';
import type { NetworkBootServices } from './services.ts';
import { type KernelParameters, parseKernelParameters } from '../../model/machine/kernel-parameters.ts';
import { accountParameters } from '../ramdisk/in-band-account.ts';
import { agentParameters } from '../ramdisk/ramdisk-parameters.ts';

const RETRY_MILLISECONDS = 60_000;

/**
 * Why a machine without a port boots nothing, as part of a sentence; null when it boots the ramdisk, and when another DHCP server
 * tells it what to boot.
 */
export function unknownObstacle(
  services: Pick<NetworkBootServices, 'config' | 'networkBoots'>,
): string | null {
  const { conductor, dhcp_server: dhcp } = services.config;
  if (dhcp.subnet.length === 0 || dhcp.mode === 'proxy') return null;
  const hasRamdisk = conductor.deploy_kernel !== null && conductor.deploy_ramdisk !== null;
  const failure = hasRamdisk
    ? services.networkBoots.unknownFailure?.replace(/\.$/, '')
    : 'set [conductor] deploy_kernel and deploy_ramdisk';
  return failure === undefined ? bootObstacle(services) : `machines without a port boot nothing: ${failure}`;
}

/**
 * Fetches and serves [conductor] deploy_kernel and deploy_ramdisk; tries again until both are served, and serves the newer image when
 * `ironic-edge agent-image` has made one. Serves nothing if either is not set, or if there is no HTTP boot server.
 */
export async function serveUnknownMachines(services: NetworkBootServices): Promise<void> {
  const { config, networkBoots, log, served, clock, stopping } = services;
  const { deploy_kernel: kernel, deploy_ramdisk: ramdisk } = config.conductor;
  if (networkBoots.httpUrl === undefined) return;
  if (kernel === null || ramdisk === null)
    return log.info(
      {},
      'machines that belong to no node cannot boot: set [conductor] deploy_kernel and deploy_ramdisk to inspect them',
    );
  const { httpUrl } = networkBoots;
  const images = { kernel, ramdisk };
  let boot: KernelBoot | undefined;
  let watching = false;
  let cancelRetry: (() => void) | undefined;
  let serving = Promise.resolve();
  const serve = async () => {
    if (stopping.aborted) return;
    // a change of the images may come before the retry is due
    cancelRetry?.();
    watching ||= watchImages(services, kernel, inTurn);
    const newest = await fetched(services, images);
    if (newest === undefined) cancelRetry = clock.after(RETRY_MILLISECONDS, inTurn);
    else if (newest.kernel !== boot?.kernel || newest.ramdisk !== boot.ramdisk) {
      publishUnknownBoot(served, newest, httpUrl, boot);
      boot = newest;
    }
  };
  // so that the newest image is served last
  const inTurn = () => void (serving = serving.then(serve));
  inTurn();
  await serving;
}

/** Resolves to undefined when the images cannot be fetched now. */
async function fetched(
  services: NetworkBootServices,
  named: { readonly kernel: string; readonly ramdisk: string },
): Promise<KernelBoot | undefined> {
  const { images, networkBoots, log, stopping } = services;
  try {
    const files = await kernelAndRamdisk(named, (reference, part) =>
      images.fetch(reference, `[conductor] deploy_${part}`, stopping),
    );
    networkBoots.unknownFailure = null;
    const title = 'inspection of a machine without a node';
    return { protocol: 'ipxe', title, ...files, commandLine: parametersFor(services) };
  } catch (error) {
    if (stopping.aborted) return undefined;
    networkBoots.unknownFailure = reasonOf(error);
    log.error(
      { reason: networkBoots.unknownFailure, retry_seconds: RETRY_MILLISECONDS / 1000 },
      'unknown machines cannot boot: their ramdisk is not available',
    );
    return undefined;
  }
}

/**
 * Calls `changed` when something changes in the directory of the images of `ironic-edge agent-image`, if the kernel is there.
 * Returns whether that will be noticed, or does not matter.
 */
function watchImages(
  { config, log, stopping }: NetworkBootServices,
  kernel: string,
  changed: () => void,
): boolean {
  const directory = agentImagesIn(config.DEFAULT.state_path);
  if (!kernel.startsWith(`${pathToFileURL(directory).href}/`)) return true;
  const unwatched = (error: unknown) =>
    log.warn(
      { directory, reason: reasonOf(error) },
      'the directory cannot be watched: after "ironic-edge agent-image update", restart the daemon',
    );
  try {
    watch(directory, { signal: stopping, persistent: false }, changed).on('error', unwatched);
    return true;
  } catch (error) {
    unwatched(error);
    return false;
  }
}

function parametersFor(services: NetworkBootServices): string {
  const { config, sections } = services;
  const own = wordsOf(sections['pxe']?.['kernel_append_params']);
  const extra = wordsOf(sections['inspector']?.['extra_kernel_params']);
  const api = agentParameters(config);
  return commandLine(
    {
      selinux: '0',
      troubleshoot: '0',
      text: null,
      ...own,
      ...extra,
      ...api,
      ...accountParameters(services),
      'ipa-inspection-callback-url': `${api['ipa-api-url']}/v1/continue_inspection`,
    },
    '[pxe] kernel_append_params, [inspector] extra_kernel_params',
  );
}

/** Returns the kernel parameters in a plugin's option; none when the plugin is missing, because the option then has no value. */
const wordsOf = (option: unknown): KernelParameters =>
  (typeof option === 'string' ? parseKernelParameters(option) : undefined) ?? {};
