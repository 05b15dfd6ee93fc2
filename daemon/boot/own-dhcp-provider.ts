// The DHCP provider for the daemon's own DHCP server: a node's boot options are in its record, where the server looks them up.
import type { Database } from '../db/database.ts';
import { canonicalIp } from '../lib/ip.ts';
import { fault } from '../model/faults.ts';
import { changeInfo, type StoredDhcpOption } from '../model/internal-info.ts';
import type { DhcpOption } from '../plugin-api/index.ts';
import type { BootChoice, BootQuestion } from './boot-choice.ts';
import { parseIpv4 } from '../lib/ipv4.ts';
import type { DhcpProvider, DhcpTask } from './dhcp-provider.ts';

export const ownDhcpProvider = (db: Pick<Database, 'dhcpLeases'>): DhcpProvider => ({
  of: (task) => ({
    async update(options) {
      for (const option of options) refuseInvalid(option, task);
      task.store(changeInfo(task.node, { dhcp_options: options.map(stored) }));
    },
    async clean() {
      if (task.node.driver_internal_info.dhcp_options !== undefined)
        task.store(changeInfo(task.node, { dhcp_options: null }));
    },
    async ipAddresses() {
      const macs = new Set(task.ports.map(({ address }) => address));
      return db.dhcpLeases
        .list()
        .flatMap(({ mac, address }) => (mac !== null && macs.has(mac) ? [address] : []));
    },
  }),
  release() {},
});

const stored = ({ name, value, client }: DhcpOption): StoredDhcpOption => ({
  name,
  value,
  client: client ?? null,
});

const ADDRESSES: ReadonlySet<string> = new Set(['server-ip-address', 'tftp-server-address']);

/** DHCP carries at most 255 bytes of an option. */
function refuseInvalid({ name, value }: DhcpOption, { node }: DhcpTask): void {
  if (value === null) return;
  const isAddress = ADDRESSES.has(name);
  const isRight = isAddress
    ? canonicalIp(value) === value && !value.includes(':')
    : /^[!-~]{1,255}$/.test(value);
  if (isRight) return;
  const expected = isAddress ? 'an IPv4 address' : '1 to 255 printable ASCII characters without white space';
  throw fault('DhcpOptionInvalid', { name, node: node.uuid, value: JSON.stringify(value), expected });
}

/** What the options of a node let a client boot; undefined when they name no boot file for it. */
export function choiceOfOptions(
  options: readonly StoredDhcpOption[],
  { client: { stage } }: Pick<BootQuestion, 'client'>,
): BootChoice | undefined {
  const asking = stage === 'ipxe' ? 'ipxe' : 'firmware';
  const valueOf = (wanted: DhcpOption['name']) =>
    options.findLast(
      ({ name, value, client }) => name === wanted && (client ?? asking) === asking && value !== null,
    )?.value;
  const file = valueOf('bootfile-name');
  if (file === undefined || file === null || stage === 'os') return undefined;
  if (/^https?:\/\//.test(file)) return { kind: 'http', url: file };
  const nextServer = parseIpv4(valueOf('server-ip-address') ?? valueOf('tftp-server-address') ?? '');
  return { kind: 'tftp', file, ...(nextServer !== undefined && { nextServer }) };
}
