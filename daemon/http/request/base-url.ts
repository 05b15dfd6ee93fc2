// The base URL of links: the URL at which the client reached the API. In a request from a trusted proxy, it is the URL in the
// headers of the proxy, and what they lack comes from the URL of the request; otherwise, it is [api] public_endpoint or, if that
// is not set, the URL of the request.
import type { Config } from '../../config/sections/core-sections.ts';
import { withoutTrailingSlashes } from '../../lib/network/trailing-slashes.ts';
import { fault } from '../../model/faults.ts';

interface Asked {
  readonly url: string;
  /** The value of a request header, by its lower-case name. */
  readonly header: (name: string) => string | undefined;
  readonly isFromProxy: boolean;
}

/** Returns the URL without a trailing slash. Throws InvalidParameter when a proxy's headers do not form a URL. */
export function baseUrl(config: Pick<Config, 'api'>, { url, header, isFromProxy }: Asked): string {
  const { origin, protocol, host } = new URL(url);
  if (!isFromProxy) return withoutTrailingSlashes(config.api.public_endpoint ?? origin);
  const client = header('forwarded')
    ? { proto: firstForwarded(header, 'proto'), host: firstForwarded(header, 'host') }
    : { proto: firstOf(header('x-forwarded-proto')), host: firstOf(header('x-forwarded-host')) };
  return joined(
    client.proto ?? protocol.slice(0, -1),
    client.host ?? host,
    firstOf(header('x-forwarded-prefix')) ?? '',
  );
}

// Each proxy appends its own value, so the first value is the one that the client used
const firstOf = (list: string | undefined) => list?.split(',', 1)[0]?.trim() || undefined;

const FORWARDED = {
  for: /(?:^|;)\s*for=(?:"([^"]*)"|([^\s;]*))/i,
  host: /(?:^|;)\s*host=(?:"([^"]*)"|([^\s;]*))/i,
  proto: /(?:^|;)\s*proto=(?:"([^"]*)"|([^\s;]*))/i,
} as const;

/** Returns a parameter, without quotes, of the first element of the `Forwarded` header (RFC 7239). */
function firstForwarded(header: Asked['header'], name: keyof typeof FORWARDED): string | undefined {
  const [first = ''] = elementsOf(header);
  return parameterIn(first, name);
}

/** Returns the parameter `for` of each element of the `Forwarded` header that has it. */
export const allForwarded = (header: Asked['header']): readonly string[] =>
  elementsOf(header).flatMap((element) => parameterIn(element, 'for') ?? []);

const elementsOf = (header: Asked['header']): readonly string[] =>
  header('forwarded')?.match(/(?:"[^"]*"|[^",])+/g) ?? [];

const parameterIn = (element: string, name: keyof typeof FORWARDED): string | undefined =>
  FORWARDED[name].exec(element)?.slice(1).find(Boolean);

function joined(protocol: string, host: string, prefix: string): string {
  const isPlain =
    /^https?$/i.test(protocol) && /^[\w.:[\]-]+$/.test(host) && /^(?:\/[\w.~-]+)*\/?$/.test(prefix);
  const url = isPlain ? URL.parse(`${protocol}://${host}`) : null;
  if (url !== null) return `${url.origin}${prefix.replace(/\/$/, '')}`;
  throw fault('InvalidParameter', {
    name: 'the Forwarded or X-Forwarded-* headers',
    reason: `${JSON.stringify([protocol, host, prefix])} is not a protocol (http or https), host and path. Check what the proxy sends.`,
  });
}
