// The address of a request's client; it comes from proxy headers if the proxy is trusted.
import type { Config } from '../../config/sections/core-sections.ts';
import { canonicalIp } from '../../lib/network/ip.ts';
import { firstForwarded, firstOf } from './base-url.ts';

/**
 * Returns the canonical address; null for a Unix socket, unless a trusted proxy names the client. What a proxy sends instead of an
 * address, such as `unknown`, is returned as it is, up to 100 characters.
 */
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

// matches 192.0.2.1:4711, [2001:db8::1]:4711 and the same without a port
const addressIn = (text: string) =>
  canonicalIp(text) ?? canonicalIp(/^(\[[^\]]*\]|[^:]*):\d+$/.exec(text)?.[1] ?? '');
