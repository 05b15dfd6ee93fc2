// Formats DHCP options as lines of a dnsmasq options file, without the tag of their node.
import { canonicalIp } from '../../lib/ip.ts';
import { fault } from '../../model/faults.ts';
import type { DhcpOption } from '../../plugin-api/index.ts';
import type { DhcpTask } from '../dhcp-provider.ts';

interface Format {
  /** dnsmasq's name for the option; 255 is siaddr. */
  readonly key: string;
  /** The tag that the dnsmasq configuration sets for iPXE clients. */
  readonly ipxe: 'ipxe' | 'ipxe6';
  readonly expected: string;
  readonly admits: (value: string) => boolean;
}

// dnsmasq interprets commas, quotes, backslashes and white space itself, and splits lines longer than some thousand
// characters
const TEXT = /^[!#-+\--[\]-~]+$/;
const text = {
  expected: 'at most 255 printable ASCII characters without white space, commas, quotes or backslashes',
  admits: (value: string) => value.length <= 255 && TEXT.test(value),
};
const address = {
  expected: 'an IPv4 address',
  admits: (value: string) => canonicalIp(value) === value && !value.includes(':'),
};

const FORMATS: Readonly<Record<DhcpOption['name'], Format>> = {
  'vendor-class': { key: '60', ipxe: 'ipxe', ...text },
  'tftp-server-name': { key: '66', ipxe: 'ipxe', ...text },
  'bootfile-name': { key: '67', ipxe: 'ipxe', ...text },
  'tftp-server-address': { key: '150', ipxe: 'ipxe', ...address },
  'server-ip-address': { key: '255', ipxe: 'ipxe', ...address },
  'bootfile-url': { key: 'option6:59', ipxe: 'ipxe6', ...text },
};

/** Logs and skips options without a name or a value. Throws DhcpOptionInvalid. */
export function optionLines(options: readonly DhcpOption[], { node, log }: DhcpTask): readonly string[] {
  return options.flatMap(({ name, value, client }) => {
    if (!name || !value) {
      log.warn({ option: name, value }, 'skipped a DHCP option without a name or a value');
      return [];
    }
    const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
    if (format?.admits(value) !== true) {
      const expected = format?.expected ?? `one of ${Object.keys(FORMATS).join(', ')}`;
      throw fault('DhcpOptionInvalid', { name, node: node.uuid, value: JSON.stringify(value), expected });
    }
    const condition = client === undefined ? '' : `tag:${client === 'ipxe' ? '' : '!'}${format.ipxe},`;
    return [`${condition}${format.key},${value}`];
  });
}
