// Router advertisements without a router, so that iPXE does not wait for one at each boot: from systemd-networkd where it manages
// the interface, otherwise from radvd.
import path from 'node:path';
import type { HostChange } from '../change.ts';
import { must, hostText } from '../host/host.ts';
import type { Interface } from '../host/network.ts';
import { marked } from '../paths.ts';
import { add, additionTo, withoutAdded } from './additions.ts';
import type { PlanParts } from './plan-parts.ts';

const ID = 'router-advertisements';
const RADVD = '/etc/radvd.conf';
const RESTART_NETWORKD = ['systemctl', 'restart', 'systemd-networkd.service'];

const NETWORKD_LINES = [
  '[Network]',
  'LinkLocalAddressing=ipv6',
  'IPv6SendRA=yes',
  '',
  '[IPv6SendRA]',
  'RouterLifetimeSec=0',
];

const radvdLines = (name: string) => [
  `interface ${name}`,
  '{',
  '  IgnoreIfMissing on;',
  '  AdvSendAdvert on;',
  '  # no host takes this one for its router',
  '  AdvDefaultLifetime 0;',
  '};',
];

export const usesRadvd = ({ networkFile }: Interface): boolean => networkFile === undefined;

/** Returns undefined when there is nothing to do: something advertises already, or setup has done it. */
export function advertisementsChange(parts: PlanParts, at: Interface): HostChange | undefined {
  const { host, journal } = parts;
  const { networkFile, name } = at;
  if (networkFile === undefined) {
    const others = withoutAdded(host, journal, RADVD, [ID]);
    if (namesInterface(others, name)) return undefined;
    return addition(parts, { file: RADVD, text: marked(radvdLines(name)), by: 'radvd' });
  }
  if (sendsAlready(hostText(host, networkFile) ?? '')) return undefined;
  const file = `/etc/systemd/network/${path.basename(networkFile)}.d/ironic-edge.conf`;
  return addition(parts, {
    file,
    text: marked(NETWORKD_LINES),
    by: 'systemd-networkd',
    reload: RESTART_NETWORKD,
  });
}

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
  readonly reload?: readonly string[];
}

function addition(
  { host, journal }: PlanParts,
  { file, text, by, reload }: Advertised,
): HostChange | undefined {
  if ((hostText(host, file) ?? '').includes(text) && (reload === undefined || journal.isDone(ID)))
    return undefined;
  return {
    id: ID,
    says: `lets ${by} tell iPXE that there is no IPv6 router, which saves 16 s of each boot: adds to ${file}`,
    shows: text.trimEnd().split('\n'),
    prepare: async () => ({ ...additionTo(host, file, text), ...(reload && { reload }) }),
    async apply(undo) {
      add(host, journal, ID, { undo, mode: 0o644 });
      if (reload !== undefined) await must(host, reload);
    },
  };
}
