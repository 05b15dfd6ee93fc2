// The management interface `acme`: that of `redfish`, with a clean step for what only these BMCs have.
import { extendInterface, fault, type Step } from '#plugin-api';
import { converse, targetIn, textIn } from '#plugin-api/redfish';

/** Exported for the test. */
export const clearEventLogs: Step = {
  description: 'Clears the event logs of the BMC.',
  priorities: { clean: 10 },
  requiresRamdisk: false,
  destroys: 'the event logs of the BMC',
  async run(task) {
    const operation = 'Clearing the event logs';
    // one conversation: the daemon logs in, keeps the session for the next ones, and handles what BMCs do differently
    await converse(task, { operation }, async (bmc) => {
      const [manager] = await bmc.managerPaths();
      const logs = await bmc.membersIfAny(manager && `${manager}/LogServices`);
      const targets = logs.flatMap((log) => targetIn(log, '#LogService.ClearLog') ?? []);
      if (targets.length === 0) {
        const names = logs.map((log) => textIn(log['Id']) ?? 'a log without a name').join(', ');
        const reason = `none of its logs can be cleared (${names || 'it has none'})`;
        throw fault('UnsupportedDriverExtension', { driver: task.node.driver, extension: reason });
      }
      for (const target of targets) await bmc.post(target, {});
    });
    return 'done';
  },
};

export const acmeManagement = extendInterface('management', 'redfish', (redfish) => ({
  ...redfish,
  steps: { ...redfish.steps, clear_event_logs: clearEventLogs },
}));
