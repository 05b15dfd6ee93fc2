// Serves the ramdisk to machines that belong to no known node: its agent inspects the machine and reports what it finds. This
// is how nodes without ports are inspected, and how machines are discovered.
import { publishUnknownBoot } from '../../boot/start-files.ts';
import { commandLine } from '../../boot/scripts/kernel-command-line.ts';
import { reasonOf } from '../../model/faults.ts';
import { type KernelParameters, parseKernelParameters } from '../../model/machine/kernel-parameters.ts';
import { ramdiskParameters } from '../ramdisk/ramdisk-parameters.ts';
import type { Services } from '../services.ts';

const RETRY_MILLISECONDS = 60_000;

/**
 * Fetches and serves [conductor] deploy_kernel and deploy_ramdisk; tries again until both are served. Serves nothing if either is
 * not set, or if there is no HTTP boot server.
 */
export async function serveUnknownMachines(services: Services): Promise<void> {
  const { config, networkBoots, images, served, clock, log, stopping } = services;
  const { deploy_kernel: kernel, deploy_ramdisk: ramdisk } = config.conductor;
  const { httpUrl } = networkBoots;
  if (httpUrl === undefined) return;
  if (kernel === null || ramdisk === null)
    return log.info(
      {},
      'machines that belong to no node cannot boot: set [conductor] deploy_kernel and deploy_ramdisk to inspect them',
    );
  try {
    const boot = {
      protocol: 'ipxe',
      title: 'inspection of a machine without a node',
      kernel: await images.fetch(kernel, '[conductor] deploy_kernel', stopping),
      ramdisk: await images.fetch(ramdisk, '[conductor] deploy_ramdisk', stopping),
      commandLine: parametersFor(services),
    } as const;
    publishUnknownBoot(served, boot, httpUrl);
  } catch (error) {
    if (stopping.aborted) return;
    log.error(
      { reason: reasonOf(error), retry_seconds: RETRY_MILLISECONDS / 1000 },
      'unknown machines cannot boot: their ramdisk is not available',
    );
    clock.after(RETRY_MILLISECONDS, () => void serveUnknownMachines(services));
  }
}

function parametersFor({ config, sections }: Services): string {
  const own = wordsOf(sections['pxe']?.['kernel_append_params']);
  const extra = wordsOf(sections['inspector']?.['extra_kernel_params']);
  const api = ramdiskParameters(config);
  return commandLine(
    {
      selinux: '0',
      troubleshoot: '0',
      text: null,
      ...own,
      ...extra,
      ...api,
      'ipa-inspection-callback-url': `${api['ipa-api-url']}/v1/continue_inspection`,
    },
    '[pxe] kernel_append_params, [inspector] extra_kernel_params',
  );
}

/** Returns the kernel parameters in a plugin's option; none when the plugin is missing, because the option then has no value. */
const wordsOf = (option: unknown): KernelParameters =>
  (typeof option === 'string' ? parseKernelParameters(option) : undefined) ?? {};
