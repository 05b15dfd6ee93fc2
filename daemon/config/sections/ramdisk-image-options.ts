// The ramdisks that machines boot: options of [conductor], with Ironic's names.
import { list, pairs, textOrNull } from './typed-options.ts';

const REFERENCE =
  'An http, https or file URL, with an optional checksum: https://images.example/ipa.kernel#sha256=...';

const image = (what: string, name: string, otherwise: string) =>
  textOrNull(
    `The ${what}, for nodes whose driver_info has no ${name} and whose architecture is not in ${name}_by_arch. ${REFERENCE} Not set: ${otherwise}.`,
  );
const byArchitecture = (what: string, name: string) =>
  pairs(
    'pair',
    `The ${what} for each CPU architecture (properties/cpu_arch of the node), as ARCHITECTURE:URL; it takes precedence over ${name}.`,
  );

const kernel = 'kernel of the ramdisk with the agent';
const ramdisk = 'ramdisk with the agent';

export const ramdiskImageOptions = {
  deploy_kernel: image(kernel, 'deploy_kernel', 'these nodes cannot boot the ramdisk'),
  deploy_ramdisk: image(ramdisk, 'deploy_ramdisk', 'these nodes cannot boot the ramdisk'),
  deploy_kernel_by_arch: byArchitecture(kernel, 'deploy_kernel'),
  deploy_ramdisk_by_arch: byArchitecture(ramdisk, 'deploy_ramdisk'),
  rescue_kernel: image(`${kernel} for rescue`, 'rescue_kernel', 'the deploy kernel'),
  rescue_ramdisk: image(`${ramdisk} for rescue`, 'rescue_ramdisk', 'the deploy ramdisk'),
  rescue_kernel_by_arch: byArchitecture(`${kernel} for rescue`, 'rescue_kernel'),
  rescue_ramdisk_by_arch: byArchitecture(`${ramdisk} for rescue`, 'rescue_ramdisk'),
  file_url_allowed_paths: list(
    ['/var/lib/ironic', '/shared/html', '/opt/cache/files'],
    'The directories that file URLs of images may lead into; symbolic links are resolved first. $state_path/agent-images is always allowed; other files of the daemon are never allowed.',
  ),
};
