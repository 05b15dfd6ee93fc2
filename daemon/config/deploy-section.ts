// What the conductor makes of the steps that agents offer, and when it uses a ramdisk that runs already.
import { flag, integerOrNull, seconds, section } from './typed-options.ts';

const priority = (step: string) =>
  integerOrNull(
    { minimum: 0 },
    `The priority of the agent's clean step ${step}; 0 leaves it out of automated cleaning. Not set: the agent's own.`,
  );

export const deploySection = section({
  erase_devices_priority: priority('deploy.erase_devices'),
  erase_devices_metadata_priority: priority('deploy.erase_devices_metadata'),
  delete_configuration_priority: priority('raid.delete_configuration'),
  create_configuration_priority: priority('raid.create_configuration'),
  power_off_after_deploy_failure: flag(
    true,
    'Whether a machine that was booted for a deployment is powered off when that fails.',
  ),
  fast_track: flag(
    false,
    'Whether a ramdisk that runs already is used without booting it anew, unless driver_info/fast_track of the node says otherwise.',
  ),
  fast_track_timeout: seconds(
    300,
    0,
    'The time in seconds since its last heartbeat for which a ramdisk counts as running.',
  ),
});
