// The management interface `acme`: extends `redfish` with a clean step that clears the event logs.
import { extendInterface, type Step } from '#plugin-api';
import { converse, targetIn, textIn } from '#plugin-api/redfish';

/** Exported for the test. */
export const clearEventLogs: Step = {
  description: 'Clears the event logs of the BMC.',
  priorities: { clean: 10 },
  requiresRamdisk: false,
  destroys: 'the event logs of the BMC',
  async run(task) {
    const operation = 'Clearing the event logs';
    // one conversation: the daemon logs in, keeps the session for the next conversations, and handles the differences between
    // BMCs
    await converse(task, { operation }, async (bmc) => {
      const [manager] = await bmc.managerPaths();
      const logs = await bmc.membersIfAny(manager && `${manager}/LogServices`);
      for (const log of logs) {
        const target = targetIn(log, '#LogService.ClearLog');
        if (target === undefined) task.log.info({ log: textIn(log['Id']) }, 'this log cannot be cleared');
        else await bmc.post(target, {});
      }
    });
    return 'done';
  },
};

export const acmeManagement = extendInterface('management', 'redfish', (redfish) => ({
  ...redfish,
  steps: { ...redfish.steps, clear_event_logs: clearEventLogs },
}));
