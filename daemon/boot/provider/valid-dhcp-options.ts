// The DHCP options of the plugin API: their names, and the values that every provider can pass on.
import { canonicalIp } from '../../lib/network/ip.ts';
import { fault } from '../../model/faults.ts';
import type { DhcpOption } from '../../plugin-api/index.ts';
import type { DhcpTask } from './dhcp-provider.ts';

/** An option that has a value. */
export interface ValidDhcpOption extends DhcpOption {
  readonly value: string;
}

interface Format {
  readonly expected: string;
  readonly admits: (value: string) => boolean;
}

// A DHCP option carries at most 255 bytes. dnsmasq interprets commas, double quotes, backslashes and white space itself, and
// a plugin cannot know which provider the site has.
const TEXT = /^[!#-+\--[\]-~]+$/;
const text: Format = {
  expected:
    'at most 255 printable ASCII characters without white space, commas, double quotes or backslashes',
  admits: (value) => value.length <= 255 && TEXT.test(value),
};
const address: Format = {
  expected: 'an IPv4 address',
  admits: (value) => canonicalIp(value) === value && !value.includes(':'),
};

const FORMATS: Readonly<Record<DhcpOption['name'], Format>> = {
  'vendor-class': text,
  'tftp-server-name': text,
  'bootfile-name': text,
  'tftp-server-address': address,
  'server-ip-address': address,
  'bootfile-url': text,
};

/** Logs and leaves out options without a name or a value. Throws DhcpOptionInvalid for an unknown name or a refused value. */
export function validDhcpOptions(
  options: readonly DhcpOption[],
  { node, log }: DhcpTask,
): readonly ValidDhcpOption[] {
  return options.flatMap((option) => {
    const { name, value } = option;
    if (!name || !value) {
      log.warn({ option: name, value }, 'skipped a DHCP option without a name or a value');
      return [];
    }
    const format = Object.hasOwn(FORMATS, name) ? FORMATS[name] : undefined;
    if (format?.admits(value) === true) return [{ ...option, value }];
    const expected = format?.expected ?? `one of ${Object.keys(FORMATS).join(', ')}`;
    throw fault('DhcpOptionInvalid', { name, node: node.uuid, value: JSON.stringify(value), expected });
  });
}
