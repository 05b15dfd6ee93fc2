// The provisioning network of the rig: a bridge in the network namespace of this process, with a tap for each machine.
import { execFileSync } from 'node:child_process';

export const HOST = '10.77.0.1';
export const BRIDGE = 'life0';
export const RANGE = { first: '10.77.0.100', last: '10.77.0.150' } as const;

/** The address of the BMC of machine `number`, which counts from 1. */
export const bmcAddressOf = (number: number): string => `10.77.0.${10 + number}`;
export const macOf = (number: number): string => `52:54:00:77:00:${number.toString(16).padStart(2, '0')}`;

const ip = (...words: readonly string[]) => execFileSync('ip', words);

export function createNetwork(): void {
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', BRIDGE, 'type', 'bridge', 'forward_delay', '0', 'stp_state', '0');
  ip('address', 'add', `${HOST}/24`, 'dev', BRIDGE);
  ip('link', 'set', BRIDGE, 'up');
  // a bridge has a link as long as one of its ports has one, and machines that are off have none
  ip('link', 'add', 'always', 'type', 'veth', 'peer', 'name', 'linked');
  ip('link', 'set', 'linked', 'up');
  ip('link', 'set', 'always', 'master', BRIDGE, 'up');
}

/** Adds the cable of a machine and the address of its BMC; returns the name of the tap. */
export function connectMachine(number: number): string {
  const tap = `tap${number}`;
  ip('tuntap', 'add', tap, 'mode', 'tap');
  ip('link', 'set', tap, 'master', BRIDGE, 'up');
  ip('address', 'add', `${bmcAddressOf(number)}/32`, 'dev', 'lo');
  return tap;
}

export function disconnectMachine(number: number): void {
  ip('link', 'delete', `tap${number}`);
  ip('address', 'delete', `${bmcAddressOf(number)}/32`, 'dev', 'lo');
}

/** Pulls the cable of a machine. */
export const unplug = (number: number): void => void ip('link', 'set', `tap${number}`, 'nomaster');
