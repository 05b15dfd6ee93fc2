// The units of systemd: the sockets of ports below 1024, the daemon, and the timer of backups.
import { isIpv6Subnet, readAnyDhcpSubnet } from '../../../config/dhcp-subnet.ts';
import type { Config } from '../../../config/sections/core-sections.ts';
import { hostInUrl } from '../../../lib/network/ip.ts';
import type { HostChange, Undo, UnitState } from '../change.ts';
import { type Host, must, outputOn } from '../host/host.ts';
import type { SetupJournal } from '../journal.ts';
import type { PlanParts } from './plan-parts.ts';

const ID = 'units';
export const SERVICE = 'ironic-edge.service';
const BACKUP = 'ironic-edge-backup.timer';
const LOG_LINES = '12';

/** The UDP port of each kind of DHCP socket. */
export const DHCP_PORTS = { dhcp: 67, proxydhcp: 4011, dhcp6: 547 } as const;

interface DhcpSocket {
  readonly kind: keyof typeof DHCP_PORTS;
  /** The network interface to which it is bound. */
  readonly device: string;
}

/** The sockets that DHCP and DHCPv6 need. */
export const dhcpSockets = ({
  dhcp_server: { subnet, mode },
}: Pick<Config, 'dhcp_server'>): readonly DhcpSocket[] =>
  subnet.flatMap((text): readonly DhcpSocket[] => {
    const reading = readAnyDhcpSubnet(text);
    const device = reading.kind === 'read' ? reading.value.interface : undefined;
    if (device === undefined) return [];
    if (isIpv6Subnet(text)) return [{ kind: 'dhcp6', device }];
    return [{ kind: 'dhcp', device }, ...(mode === 'proxy' ? [{ kind: 'proxydhcp', device } as const] : [])];
  });

/** The sockets that the daemon needs; each is a unit with the name `ironic-edge-KIND@INSTANCE.socket`. */
function socketsOf(config: Pick<Config, 'dhcp_server' | 'tftp_server'>): readonly string[] {
  const { enabled, port, addresses } = config.tftp_server;
  return [
    ...dhcpSockets(config).map(({ kind, device }) => `${kind}@${device}`),
    ...(enabled && port === 69
      ? addresses.map((address) => `tftp@${hostInUrl(address).replaceAll(/[[\]]/g, escaped)}`)
      : []),
  ].map((name) => `ironic-edge-${name}.socket`);
}

/** As systemd-escape writes a character that a unit's name cannot have. */
const escaped = (character: string): string => `\\x${character.charCodeAt(0).toString(16)}`;

/** `isChanged`: whether this run changes what the daemon reads. Returns undefined when all units run with what they read last. */
export async function unitsChange(
  { host, journal, loaded }: PlanParts,
  given: { readonly isChanged: boolean; readonly radvd: boolean },
): Promise<HostChange | undefined> {
  const sockets = socketsOf(loaded.config);
  const wanted = [...sockets, SERVICE, BACKUP, ...(given.radvd ? ['radvd.service'] : [])];
  const stale = unitsBefore(journal.undosOf(ID))
    .keys()
    .filter((unit) => !wanted.includes(unit))
    .toArray();
  const states = await statesOf(host, [...wanted, ...stale]);
  const runs = wanted.every((unit) => states[unit]?.isEnabled === true && states[unit].isActive);
  const isStale = stale.some((unit) => states[unit]?.isEnabled === true);
  if (runs && !isStale && !given.isChanged && !isPending(journal)) return undefined;
  return {
    id: ID,
    says: `enables ${wanted.join(', ')}, and starts ${states[SERVICE]?.isActive === true ? 'the daemon again' : 'the daemon'}`,
    shows: [
      ...(stale.length > 0 ? [`systemctl disable --now ${stale.join(' ')}`] : []),
      `systemctl enable ${wanted.join(' ')}`,
      `systemctl stop ${SERVICE}`,
      `systemctl start ${wanted.join(' ')}`,
    ],
    prepare: async () => ({ kind: 'units', before: states }),
    async apply() {
      // a socket is not opened while its service runs
      await must(host, ['systemctl', 'stop', SERVICE, ...(given.radvd ? ['radvd.service'] : [])]);
      if (stale.length > 0) await must(host, ['systemctl', 'disable', '--now', ...stale]);
      await must(host, ['systemctl', 'enable', '--quiet', ...wanted]);
      for (const unit of wanted) await start(host, unit);
    },
  };
}

async function start(host: Host, unit: string): Promise<void> {
  // a unit that has failed too often is not started again without this
  await host.run(['systemctl', 'reset-failed', unit]);
  const { status, stderr } = await host.run(['systemctl', 'start', unit]);
  if (status === 0) return;
  const log = await outputOn(
    host,
    'journalctl',
    '--no-pager',
    '--output=cat',
    `--lines=${LOG_LINES}`,
    `--unit=${unit}`,
  );
  throw new Error(
    `${unit} does not start: ${stderr.trim()}\n${log ?? ''}When that is corrected, run setup again.`,
  );
}

/** Whether a change has begun since the daemon was last started by setup. */
function isPending(journal: SetupJournal): boolean {
  return !journal.isDone(ID) || journal.begun.some((id) => id !== 'ramdisk' && !journal.isDone(id));
}

/** The states before the first run, by unit. */
function unitsBefore(undos: readonly Undo[]): ReadonlyMap<string, UnitState> {
  return new Map(
    undos.toReversed().flatMap((undo) => (undo.kind === 'units' ? Object.entries(undo.before) : [])),
  );
}

async function statesOf(host: Host, units: readonly string[]): Promise<Readonly<Record<string, UnitState>>> {
  const states = units.map(async (unit) => {
    const is = async (what: string) =>
      (await host.run(['systemctl', `is-${what}`, '--quiet', unit])).status === 0;
    return [unit, { isEnabled: await is('enabled'), isActive: await is('active') }] as const;
  });
  return Object.fromEntries(await Promise.all(states));
}

/** Stops and disables what was not so before. Returns a function that starts what ran before, to be called after everything else. */
export async function stopUnits(host: Host, undos: readonly Undo[]): Promise<() => Promise<void>> {
  const before = [...unitsBefore(undos)];
  const named = (is: (state: UnitState) => boolean) =>
    before.filter(([, state]) => is(state)).map(([unit]) => unit);
  const present = await presentOf(
    host,
    before.map(([unit]) => unit),
  );
  const disabled = named(({ isEnabled }) => !isEnabled).filter((unit) => present.has(unit));
  if (present.size > 0) await must(host, ['systemctl', 'stop', ...present]);
  if (disabled.length > 0) await must(host, ['systemctl', 'disable', '--quiet', ...disabled]);
  return async () => {
    const active = named(({ isActive }) => isActive).filter((unit) => present.has(unit));
    if (active.length > 0) await must(host, ['systemctl', 'start', ...active]);
  };
}

/** The units that the host knows: their package may have been removed. */
async function presentOf(host: Host, units: readonly string[]): Promise<ReadonlySet<string>> {
  const known = await Promise.all(
    units.map(async (unit) => ((await host.run(['systemctl', 'cat', unit])).status === 0 ? [unit] : [])),
  );
  return new Set(known.flat());
}

/** Whether systemd runs here and has the daemon's unit. */
export async function hasService(host: Host): Promise<boolean> {
  const { status } = await host.run(['systemctl', 'cat', SERVICE]);
  return status === 0 && (await host.run(['test', '-d', '/run/systemd/system'])).status === 0;
}
