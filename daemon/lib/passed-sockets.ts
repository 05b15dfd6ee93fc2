// Sockets that the service manager opened and passed on (systemd's socket units, sd_listen_fds(3)).
import { readFileSync, readlinkSync } from 'node:fs';

const FIRST_DESCRIPTOR = 3;

/** Returns the descriptors of the passed sockets whose unit calls them `name` (FileDescriptorName=). */
export function passedSockets(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
): readonly number[] {
  // child processes inherit the variables, but the sockets are not meant for them
  if (Number(environment['LISTEN_PID']) !== process.pid) return [];
  const names = (environment['LISTEN_FDNAMES'] ?? '').split(':').slice(0, Number(environment['LISTEN_FDS']));
  return names.flatMap((each, index) => (each === name ? [FIRST_DESCRIPTOR + index] : []));
}

/** Whether the descriptor is a UDP socket of IPv6. Node.js has to be told, and cannot say. */
export function isIpv6Socket(descriptor: number): boolean {
  const [, inode] = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/self/fd/${descriptor}`)) ?? [];
  const lines = readFileSync('/proc/self/net/udp6', 'latin1').split('\n');
  return inode !== undefined && lines.some((line) => line.trim().split(/\s+/)[9] === inode);
}
