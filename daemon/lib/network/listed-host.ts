// Whether a URL leads to one of the hosts in a list, such as the hosts to which the daemon may send a login.

/** `hosts`: names or addresses. One with a port stands for that port only, one without a port for all ports. */
export function isListedHost(url: URL, hosts: readonly string[]): boolean {
  const { hostname } = url;
  return hosts.some((host) => [hostname, `${hostname}:${portOf(url)}`].includes(host.toLowerCase()));
}

/** The port of an http or https URL. */
export const portOf = ({ protocol, port }: URL): string =>
  port === '' ? (protocol === 'https:' ? '443' : '80') : port;
