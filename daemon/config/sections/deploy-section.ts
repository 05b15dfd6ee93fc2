// Options for deployment and cleaning, among them the URL of boot files, the default boot mode, the priorities of the agent's
// clean steps, and fast track, with which a ramdisk that is already running is used again.
import { typed } from '../../lib/json/typed-schema.ts';
import { type BootMode, bootModes } from '../../model/machine/boot-modes.ts';
import { flag, integerOrNull, seconds, section, textOrNull } from './typed-options.ts';

const priority = (step: string) =>
  integerOrNull(
    { minimum: 0 },
    `The priority of the agent's clean step ${step}; 0 leaves it out of automated cleaning. Not set: the agent's own.`,
  );

export const deploySection = section({
  http_url: textOrNull(
    'The base URL at which machines reach the boot HTTP server. Not set: the address that [boot_http] listens on.',
  ),
  default_boot_mode: typed<BootMode>({
    type: 'string',
    enum: [...bootModes],
    default: 'uefi',
    description: 'The boot mode of machines whose node has no capability boot_mode.',
  }),
  erase_devices_priority: priority('deploy.erase_devices'),
  erase_devices_metadata_priority: priority('deploy.erase_devices_metadata'),
  delete_configuration_priority: priority('raid.delete_configuration'),
  create_configuration_priority: priority('raid.create_configuration'),
  power_off_after_deploy_failure: flag(
    true,
    'Whether a machine that was booted for a deployment is powered off when the deployment fails or is aborted.',
  ),
  fast_track: flag(
    false,
    'Whether a ramdisk that is already running is used without rebooting the machine; driver_info/fast_track of the node takes precedence.',
  ),
  fast_track_timeout: seconds(
    300,
    0,
    'How long after its last heartbeat a ramdisk counts as running, in seconds.',
  ),
  kexec: flag(
    false,
    'Whether a deployment ends without a boot of the firmware: the ramdisk starts the kernel of the instance that it has written. Where that is not possible, the machine boots as usual. instance_info/kexec, and else driver_info/kexec of the node, take precedence.',
  ),
  kexec_timeout: seconds(
    300,
    0,
    'Within how many seconds after kexec the instance must ask the DHCP server of the daemon for an address. If it does not, the machine boots as usual, and kexec is not used on it before its next successful inspection. 0: the daemon does not wait, and does not notice an instance that does not start.',
  ),
  idle_ramdisk_timeout: seconds(
    1800,
    0,
    'After how many seconds without work a machine whose ramdisk fast_track keeps is powered off; its next work boots it. 0: never.',
  ),
});
