// Which programs hold the ports that the daemon needs.
import { type Host, outputOn, hostText } from './host.ts';

export interface NeededPort {
  readonly protocol: 'udp' | 'tcp';
  readonly port: number;
  /** 0.0.0.0 stands for all addresses. */
  readonly address: string;
  /** The interface to which the socket is bound, if it is. */
  readonly device?: string;
}

/** A port that a program other than the daemon and its socket units holds. */
export interface Holder extends NeededPort {
  /** The program and its process ID, such as `/usr/sbin/dnsmasq (process 812)`. */
  readonly program: string;
}

/** The ports that other programs than the daemon hold. */
export async function heldPorts(host: Host): Promise<readonly Holder[]> {
  const lines = ((await outputOn(host, 'ss', '-Hlnptu')) ?? '').split('\n');
  const held = lines.flatMap((line) => holderIn(line));
  const ownSockets = await outputOn(
    host,
    'systemctl',
    'list-sockets',
    '--no-legend',
    '--full',
    'ironic-edge-*',
  );
  return held.flatMap(({ pid, ...holder }) => {
    const isOwn =
      pid === '1'
        ? ownSockets?.includes(`${holder.address}:${holder.port} `)
        : hostText(host, `/proc/${pid}/cgroup`)?.includes('/ironic-edge.service');
    // ss knows the name of a thread only
    const [path] = hostText(host, `/proc/${pid}/cmdline`)?.split('\0') ?? [];
    return isOwn === true ? [] : [{ ...holder, program: `${path || holder.program} (process ${pid})` }];
  });
}

function holderIn(line: string): readonly (Holder & { readonly pid: string })[] {
  const [protocol, , , , local = '', , users = ''] = line.trim().split(/\s+/);
  const colon = local.lastIndexOf(':');
  const [address = '', device] = local.slice(0, Math.max(colon, 0)).split('%');
  const holders = [...users.matchAll(/\("([^"]*)",pid=(\d+)/g)];
  if (colon < 0 || (protocol !== 'udp' && protocol !== 'tcp')) return [];
  const at: NeededPort = {
    protocol,
    port: Number(local.slice(colon + 1)),
    address: address === '*' ? '0.0.0.0' : address,
    ...(device !== undefined && { device }),
  };
  return holders.map(([, name = '', pid = '']) => ({ ...at, pid, program: name }));
}

const isEvery = (address: string) => address === '0.0.0.0' || address === '[::]';

/** Returns the program that keeps the daemon from opening the port. */
export const portHolder = (wanted: NeededPort, held: readonly Holder[]): Holder | undefined =>
  held.find(
    ({ protocol, port, address, device }) =>
      protocol === wanted.protocol &&
      port === wanted.port &&
      (device === undefined || wanted.device === undefined || device === wanted.device) &&
      (isEvery(address) || isEvery(wanted.address) || address === wanted.address),
  );
