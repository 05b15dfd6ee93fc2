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
});
