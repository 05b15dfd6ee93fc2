// The headers Forwarded and X-Forwarded-* of a trusted proxy: the URL at which the client reached the proxy, and the addresses that
// the request passed.
import { fault } from '../../model/faults.ts';

/** Returns the value of a request header by its lower-case name. */
export type HeaderReader = (name: string) => string | undefined;

/**
 * Returns the URL without a trailing slash; what the headers lack comes from the URL of the request. Throws InvalidParameter
 * when they do not form a URL.
 */
export function forwardedUrl({ protocol, host }: URL, header: HeaderReader): string {
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
function firstForwarded(header: HeaderReader, name: keyof typeof FORWARDED): string | undefined {
  const [first = ''] = elementsOf(header);
  return parameterIn(first, name);
}

/** Returns the parameter `for` of each element of the `Forwarded` header that has it. */
export const allForwarded = (header: HeaderReader): readonly string[] =>
  elementsOf(header).flatMap((element) => parameterIn(element, 'for') ?? []);

const elementsOf = (header: HeaderReader): readonly string[] =>
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
