// The sockets that systemd has opened for the daemon (sd_listen_fds(3)), by the names of their units' FileDescriptorName=.

const FIRST_DESCRIPTOR = 3;

/**
 * `name`: `api`, `boot-http`, `tftp`, `dhcp-IFACE` or `proxydhcp-IFACE`. Returns the descriptor; undefined when systemd
 * passed no such socket, or passed it to another process of which this one is a child.
 */
export function passedSocket(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  processId: number = process.pid,
): number | undefined {
  if (environment['LISTEN_PID'] !== String(processId)) return undefined;
  const names = (environment['LISTEN_FDNAMES'] ?? '').split(':').slice(0, Number(environment['LISTEN_FDS']));
  const index = names.indexOf(name);
  return index === -1 ? undefined : FIRST_DESCRIPTOR + index;
}
