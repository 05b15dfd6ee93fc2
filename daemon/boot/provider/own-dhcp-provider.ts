// The DHCP provider for the daemon's own DHCP server: a node's boot options are in its record, where the server looks them up.
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../lib/clock.ts';
import { changeInfo, type StoredDhcpOption } from '../../model/internal-info.ts';
import type { DhcpOption } from '../../plugin-api/index.ts';
import type { BootChoice, BootQuestion } from '../boot-choice.ts';
import { parseIpv4 } from '../../lib/network/ipv4.ts';
import type { DhcpProvider } from './dhcp-provider.ts';
import { type ValidDhcpOption, validDhcpOptions } from './valid-dhcp-options.ts';

export interface StoredLeases {
  readonly db: Pick<Database, 'dhcpLeases' | 'dhcp6Leases'>;
  readonly clock: Pick<Clock, 'now'>;
}

export const ownDhcpProvider = ({ db, clock }: StoredLeases): DhcpProvider => ({
  of: (task) => ({
    async update(options) {
      const valid = validDhcpOptions(options, task);
      task.store(changeInfo(task.node, { dhcp_options: valid.map(stored) }));
    },
    async clean() {
      if (task.node.driver_internal_info.dhcp_options !== undefined)
        task.store(changeInfo(task.node, { dhcp_options: null }));
    },
    async ipAddresses() {
      const macs = new Set(task.ports.map(({ address }) => address));
      const now = clock.now();
      return [...db.dhcpLeases.list(), ...db.dhcp6Leases.list()]
        .filter(({ mac, expires_at }) => mac !== null && macs.has(mac) && expires_at > now)
        .map(({ address }) => address);
    },
  }),
  release() {},
});

const stored = ({ name, value, client }: ValidDhcpOption): StoredDhcpOption => ({
  name,
  value,
  client: client ?? null,
});

/**
 * Returns what a node's options let a client boot; undefined when the client is an operating system, and when the options name no
 * file for the client.
 */
export function choiceOfOptions(
  options: readonly StoredDhcpOption[],
  { client: { stage } }: Pick<BootQuestion, 'client'>,
): BootChoice | undefined {
  const asking = stage === 'ipxe' ? 'ipxe' : 'firmware';
  const valueOf = (wanted: DhcpOption['name']) =>
    options.findLast(({ name, client }) => name === wanted && (client ?? asking) === asking)?.value;
  const file = valueOf('bootfile-name');
  if (file === undefined || stage === 'os') return undefined;
  if (/^https?:\/\//.test(file)) return { kind: 'http', url: file };
  const nextServer = parseIpv4(valueOf('server-ip-address') ?? valueOf('tftp-server-address') ?? '');
  return { kind: 'tftp', file, ...(nextServer !== undefined && { nextServer }) };
}
