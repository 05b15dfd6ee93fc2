// Formats DHCP options as lines of a dnsmasq options file, without the tag of their node.
import type { DhcpOption } from '../../plugin-api/index.ts';
import type { ValidDhcpOption } from '../provider/valid-dhcp-options.ts';

interface Key {
  /** dnsmasq's name for the option; 255 stands for the message's field siaddr (the next server). */
  readonly key: string;
  /** The tag that the dnsmasq configuration sets for iPXE clients. */
  readonly ipxe: 'ipxe' | 'ipxe6';
}

const KEYS: Readonly<Record<DhcpOption['name'], Key>> = {
  'vendor-class': { key: '60', ipxe: 'ipxe' },
  'tftp-server-name': { key: '66', ipxe: 'ipxe' },
  'bootfile-name': { key: '67', ipxe: 'ipxe' },
  'tftp-server-address': { key: '150', ipxe: 'ipxe' },
  'server-ip-address': { key: '255', ipxe: 'ipxe' },
  'bootfile-url': { key: 'option6:59', ipxe: 'ipxe6' },
};

export function optionLine({ name, value, client }: ValidDhcpOption): string {
  const { key, ipxe } = KEYS[name];
  const condition = client === undefined ? '' : `tag:${client === 'ipxe' ? '' : '!'}${ipxe},`;
  return `${condition}${key},${value}`;
}
