// What links begin with: the URL under which the client reached the API, as far as proxies tell.
import type { Config } from '../config/core-sections.ts';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.ts';
import { fault } from '../model/faults.ts';

interface Asked {
  readonly url: string;
  /** The value of a request header, by its lower-case name. */
  readonly header: (name: string) => string | undefined;
}

/** Without a slash at the end. Throws InvalidParameter when a proxy's header makes no URL. */
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

// Each proxy adds its own view at the end, so that the first is what the client saw
export const firstOf = (list: string | undefined) => list?.split(',', 1)[0]?.trim() || undefined;

const FORWARDED = {
  for: /(?:^|;)\s*for=(?:"([^"]*)"|([^\s;]*))/i,
  host: /(?:^|;)\s*host=(?:"([^"]*)"|([^\s;]*))/i,
  proto: /(?:^|;)\s*proto=(?:"([^"]*)"|([^\s;]*))/i,
} as const;

/** A parameter of the first element of a `Forwarded` header (RFC 7239), which may be quoted. */
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
    reason: `${JSON.stringify([protocol, host, prefix])} is no protocol (http or https), host and path. Look at what the proxy sends.`,
  });
}
