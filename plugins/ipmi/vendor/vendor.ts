// The vendor interface `ipmitool`: sends the BMC requests in raw octets, and resets the BMC. A method works only if [ipmi]
// vendor_methods allows it, because a raw request can do anything that the BMC can.
import { booleanOf, defineVendor, fault, type Json, type JsonObject, type Task } from '#plugin-api';
import { connectionProperties } from '../connection-properties.ts';
import { connectionOfTask, ipmitool } from '../ipmitool.ts';
import { ipmiOptions } from '../options.ts';
import { octetsIn, sendRaw } from './raw-request.ts';

async function sendRawBytes(task: Task, { raw_bytes: bytes }: JsonObject): Promise<void> {
  refuseDisabled(task, 'send_raw');
  const octets = octetsIn(bytes);
  const answer = await sendRaw(task, octets, 'Sending raw octets');
  await task.addNote(`The BMC answered ${octets.join(' ')} with: ${answer || 'no data'}`);
}

export const ipmitoolVendor = defineVendor({
  properties: connectionProperties,
  validate(task) {
    connectionOfTask(task);
  },
  nodeMethods: {
    send_raw: {
      httpMethods: ['POST'],
      description:
        'Sends a request in raw octets to the BMC. Required argument: raw_bytes, such as "0x06 0x01". The answer is in the history of the node.',
      runs: 'background',
      validate(task, { raw_bytes: bytes }) {
        refuseDisabled(task, 'send_raw');
        octetsIn(bytes);
      },
      call: sendRawBytes,
    },
    bmc_reset: {
      httpMethods: ['POST'],
      description:
        'Resets the BMC. Argument: warm, true (the default) for a warm reset, false for a cold one.',
      runs: 'background',
      validate(task, { warm }) {
        refuseDisabled(task, 'bmc_reset');
        isWarm(warm);
      },
      async call(task, { warm }) {
        const kind = isWarm(warm) ? 'warm' : 'cold';
        await ipmitool(task, {
          operation: `Resetting the BMC (${kind})`,
          command: ['bmc', 'reset', kind],
          confirmation: `Sent ${kind} reset command to MC`,
        });
      },
    },
  },
  steps: {
    send_raw: {
      description: 'Sends a request in raw octets to the BMC.',
      priorities: { clean: 0, deploy: 0, service: 0 },
      abortable: false,
      requiresRamdisk: false,
      arguments: {
        raw_bytes: { description: 'Octets separated by spaces, such as "0x06 0x01".', required: true },
      },
      async run(task, given) {
        await sendRawBytes(task, given);
        return 'done';
      },
    },
  },
});

function refuseDisabled(task: Task, method: 'send_raw' | 'bmc_reset'): void {
  if (ipmiOptions(task).vendor_methods.includes(method)) return;
  throw fault('InvalidParameter', {
    name: 'method',
    reason: `${method} is not allowed on this site; add it to [ipmi] vendor_methods to allow it`,
  });
}

function isWarm(given: Json = true): boolean {
  const warm = typeof given === 'string' ? booleanOf(given) : given;
  if (typeof warm === 'boolean') return warm;
  throw fault('InvalidParameter', {
    name: 'warm',
    reason: `${JSON.stringify(given)}. Expected true or false`,
  });
}
