// The management interface `intel-ipmitool`: chooses the Speed Select performance profile of Intel processors, by raw requests
// to Intel's BMC.
import { defineManagement, fault, type Json, type JsonObject, type Step } from '#plugin-api';
import { ipmitoolManagement } from '../management.ts';
import { sendRaw } from './raw-request.ts';

const PROFILES = ['0x00', '0x01', '0x02'] as const;
/** Intel's network function, command, subcommand and version. */
const SET_PROFILE = ['0x2c', '0x41', '0x04', '0x00'];
const MOST_SOCKETS = 16;

const configureSpeedSelect: Step = {
  description: 'Sets the performance profile of Intel Speed Select on each processor socket.',
  // not 200 as in Ironic: without its argument, the step would make every deployment fail
  priorities: { deploy: 0 },
  arguments: {
    intel_speedselect_config: { description: `The profile: ${PROFILES.join(', ')}.`, required: true },
    socket_count: { description: `How many sockets the machine has, 1 to ${MOST_SOCKETS}. Default 1.` },
  },
  requiresRamdisk: false,
  async run(task, given) {
    for (const [socket, octets] of profileRequests(given).entries())
      await sendRaw(task, octets, `Setting the Speed Select profile of socket ${socket}`);
    return 'done';
  },
};

export const intelManagement = defineManagement({
  ...ipmitoolManagement,
  steps: { configure_intel_speedselect: configureSpeedSelect },
});

/** Returns the octets for each socket. Throws InvalidParameter. */
export function profileRequests(given: JsonObject): readonly (readonly string[])[] {
  const profile = profileIn(given);
  return Array.from({ length: socketsIn(given['socket_count']) }, (_, socket) => [
    ...SET_PROFILE,
    `0x${socket.toString(16).padStart(2, '0')}`,
    profile,
  ]);
}

function profileIn({ intel_speedselect_config: given }: JsonObject): string {
  const profile = PROFILES.find((known) => known === given);
  if (profile !== undefined) return profile;
  throw fault('InvalidParameter', {
    name: 'intel_speedselect_config',
    reason: `${JSON.stringify(given ?? null)}. Expected one of ${PROFILES.join(', ')}`,
  });
}

function socketsIn(given: Json = 1): number {
  const sockets = typeof given === 'string' ? Number(given) : given;
  if (typeof sockets === 'number' && Number.isInteger(sockets) && sockets >= 1 && sockets <= MOST_SOCKETS)
    return sockets;
  throw fault('InvalidParameter', {
    name: 'socket_count',
    reason: `${JSON.stringify(given)}. Expected an integer from 1 to ${MOST_SOCKETS}`,
  });
}
