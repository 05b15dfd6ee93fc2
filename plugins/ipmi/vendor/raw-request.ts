// A request to the BMC in raw octets: network function, command, data.
import { fault, type Json, type Task } from '#plugin-api';
import { ipmitool } from '../ipmitool.ts';
import { isOctet } from '../octet.ts';

/** The most octets that a message of IPMI 2.0 over LAN carries. */
const MOST_OCTETS = 255;

/** Returns the octets of `raw_bytes`. Throws MissingParameter or InvalidParameter. */
export function octetsIn(rawBytes: Json | undefined): readonly string[] {
  if (rawBytes === undefined || rawBytes === null || rawBytes === '')
    throw fault('MissingParameter', { name: 'raw_bytes' });
  const octets = typeof rawBytes === 'string' ? rawBytes.split(' ').filter((octet) => octet !== '') : [];
  if (octets.length >= 2 && octets.length <= MOST_OCTETS && octets.every(isOctet)) return octets;
  throw fault('InvalidParameter', {
    name: 'raw_bytes',
    reason: `${JSON.stringify(rawBytes)}. Expected 2 to ${MOST_OCTETS} octets separated by spaces: network function, command and data, as in "0x06 0x01"`,
  });
}

/** Sends the octets and resolves to the octets of the BMC's answer, as ipmitool prints them: `00 03 09`. */
export async function sendRaw(task: Task, octets: readonly string[], operation: string): Promise<string> {
  const answer = await ipmitool(task, { operation, command: ['raw', ...octets], confirmation: '' });
  return answer.split(/\s/).filter(Boolean).join(' ');
}
