// The provisioning network of the rig: a bridge in the network namespace of this process, with a tap for each machine.
import { execFileSync } from 'node:child_process';

export const HOST = '10.77.0.1';
export const BRIDGE = 'life0';
export const RANGE = { first: '10.77.0.100', last: '10.77.0.150' } as const;

/** The address of the BMC of machine `number`, which counts from 1. */
export const bmcAddressOf = (number: number): string => `10.77.0.${10 + number}`;
export const macOf = (number: number): string => `52:54:00:77:00:${number.toString(16).padStart(2, '0')}`;
/** What the firmware of the machine and its BMC call it. ipmitool reads this one from the wrong end, because it takes that for likelier. */
export const uuidOf = (number: number): string =>
  `6b3d3f2e-6f0b-4f0c-9a14-0d6f1c1f7a${number.toString(16).padStart(2, '0')}`;

/** Of a site without IPv4: the address of this host, its network, and the addresses that machines get. */
export const IPV6 = {
  host: 'fd77::1',
  network: 'fd77::/64',
  range: { first: 'fd77::1:0', last: 'fd77::1:ff' },
  /** An address outside of the range. */
  instance: 'fd77::201/64',
} as const;

/** The address of the BMC of machine `number` at a site without IPv4. */
export const ipv6BmcAddressOf = (number: number): string => `fd77::b:${number.toString(16)}`;

const ip = (...words: readonly string[]) => execFileSync('ip', words);

export function createNetwork(): void {
  ip('link', 'set', 'lo', 'up');
  ip('link', 'add', BRIDGE, 'type', 'bridge', 'forward_delay', '0', 'stp_state', '0');
  ip('address', 'add', `${HOST}/24`, 'dev', BRIDGE);
  ip('link', 'set', BRIDGE, 'up');
  // a bridge has a link as long as one of its ports has one, and machines that are off have none
  ip('link', 'add', 'always', 'type', 'veth', 'peer', 'name', 'linked');
  // the host answers for its address on the bridge only: a machine that took this end's answer would not pass a firewall
  ip('link', 'set', 'linked', 'arp', 'off', 'up');
  ip('link', 'set', 'always', 'master', BRIDGE, 'up');
}

/** Takes the network its IPv4 address until it is disposed of; the host has an IPv6 address instead. */
export function withoutIpv4(): Disposable {
  ip('address', 'delete', `${HOST}/24`, 'dev', BRIDGE);
  ip('address', 'add', `${IPV6.host}/64`, 'dev', BRIDGE, 'nodad');
  return {
    [Symbol.dispose]() {
      ip('address', 'delete', `${IPV6.host}/64`, 'dev', BRIDGE);
      ip('address', 'add', `${HOST}/24`, 'dev', BRIDGE);
    },
  };
}

/** Adds the cable of a machine and the address of its BMC; returns the name of the tap. */
export function connectMachine(number: number, bmcAddress = bmcAddressOf(number)): string {
  const tap = `tap${number}`;
  ip('tuntap', 'add', tap, 'mode', 'tap');
  ip('link', 'set', tap, 'master', BRIDGE, 'up');
  ip('address', 'add', bmcAddress, 'dev', 'lo');
  return tap;
}

export function disconnectMachine(number: number, bmcAddress = bmcAddressOf(number)): void {
  ip('link', 'delete', `tap${number}`);
  ip('address', 'delete', bmcAddress, 'dev', 'lo');
}

/** Pulls the cable of a machine. */
export const unplug = (number: number): void => void ip('link', 'set', `tap${number}`, 'nomaster');
