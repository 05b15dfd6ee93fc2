// The listeners of the API: the operator's, and the one for ramdisks that [ramdisk] may add.
import type { Config } from '../config/sections/core-sections.ts';
import type { ConnectionLimits } from './admission.ts';
import type { ListenAddress } from './listen-address.ts';
import type { ListenOptions } from './listen.ts';

/** `passed`: the descriptor of the socket that systemd passed; it takes precedence over unix_socket, host_ip and port. */
export function apiListener({ api }: Pick<Config, 'api'>, passed: number | undefined): ListenOptions {
  return { section: 'api', address: apiAddress(api, passed), tls: api.enable_ssl_api ? api : null };
}

/** Ramdisks send one request at a time. All machines of a rack may be behind one relay or translated address. */
const RAMDISK_LIMITS: ConnectionLimits = { connections: 1024, connectionsPerClient: 128 };

/** Undefined when ramdisks use the API's listener. */
export function ramdiskListener({ ramdisk }: Pick<Config, 'ramdisk'>): ListenOptions | undefined {
  const { port, host_ip: host } = ramdisk;
  if (port === null) return undefined;
  return {
    section: 'ramdisk',
    address: { kind: 'tcp', host, port },
    tls: ramdisk.enable_ssl_api ? ramdisk : null,
    limits: RAMDISK_LIMITS,
  };
}

function apiAddress(
  { unix_socket: path, host_ip: host, port }: Config['api'],
  passed?: number,
): ListenAddress {
  if (passed !== undefined) return { kind: 'passed', descriptor: passed };
  return path === null ? { kind: 'tcp', host, port } : { kind: 'unix', path };
}
