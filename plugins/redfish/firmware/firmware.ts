// The firmware interface `redfish`.
import { defineFirmware } from '#plugin-api';
import { bmcConnectionOf, connectionProperties } from '../bmc/connection.ts';
import { readComponents } from './components.ts';
import { beginUpdates, checkUpdates } from './updates.ts';

const POLL_SECONDS = 30;

export const redfishFirmware = defineFirmware({
  properties: connectionProperties,
  validate(task) {
    bmcConnectionOf(task);
  },
  readComponents,
  steps: {
    update: {
      description: 'Updates the firmware of the BIOS, the BMC or network adapters.',
      priorities: { clean: 0, deploy: 0, service: 0 },
      abortable: false,
      requiresRamdisk: false,
      arguments: {
        settings: {
          description:
            'The updates in order, as in [{"component": "bios", "url": "http://images.example/bios.bin", "wait": 300}].',
          required: true,
        },
      },
      run: beginUpdates,
      poll: { intervalSeconds: POLL_SECONDS, check: checkUpdates },
    },
  },
});
