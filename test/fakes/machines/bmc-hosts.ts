// Run as a process on a host of a network space: BMCs without a login at several addresses of the host, some of them hostile. The
// argument is JSON: the BMCs by address. Prints a line when all of them listen.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createTcpServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { selfSigned } from '../../../daemon/simulator/certificate.ts';

export interface BmcHost {
  /** What the service root says, or how it harms who asks; not set: nothing listens. */
  readonly redfish?:
    | { readonly UUID?: unknown; readonly Vendor?: unknown }
    | keyof typeof hostile
    | 'plain'
    | 'noise';
  /** Answers presence pings. */
  readonly ipmi?: true;
  /** The URL in its answer to a search by SSDP. */
  readonly ssdp?: string;
}

const hostile = {
  huge(response: ServerResponse) {
    response.writeHead(200);
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  },
  slow(response: ServerResponse) {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  },
  deep: (response: ServerResponse) => response.end('['.repeat(200_000)),
  redirect: (response: ServerResponse) => response.writeHead(302, { location: 'https://10.99.0.9/' }).end(),
  other: (response: ServerResponse) => response.end('{"hello": "world"}'),
};

async function listen(address: string, { redfish, ipmi, ssdp }: BmcHost): Promise<void> {
  if (redfish !== undefined) await once(serverFor(address, redfish).listen(443, address), 'listening');
  if (ipmi === true) await answerPings(address);
  if (ssdp !== undefined) await answerSearches(address, ssdp);
}

function serverFor(address: string, redfish: NonNullable<BmcHost['redfish']>) {
  if (redfish === 'noise')
    return createTcpServer((socket) => socket.on('error', () => {}).end('\0'.repeat(9000)));
  const certificate = selfSigned(address);
  if (redfish === 'plain')
    return createTlsServer(certificate, (socket) => socket.on('error', () => {}).end('220 mail ready\r\n'));
  return createServer(certificate, (_, response) => {
    if (typeof redfish === 'string') hostile[redfish](response);
    else
      response.end(
        JSON.stringify({
          '@odata.type': '#ServiceRoot.v1_5_0.ServiceRoot',
          RedfishVersion: '1.15.0',
          ...redfish,
        }),
      );
  });
}

async function answerPings(address: string): Promise<void> {
  const socket = createSocket('udp4').bind(623, address);
  socket.on('message', (ping, { port, address: sender }) => {
    if (ping.toString('hex') !== '0600ff06000011be80000000')
      throw new Error(`no presence ping: ${ping.toString('hex')}`);
    socket.send(Buffer.from('0600ff06000011be40000010000011be0000000081000000000000', 'hex'), port, sender);
  });
  await once(socket, 'listening');
}

async function answerSearches(address: string, url: string): Promise<void> {
  const socket = createSocket({ type: 'udp4', reuseAddr: true }).bind(1900);
  await once(socket, 'listening');
  socket.addMembership('239.255.255.250', address);
  const sender = createSocket('udp4').bind(0, address);
  socket.on('message', (search, from) => {
    if (!search.toString().includes('\r\nST: urn:dmtf-org:service:redfish-rest:1\r\n')) return;
    const answer = `HTTP/1.1 200 OK\r\nST: urn:dmtf-org:service:redfish-rest:1\r\nAL: ${url}\r\n\r\n`;
    sender.send(answer, from.port, from.address);
  });
}

const hosts = JSON.parse(process.argv[2] ?? '{}') as Readonly<Record<string, BmcHost>>;
for (const [address, host] of Object.entries(hosts)) await listen(address, host);
process.stdout.write('listening\n');
