// The kernel parameters of every ramdisk: the URL of this daemon's API.
import type { Config } from '../../config/sections/core-sections.ts';
import type { KernelParameters } from '../../plugin-api/index.ts';
import { hostInUrl, withoutTrailingSlashes } from '../../lib/network/ip.ts';

export const agentParameters = (config: Config): KernelParameters => ({ 'ipa-api-url': apiUrl(config) });

/** Returns the URL at which machines and BMCs reach the API, without a slash at its end. */
export function apiUrl({ DEFAULT: { my_ip }, api, ramdisk, service_catalog }: Config): string {
  const own = ramdisk.port === null ? undefined : { ...ramdisk, port: ramdisk.port };
  const named = service_catalog.endpoint_override ?? (own === undefined ? api.public_endpoint : null);
  if (named !== null) return withoutTrailingSlashes(named);
  const { host_ip: listening, port, enable_ssl_api: tls } = own ?? api;
  const host = ['0.0.0.0', '::'].includes(listening) ? my_ip : listening;
  return `${tls ? 'https' : 'http'}://${hostInUrl(host)}:${port}`;
}
