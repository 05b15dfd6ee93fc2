// The manual page with-sockets(8).
import { literal, type Page, prose, type Reference } from './mdoc.ts';

export const SOCKETS_PAGE = { name: 'with-sockets', section: 8 } as const satisfies Reference;

const SOCKETS = `Opens sockets that a command could not open itself, and runs the command with them, as systemd does for socket
units. Run it as root; with systemd, use the socket units instead, which only lack \`ra-INTERFACE\`.`;

const KINDS = `dhcp-INTERFACE        UDP port 67 on a network interface, for [dhcp_server]
proxydhcp-INTERFACE   UDP port 4011 on a network interface, for [dhcp_server] mode = proxy
ra-INTERFACE          ICMPv6 to all hosts on a network interface, for router advertisements, which shorten the boot of iPXE
tftp=ADDRESS:PORT     a UDP socket for [tftp_server]
NAME=ADDRESS:PORT     a listening TCP socket, such as boot-http or api`;

export const socketsPage = (also: readonly Reference[]): Page => ({
  ...SOCKETS_PAGE,
  about: 'run a command with sockets that it may not open',
  synopsis: ['with-sockets SOCKET... -- COMMAND [ARGUMENT...]'],
  description: [...prose(SOCKETS), ...literal(KINDS)],
  examples: ['with-sockets dhcp-br0 ra-br0 tftp=10.0.0.1:69 -- ironic-edge serve'],
  also,
});
