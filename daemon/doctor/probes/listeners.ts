// Probes of the addresses, ports and network interfaces that the daemon uses, and of the addresses and host names that machines
// are given.
import { lookup } from 'node:dns/promises';
import { createServer } from 'node:net';
import { networkInterfaces } from 'node:os';
import { canonicalIp, isLoopback, hostInUrl } from '../../lib/network/ip.ts';
import { hostInterface } from '../../boot/dhcp/bound-socket.ts';
import { addressIn } from '../../boot/dhcp/configured-subnets.ts';
import { isIpv6Subnet, readAnyDhcpSubnet, type SubnetOf } from '../../config/dhcp-subnet.ts';
import { listeningProcess } from '../../listener/listening-process.ts';
import { type ProbeFinding, type Probe, type ExaminedSite, unless } from '../probe.ts';

interface Listener {
  readonly section: string;
  readonly host: string;
  readonly port: number;
  /** The path that the probe requests, to see whether the daemon answers. */
  readonly path: string;
  readonly tls: boolean;
}

const ownAddresses = (): readonly string[] =>
  Object.values(networkInterfaces()).flatMap((found = []) => found.map(({ address }) => address));

const isWildcard = (host: string) => host === '0.0.0.0' || host === '::';

function listenersOf({ config }: ExaminedSite): readonly Listener[] {
  const { api, ramdisk } = config;
  const ofApi =
    api.unix_socket === null && api.port !== 0
      ? [{ section: 'api', host: api.host_ip, port: api.port, path: '/healthz', tls: api.enable_ssl_api }]
      : [];
  const ofRamdisks =
    ramdisk.port === null
      ? []
      : [
          {
            section: 'ramdisk',
            host: ramdisk.host_ip,
            port: ramdisk.port,
            path: '/',
            tls: ramdisk.enable_ssl_api,
          },
        ];
  return [...ofApi, ...ofRamdisks];
}

/** The addresses of all listeners, each with the option that names it. */
function addressesOf(site: ExaminedSite): readonly { readonly option: string; readonly host: string }[] {
  const { boot_http: bootHttp, tftp_server: tftp } = site.config;
  return [
    ...listenersOf(site).map(({ section, host }) => ({ option: `[${section}] host_ip`, host })),
    ...(bootHttp.port === null ? [] : [{ option: '[boot_http] host_ip', host: bootHttp.host_ip }]),
    ...(tftp.enabled ? tftp.addresses : []).map((host) => ({ option: '[tftp_server] addresses', host })),
  ];
}

