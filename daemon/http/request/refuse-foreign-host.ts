// Checks the host name of a request, against DNS rebinding: a web page can make its own host name resolve to this machine. The
// browser then takes the API for a part of the page, and sends the page's host name in every request.
import type { Config } from '../../config/sections/core-sections.ts';
import { canonicalIp } from '../../lib/network/ip.ts';
import { fault } from '../../model/faults.ts';

type Naming = Pick<Config, 'DEFAULT' | 'api' | 'service_catalog'>;

/**
 * Throws SeveralHosts when the request has more than one Host header. Throws ForeignHost for a host name that is not the daemon's
 * own and could be a foreign page's, but only where nothing else keeps such pages out: over TCP, without authentication, and
 * without TLS (with TLS, browsers check the certificate against the name). `rawHeaders`: alternating names and values.
 */
export function refuseForeignHost(
  config: Naming,
  { hostname }: URL,
  rawHeaders: readonly string[] | undefined,
): void {
  const hosts = rawHeaders?.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host');
  if (hosts !== undefined && hosts.length > 1) throw fault('SeveralHosts', { count: hosts.length });
  const { enable_ssl_api: tls, unix_socket: socket } = config.api;
  if (config.DEFAULT.auth_strategy !== 'noauth' || tls || socket !== null) return;
  if (isOutOfReach(hostname) || isOwn(config, hostname)) return;
  throw fault('ForeignHost', { host: hostname });
}

/** Whether no foreign page can have this host name: only a name in the public DNS can be made to resolve to this machine. */
function isOutOfReach(hostname: string): boolean {
  const isName = canonicalIp(hostname) === undefined;
  return !isName || !hostname.replace(/\.$/, '').includes('.') || hostname.endsWith('.localhost');
}

function isOwn({ DEFAULT, api, service_catalog: catalog }: Naming, hostname: string): boolean {
  const names = [...api.allowed_hosts, DEFAULT.host].map((name) => name.toLowerCase());
  const urls = [api.public_endpoint, catalog.endpoint_override];
  return (
    names.some((name) => name === '*' || name === hostname) || urls.some((url) => hostOf(url) === hostname)
  );
}

const hostOf = (url: string | null): string | undefined => URL.parse(url ?? '')?.hostname;
