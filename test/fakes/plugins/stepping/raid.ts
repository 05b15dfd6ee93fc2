// A controller that a step of the BMC configures.
import { defineRaid, logicalDiskSchema } from '#plugin-api';
import { scripted } from './script.ts';

export const steppingRaid = defineRaid({
  properties: {},
  validate() {},
  logicalDisk: logicalDiskSchema,
  steps: {
    create_configuration: scripted('create_configuration', {
      priorities: { clean: 0, deploy: 0 },
      destroys: 'all data on the logical disks',
      arguments: {
        create_root_volume: { description: 'Whether to make the volume to boot from.' },
        create_nonroot_volumes: { description: 'Whether to make the other volumes.' },
        logical_disks: { description: 'Instead of those in target_raid_config.' },
        delete_configuration: { description: 'Whether to delete what there is before.' },
      },
    }),
  },
});