export const listenerProbes: readonly Probe[] = [
  {
    id: 'addresses',
    about: 'the addresses that the daemon is to listen on',
    run(site) {
      const own = ownAddresses();
      return addressesOf(site).flatMap(({ option, host }) =>
        unless(
          isWildcard(host) || canonicalIp(host) === undefined || own.includes(host) || isLocal(host),
          () => ({
            severity: 'error',
            saw: `${option} = ${host} is no address of this host, or its interface has no link`,
            means: 'the daemon serves nothing there until the host has the address',
            fix: `ip address show; give the host the address, or set ${option} to one of ${own.join(', ')}`,
          }),
        ),
      );
    },
  },
  {
    id: 'ports',
    about: 'whether another program listens on the ports of the daemon',
    async run(site) {
      const findings = await Promise.all(listenersOf(site).map((each) => portFinding(each, site.signal)));
      return findings.flat();
    },
  },
  {
    id: 'my-ip',
    about: 'the address that machines are told ([DEFAULT] my_ip)',
    run({ config }) {
      const { my_ip: address } = config.DEFAULT;
      const own = ownAddresses();
      const serves =
        config.dhcp_server.subnet.length > 0 || config.tftp_server.enabled || config.boot_http.port !== null;
      return [
        ...unless(!serves || own.includes(address), () => ({
          severity: 'error',
          saw: `[DEFAULT] my_ip = ${address} is no address of this host`,
          means: 'machines that boot ask a host that does not answer',
          fix: `[DEFAULT] my_ip = one of ${own.join(', ')}`,
        })),
        ...unless(!serves || !isLocal(address), () => ({
          severity: 'error',
          saw: `[DEFAULT] my_ip = ${address} is a loopback address`,
          means: 'machines that boot cannot reach this host',
          fix: '[DEFAULT] my_ip = the address of this host on the network of the machines',
        })),
      ];
    },
  },
  {
    id: 'names',
    about: 'host names in URLs that machines are given',
    async run({ config }) {
      const urls = [
        config.api.public_endpoint,
        config.service_catalog.endpoint_override,
        config.deploy.http_url,
      ];
      const findings = await Promise.all(urls.map((url) => nameFinding(url)));
      return findings.flat();
    },
  },
  {
    id: 'dhcp-interface',
    about: 'the network interfaces of [dhcp_server] subnet',
    run: ({ config }) =>
      config.dhcp_server.subnet.flatMap((text) => {
        const reading = readAnyDhcpSubnet(text);
        const subnet = reading.kind === 'read' ? reading.value : undefined;
        const name = subnet?.interface;
        if (subnet === undefined || name === undefined) return [];
        const isIpv6 = isIpv6Subnet(text);
        const found = hostInterface(name, isIpv6 ? 'IPv6' : 'IPv4');
        const address =
          typeof found === 'string' ? found : addressIn(found, [subnet as SubnetOf<number | bigint>]);
        return unless(typeof address !== 'string', () => ({
          severity: 'error',
          saw: `${address} ([dhcp_server] subnet)`,
          means: `the daemon serves no ${isIpv6 ? 'DHCPv6' : 'DHCP'} on ${name} until then`,
          fix: `ip link set ${name} up; ip address show; or correct interface= in [dhcp_server] subnet`,
        }));
      }),
  },
];

function isLocal(host: string): boolean {
  const canonical = canonicalIp(host);
  return canonical !== undefined && isLoopback(canonical);
}

async function portFinding(listener: Listener, signal: AbortSignal): Promise<readonly ProbeFinding[]> {
  const { section, host, port, tls } = listener;
  if (await isFree(host, port)) return [];
  if (tls || (await answers(urlOf(listener), signal))) return [];
  const holder = listeningProcess({ port });
  return [
    {
      severity: 'error',
      saw: `port ${port} is taken by ${holder ?? 'a process of another user'}, which does not answer as ironic-edge`,
      means: 'the daemon cannot listen there; or that process is the daemon and no longer responds',
      fix: `ss -ltnp 'sport = :${port}'; stop that process, or set [${section}] port`,
    },
  ];
}

/** Whether the daemon runs: it answers at one of its TCP listeners, or, with TLS, something listens there. */
export async function isServing(site: ExaminedSite): Promise<boolean> {
  const answered = await Promise.all(
    listenersOf(site).map(async (each) =>
      each.tls ? !(await isFree(each.host, each.port)) : answers(urlOf(each), site.signal),
    ),
  );
  return answered.includes(true);
}

function urlOf({ host, port, path }: Listener): string {
  const at = isWildcard(host) ? '127.0.0.1' : host;
  return `http://${hostInUrl(at)}:${port}${path}`;
}

const isFree = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code !== 'EADDRINUSE'));
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  });

async function answers(url: string, signal: AbortSignal): Promise<boolean> {
  try {
    const reply = await fetch(url, { signal });
    await reply.body?.cancel();
    return reply.headers.has('x-openstack-ironic-api-maximum-version');
  } catch {
    return false;
  }
}

async function nameFinding(url: string | null): Promise<readonly ProbeFinding[]> {
  const host = URL.parse(url ?? '')?.hostname;
  if (host === undefined || canonicalIp(host) !== undefined) return [];
  try {
    await lookup(host);
    return [];
  } catch {
    return [
      {
        severity: 'error',
        saw: `the host name ${host} of ${url} does not resolve on this host`,
        means: 'machines are given a URL that they probably cannot resolve either',
        fix: `getent hosts ${host}; use an address instead of the name`,
      },
    ];
  }
}
