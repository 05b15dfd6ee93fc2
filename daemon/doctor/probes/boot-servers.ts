// Probes of the TFTP and HTTP boot servers of a running daemon: ask the servers for a boot loader, as the firmware of a machine
// does.
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { findLoaders } from '../../boot/loaders.ts';
import { reasonOf } from '../../model/faults.ts';
import { type Finding, type Probe, type Site, unless } from '../probe.ts';
import { unreachable } from './boot.ts';
import { isServing } from './listeners.ts';

const ANSWER_MILLISECONDS = 2000;
/** Operations of TFTP (RFC 1350). */
const [DATA, ERROR] = [3, 5];
/** Error 0, which tells the server that the client ends the transfer. */
const END = Buffer.from('\0\x05\0\0\0', 'latin1');

export const bootServerProbes: readonly Probe[] = [
  {
    id: 'tftp',
    about: 'whether the TFTP server of a running daemon sends a boot loader',
    async run(site) {
      const { enabled, addresses, port } = site.config.tftp_server;
      const name = loaderOf(site);
      if (!enabled || port === 0 || name === undefined || !(await isServing(site))) return [];
      const found = await Promise.all(
        addresses.map(async (address): Promise<readonly Finding[]> => {
          const problem = await tftpProblem({ address, port, name }, site.signal);
          return unless(problem === undefined, () => ({
            severity: 'error',
            saw: `TFTP at ${address} port ${port} does not send ${name}: ${problem}`,
            means: 'machines whose firmware boots by PXE stop after DHCP',
            fix: `ss -lunp 'sport = :${port}'; if nothing listens, enable ironic-edge-tftp@.socket; otherwise correct the firewall`,
          }));
        }),
      );
      return found.flat();
    },
  },
  {
    id: 'boot-http',
    about:
      'whether the HTTP boot server of a running daemon sends a boot loader at the URL that machines are told',
    async run(site) {
      const url = bootUrlOf(site);
      const name = loaderOf(site);
      if (url === undefined || name === undefined || !(await isServing(site))) return [];
      const problem = await unreachable(`${url.replace(/\/$/, '')}/${name}`, site.signal);
      return unless(problem === undefined, () => ({
        severity: 'error',
        saw: `${url} does not send ${name}: ${problem}`,
        means: 'machines stop after their boot loader, and get neither kernel nor image',
        fix: `curl -I ${url.replace(/\/$/, '')}/${name}; correct [boot_http] or [deploy] http_url`,
      }));
    },
  },
];

/** The name of a boot loader in [pxe] loader_file_paths, or else in the host's packages; undefined if there is none. */
function loaderOf({ config }: Site): string | undefined {
  const [configured] = config.pxe.loader_file_paths;
  return configured?.split(':', 1)[0] ?? Object.keys(findLoaders().found)[0];
}

/** The URL of the HTTP boot server; undefined when the server is off, or when only the daemon knows its port. */
function bootUrlOf({ config }: Site): string | undefined {
  const { port, host_ip: host } = config.boot_http;
  if (port === null) return undefined;
  if (config.deploy.http_url !== null) return config.deploy.http_url;
  if (port === 0) return undefined;
  const address = host === '0.0.0.0' || host === '::' ? config.DEFAULT.my_ip : host;
  return `http://${isIPv6(address) ? `[${address}]` : address}:${port}`;
}

interface TftpFile {
  readonly address: string;
  readonly port: number;
  readonly name: string;
}

/** Resolves to undefined when the first block of the file arrives, else to the reason why none arrives. */
function tftpProblem({ address, port, name }: TftpFile, signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    const end = (problem: string | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.close();
      resolve(problem);
    };
    const onAbort = () => end('the probe took too long');
    const timer = setTimeout(
      () => end(`no answer within ${ANSWER_MILLISECONDS / 1000} s`),
      ANSWER_MILLISECONDS,
    );
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('error', (error) => end(reasonOf(error)));
    socket.once('message', (reply, from) => {
      const operation = reply.length >= 4 ? reply.readUInt16BE(0) : undefined;
      if (operation === ERROR) return end(reply.toString('utf8', 4).split('\0', 1)[0]);
      if (operation !== DATA) return end('it answers, but not with a block of the file');
      socket.send(END, from.port, from.address, () => end(undefined));
    });
    socket.send(Buffer.from(`\0\x01${name}\0octet\0`, 'latin1'), port, address, (error) => {
      if (error !== null) end(reasonOf(error));
    });
  });
}
