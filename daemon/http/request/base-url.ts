// The base URL of links: the URL at which the client reached the API. With [oslo_middleware] enable_proxy_headers_parsing, it is
// the URL in the headers of the proxy, and what they lack comes from the URL of the request; without that option, it is [api]
// public_endpoint or, if that is not set, the URL of the request.
import type { Config } from '../../config/sections/core-sections.ts';
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.ts';
import { fault } from '../../model/faults.ts';

interface Asked {
  readonly url: string;
  /** The value of a request header, by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/** Returns the URL without a trailing slash. Throws InvalidParameter when a proxy's headers do not form a URL. */
export function baseUrl(config: Pick<Config, 'api' | 'oslo_middleware'>, { url, header }: Asked): string {
  const { origin, protocol, host } = new URL(url);
  if (!config.oslo_middleware.enable_proxy_headers_parsing)
    return withoutTrailingSlashes(config.api.public_endpoint ?? origin);
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
export const firstOf = (list: string | undefined) => list?.split(',', 1)[0]?.trim() || undefined;

const FORWARDED = {
  for: /(?:^|;)\s*for=(?:"([^"]*)"|([^\s;]*))/i,
  host: /(?:^|;)\s*host=(?:"([^"]*)"|([^\s;]*))/i,
  proto: /(?:^|;)\s*proto=(?:"([^"]*)"|([^\s;]*))/i,
} as const;

/** Returns a parameter, without quotes, of the first element of the `Forwarded` header (RFC 7239). */
export function firstForwarded(header: Asked['header'], name: keyof typeof FORWARDED): string | undefined {
  const [first = ''] = /^(?:"[^"]*"|[^",])*/.exec(header('forwarded') ?? '') ?? [];
  return FORWARDED[name].exec(first)?.slice(1).find(Boolean);
}

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
