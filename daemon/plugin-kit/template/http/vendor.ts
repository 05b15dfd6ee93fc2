// The vendor interface `acme`: reads and clears the event log of the service processor.
import { defineVendor, type Task } from '#plugin-api';
import { addressOf, ask, connectionProperties } from './connection.ts';

const clearEventLog = (task: Task) =>
  ask(task, { operation: 'Clearing the event log', method: 'DELETE', path: '/events' });

export const acmeVendor = defineVendor({
  properties: connectionProperties,
  validate(task) {
    addressOf(task.node);
  },
  nodeMethods: {
    event_log: {
      httpMethods: ['GET'],
      description: 'The events recorded by the service processor, oldest first.',
      runs: 'wait',
      async call(task) {
        const events = await ask(task, {
          operation: 'Reading the event log',
          method: 'GET',
          path: '/events',
        });
        return { events: events.split('\n').filter((line) => line !== '') };
      },
    },
  },
  steps: {
    clear_event_log: {
      description: 'Clears the event log of the service processor.',
      priorities: { clean: 10 },
      requiresRamdisk: false,
      destroys: 'the event log',
      async run(task) {
        await clearEventLog(task);
        return 'done';
      },
    },
  },
});
