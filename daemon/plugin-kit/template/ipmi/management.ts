// The management interface `acme`: extends `ipmitool` with a clean step that clears the event log.
import { extendInterface, type Step } from '#plugin-api';
import { ipmitool } from '#plugin-api/ipmi';

/** Exported for the test. */
export const clearEventLog: Step = {
  description: 'Clears the event log of the BMC.',
  priorities: { clean: 10 },
  requiresRamdisk: false,
  destroys: 'the event log of the BMC',
  async run(task) {
    // a command that only your BMC knows is written like ['raw', '0x30', '0x01']
    await ipmitool(task, {
      operation: 'Clearing the event log',
      command: ['sel', 'clear'],
      confirmation: 'Clearing SEL',
    });
    return 'done';
  },
};

export const acmeManagement = extendInterface('management', 'ipmitool', (ipmi) => ({
  ...ipmi,
  steps: { ...ipmi.steps, clear_event_log: clearEventLog },
}));
