// Whether a URL leads to one of the hosts in a list, such as the hosts to which the daemon may send a login.

/** `hosts`: names or addresses. One with a port stands for that port only, one without a port for all ports. */
export function isListedHost({ protocol, hostname, port }: URL, hosts: readonly string[]): boolean {
  const known = port === '' ? (protocol === 'https:' ? '443' : '80') : port;
  return hosts.some((host) => [hostname, `${hostname}:${known}`].includes(host.toLowerCase()));
}
