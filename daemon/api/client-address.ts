// The address that a request came from, as far as proxies are believed.
import type { Config } from '../config/core-sections.ts';
import { canonicalIp } from '../lib/ip.ts';
import { firstForwarded, firstOf } from './base-url.ts';

/** Canonical; null for a socket in the file system. What a proxy calls its client is kept as it is when it is no address. */
export function clientAddress(
  { oslo_middleware: middleware }: Pick<Config, 'oslo_middleware'>,
  peer: string | undefined,
  header: (name: string) => string | undefined,
): string | null {
  const direct = peer === undefined ? null : (canonicalIp(peer) ?? peer);
  if (!middleware.enable_proxy_headers_parsing) return direct;
  const claimed = firstForwarded(header, 'for') ?? firstOf(header('x-forwarded-for'));
  return claimed === undefined ? direct : (addressIn(claimed) ?? claimed.slice(0, 100));
}

// 192.0.2.1:4711, [2001:db8::1]:4711 and the same without a port
const addressIn = (text: string) =>
  canonicalIp(text) ?? canonicalIp(/^(\[[^\]]*\]|[^:]*):\d+$/.exec(text)?.[1] ?? '');
