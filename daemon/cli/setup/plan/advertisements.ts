// Router advertisements without a router, so that iPXE does not wait for one at each boot, and asks for an address where DHCPv6 serves
// the interface: from systemd-networkd where it manages
// the interface, otherwise from radvd.
import path from 'node:path';
import { readDhcp6Subnet } from '../../../config/dhcp-subnet.ts';
import type { HostChange } from '../change.ts';
import { must, hostText } from '../host/host.ts';
import type { Interface } from '../host/network.ts';
import { marked } from '../paths.ts';
import { add, additionTo, withoutAdded } from './additions.ts';
import type { PlanParts } from './plan-parts.ts';

const ID = 'router-advertisements';
const RADVD = '/etc/radvd.conf';
const RESTART_NETWORKD = ['systemctl', 'restart', 'systemd-networkd.service'];

/** `prefix`: of the IPv6 subnet that the daemon serves on the interface, if any. */
const networkdLines = (prefix: string | undefined) => [
  '[Network]',
  'LinkLocalAddressing=ipv6',
  'IPv6SendRA=yes',
  '',
  '[IPv6SendRA]',
  'RouterLifetimeSec=0',
  ...(prefix === undefined
    ? []
    : [
        'Managed=yes',
        'OtherInformation=yes',
        '',
        '[IPv6Prefix]',
        `Prefix=${prefix}`,
        'AddressAutoconfiguration=no',
      ]),
];

const radvdLines = (name: string, prefix: string | undefined) => [
  `interface ${name}`,
  '{',
  '  IgnoreIfMissing on;',
  '  AdvSendAdvert on;',
  '  # no host takes this one for its router',
  '  AdvDefaultLifetime 0;',
  ...(prefix === undefined
    ? []
    : ['  AdvManagedFlag on;', '  AdvOtherConfigFlag on;', `  prefix ${prefix} { AdvAutonomous off; };`]),
  '};',
];

export const usesRadvd = ({ networkFile }: Interface): boolean => networkFile === undefined;

/** Returns undefined when there is nothing to do: something advertises already, or setup has done it. */
export function advertisementsChange(parts: PlanParts, at: Interface): HostChange | undefined {
  const { host, journal } = parts;
  const { networkFile, name } = at;
  const prefix = ipv6Prefix(parts, name);
  if (networkFile === undefined) {
    const others = withoutAdded(host, journal, RADVD, [ID]);
    if (namesInterface(others, name)) return undefined;
    return addition(parts, { file: RADVD, text: marked(radvdLines(name, prefix)), by: 'radvd', prefix });
  }
  if (sendsAlready(hostText(host, networkFile) ?? '')) return undefined;
  const file = `/etc/systemd/network/${path.basename(networkFile)}.d/ironic-edge.conf`;
  return addition(parts, {
    file,
    text: marked(networkdLines(prefix)),
    by: 'systemd-networkd',
    prefix,
    reload: RESTART_NETWORKD,
  });
}

const ipv6Prefix = ({ loaded }: PlanParts, name: string): string | undefined =>
  loaded.config.dhcp_server.subnet
    .map((text) => readDhcp6Subnet(text))
    .flatMap((reading) =>
      reading.kind === 'read' && reading.value.interface === name ? [reading.value.cidr] : [],
    )[0];

/** Whether a `.network` file makes systemd-networkd advertise. */
const sendsAlready = (text: string): boolean =>
  text
    .split('\n')
    .map((line) => line.split('=').map((word) => word.trim()))
    .some(([name, value = '']) => name === 'IPv6SendRA' && ['yes', 'true', 'on', '1'].includes(value));

/** Whether a configuration of radvd has a block for the interface. */
const namesInterface = (text: string, name: string): boolean =>
  text
    .split('\n')
    .map((line) => line.replace('{', ' ').trim().split(/\s+/))
    .some(([word, named]) => word === 'interface' && named === name);

interface Advertised {
  readonly file: string;
  readonly text: string;
  readonly by: string;
  readonly prefix: string | undefined;
  readonly reload?: readonly string[];
}

function addition(
  { host, journal }: PlanParts,
  { file, text, by, prefix, reload }: Advertised,
): HostChange | undefined {
  if ((hostText(host, file) ?? '').includes(text) && (reload === undefined || journal.isDone(ID)))
    return undefined;
  return {
    id: ID,
    says: `lets ${by} tell ${prefix === undefined ? 'iPXE that there is no IPv6 router' : 'machines to ask for an IPv6 address, and that there is no router'}, which saves 16 s of each boot: adds to ${file}`,
    shows: text.trimEnd().split('\n'),
    prepare: async () => ({ ...additionTo(host, file, text), ...(reload && { reload }) }),
    async apply(undo) {
      add(host, journal, ID, { undo, mode: 0o644 });
      if (reload !== undefined) await must(host, reload);
    },
  };
}
