// Where a node's BMC is and how to log in to it, from driver_info.
import { existsSync } from 'node:fs';
import {
  booleanOf,
  driverInfoChoice,
  driverInfoText,
  invalidDriverInfo,
  type Node,
  type PropertySpec,
  requireDriverInfo,
  type Task,
} from '#plugin-api';
import { redfishOptions } from './options.ts';

export const connectionProperties = {
  redfish_address: {
    description: 'URL of the BMC, or its host name or address; https:// is assumed without a scheme.',
    required: true,
    example: 'https://192.0.2.1',
  },
  redfish_username: { description: 'User name for the BMC. Default: none.' },
  redfish_password: { description: 'Password for the BMC. Default: none.', secret: true },
  redfish_system_id: {
    description: 'Path of the system, as in /redfish/v1/Systems/1. Default: the only system of the BMC.',
    example: '/redfish/v1/Systems/1',
  },
  redfish_verify_ca: {
    description:
      "Whether the BMC's TLS certificate is verified, or a file with the trusted CA certificates (PEM). Default: true.",
  },
  redfish_auth_type: {
    description: 'auto, session or basic. Default: [redfish] auth_type.',
    example: 'session',
  },
} as const satisfies Readonly<Record<string, PropertySpec>>;

export interface Connection {
  /** Scheme, host and port. */
  readonly address: string;
  readonly username: string;
  readonly password: string;
  /** Undefined: the only system. */
  readonly systemPath: string | undefined;
  readonly verifies: boolean;
  /** A file with CA certificates; undefined: those that the system trusts. */
  readonly caFile: string | undefined;
  readonly login: 'auto' | 'session' | 'basic';
}

/** Throws DriverInfoMissing or DriverInfoInvalid. */
export function connectionOf(task: Task): Connection {
  const { node } = task;
  requireDriverInfo(node, connectionProperties);
  const systemPath = driverInfoText(node, 'redfish_system_id', '');
  if (systemPath !== '' && !/^\/[\w./~%-]+$/.test(systemPath))
    throw invalidDriverInfo(node, 'redfish_system_id', 'a path as in /redfish/v1/Systems/1');
  const configured = redfishOptions(task).auth_type;
  return {
    address: addressOf(node),
    username: driverInfoText(node, 'redfish_username', ''),
    password: driverInfoText(node, 'redfish_password', ''),
    systemPath: systemPath === '' ? undefined : systemPath,
    ...trustOf(node),
    login: driverInfoChoice(
      node,
      'redfish_auth_type',
      ['auto', 'session', 'basic'],
      configured as Connection['login'],
    ),
  };
}

function addressOf(node: Node): string {
  const given = driverInfoText(node, 'redfish_address', '');
  const url = URL.parse(given.includes('://') ? given : `https://${given}`);
  const isPlain = url !== null && url.username === '' && url.search === '' && url.hash === '';
  if (isPlain && /^https?:$/.test(url.protocol)) return url.origin;
  throw invalidDriverInfo(node, 'redfish_address', 'an http or https URL as in https://192.0.2.1');
}

function trustOf(node: Node): Pick<Connection, 'verifies' | 'caFile'> {
  const given = node.driver_info['redfish_verify_ca'] ?? true;
  if (typeof given === 'boolean') return { verifies: given, caFile: undefined };
  const text = driverInfoText(node, 'redfish_verify_ca', 'true');
  const flag = booleanOf(text);
  if (flag !== undefined) return { verifies: flag, caFile: undefined };
  if (text.startsWith('/') && !text.includes('\0') && existsSync(text))
    return { verifies: true, caFile: text };
  throw invalidDriverInfo(node, 'redfish_verify_ca', 'true, false or the path of a file that exists');
}
