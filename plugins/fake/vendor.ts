// The fake vendor interface: vendor passthru methods and steps for trying out clients.
import { defineVendor, fault, type JsonObject, type NodeVendorMethod, type Task } from '#plugin-api';
import { delay, delayRange } from './delay.ts';

const post = (method: Omit<NodeVendorMethod, 'httpMethods'>): NodeVendorMethod => ({
  httpMethods: ['POST'],
  ...method,
});

function requireBar(_: Task, { bar }: JsonObject): void {
  if (bar === undefined || bar === null || bar === '') throw fault('MissingParameter', { name: 'bar' });
}

export const fakeVendor = defineVendor({
  properties: {
    B1: { description: 'B1 of the fake vendor interface; nothing reads it.' },
    B2: { description: 'B2 of the fake vendor interface; nothing reads it.' },
  },
  validate(task) {
    delayRange(task, 'vendor');
  },
  nodeMethods: {
    second_method: post({
      description: 'Accepts bar and ignores it, in the background.',
      runs: 'background',
      validate: requireBar,
      call: (task) => delay(task, 'vendor'),
    }),
    third_method_sync: post({
      description: 'Returns whether bar is "meow".',
      runs: 'wait',
      validate: requireBar,
      async call(task, { bar }) {
        await delay(task, 'vendor');
        return bar === 'meow';
      },
    }),
    fourth_method_shared_lock: post({
      description: 'Accepts bar and ignores it, in the background and without locking the node.',
      runs: 'background',
      sharesNode: true,
      validate: requireBar,
      call: (task) => delay(task, 'vendor'),
    }),
    log_passthrough: post({
      description: 'Logs its arguments, in the background.',
      runs: 'background',
      async call(task, given) {
        await delay(task, 'vendor');
        task.log.info({ given }, 'The fake vendor interface was called');
      },
    }),
  },
  steps: {
    log_passthrough: {
      description: 'Waits for the time in [fake] vendor_delay, then logs a message.',
      priorities: { clean: 1, service: 0 },
      requiresRamdisk: false,
      async run(task) {
        await delay(task, 'vendor');
        task.log.info({}, 'The fake vendor interface was called');
        return 'done';
      },
    },
    trigger_servicewait: {
      description: 'Waits until an abort, a timeout or an undeployment ends it.',
      priorities: { service: 0 },
      abortable: true,
      requiresRamdisk: false,
      run: async () => 'wait',
    },
  },
});
