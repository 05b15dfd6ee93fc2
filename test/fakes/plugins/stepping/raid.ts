// A controller that a step of the BMC configures.
import { defineRaid, logicalDiskSchema } from '#plugin-api';
import { scripted } from './script.ts';

export const steppingRaid = defineRaid({
  properties: {},
  validate() {},
  logicalDisk: logicalDiskSchema,
  async createConfiguration() {},
  async deleteConfiguration() {},
  steps: {
    create_configuration: scripted('create_configuration', {
      priorities: { clean: 0 },
      arguments: { create_root_volume: { description: 'Whether to make the volume to boot from.' } },
    }),
  },
});
