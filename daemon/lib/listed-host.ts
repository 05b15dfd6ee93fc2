// Whether a URL leads to one of the hosts of a list, such as the hosts that the daemon sends a user and a password.

/** `hosts`: names or addresses. One with a port stands for that port only, one without a port for all ports. */
export function isListedHost({ protocol, hostname, port }: URL, hosts: readonly string[]): boolean {
  const known = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return hosts.some((host) => [hostname, `${hostname}:${known}`].includes(host.toLowerCase()));
}
