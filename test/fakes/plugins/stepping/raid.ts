// A RAID interface with a step like the one in Ironic's specification of manual cleaning.
import { defineRaid, logicalDiskSchema } from '#plugin-api';
import { scripted } from './script.ts';

export const steppingRaid = defineRaid({
  properties: {},
  validate() {},
  logicalDisk: logicalDiskSchema,
  steps: {
    create_configuration: scripted('create_configuration', {
      priorities: { clean: 0, deploy: 0 },
      abortable: true,
      destroys: 'all data on the logical disks',
      arguments: {
        create_root_volume: {
          description:
            "Set to True (the default) to create root volume specified in the node's target_raid_config. False prevents the root volume from being created.",
        },
        create_nonroot_volumes: {
          description:
            "Set to True (the default) to create non-root volumes that may be specified in the node's target_raid_config. False prevents non-root volumes from being created.",
        },
        logical_disks: { description: 'Logical disks to create instead of those in target_raid_config.' },
        delete_configuration: { description: 'Whether to delete the existing configuration first.' },
      },
    }),
  },
});
