// Where a node's BMC is and how to log in to it, from driver_info.
import {
  driverInfoChoice,
  driverInfoText,
  invalidDriverInfo,
  isJsonObject,
  type Node,
  type PropertySpec,
  requireDriverInfo,
  type Task,
} from '#plugin-api';
import { redfishOptions } from '../options.ts';
import { type Remedies, remediesIn } from '../quirks/remedies.ts';
import { type BmcAddress, bmcAddress } from './address.ts';
import { type Trust, trustOf } from './trust.ts';

export const connectionProperties = {
  redfish_address: {
    description:
      'URL of the BMC, or its host name or address; https:// is assumed without a scheme. A path before /redfish/v1 is kept.',
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
      "Whether the BMC's TLS certificate is verified, or a file or directory with the trusted CA certificates (PEM). Default: [redfish] verify_ca, or else true.",
  },
  redfish_auth_type: {
    description: 'auto, session or basic. Default: [redfish] auth_type.',
    example: 'session',
  },
  redfish_tls_minimum_version: {
    description: 'Oldest version of TLS: 1.1, 1.2 or 1.3. Default: [redfish] tls_minimum_version.',
    example: '1.2',
  },
  redfish_tls_ciphers: {
    description: 'Cipher suites of TLS, in the notation of OpenSSL. Default: [redfish] tls_ciphers.',
  },
  redfish_quirks: {
    description:
      'Remedies for this BMC in place of those that are known for its vendor and model: {"bootFull": true}. See the page on Redfish.',
  },
} as const satisfies Readonly<Record<string, PropertySpec>>;

export interface BmcConnection extends BmcAddress {
  readonly username: string;
  readonly password: string;
  /** The path of the node's system; undefined: the BMC's only system. */
  readonly systemPath: string | undefined;
  readonly trust: Trust;
  readonly login: 'auto' | 'session' | 'basic';
  /** The remedies that the operator has set for this node. */
  readonly remedies: Partial<Remedies>;
}

/** Throws DriverInfoMissing or DriverInfoInvalid. Reads only the node and the configuration. */
export function bmcConnectionOf(task: Task): BmcConnection {
  const { node } = task;
  requireDriverInfo(node, connectionProperties);
  const { auth_type: configured } = redfishOptions(task);
  return {
    ...bmcAddress(node),
    username: driverInfoText(node, 'redfish_username', ''),
    password: driverInfoText(node, 'redfish_password', ''),
    systemPath: systemPathOf(node),
    trust: trustOf(task),
    login: driverInfoChoice(
      node,
      'redfish_auth_type',
      ['auto', 'session', 'basic'],
      configured as BmcConnection['login'],
    ),
    remedies: remediesOf(node),
  };
}

function systemPathOf(node: Node): string | undefined {
  const given = node.driver_info['redfish_system_id'] ?? '';
  if (typeof given !== 'string')
    throw invalidDriverInfo(node, 'redfish_system_id', 'a path as in /redfish/v1/Systems/1');
  if (given === '') return undefined;
  const quoted = given.split('/').map(encodeURIComponent).join('/');
  return quoted.startsWith('/') ? quoted : `/${quoted}`;
}

function remediesOf(node: Node): Partial<Remedies> {
  const given = node.driver_info['redfish_quirks'] ?? {};
  if (!isJsonObject(given)) throw invalidDriverInfo(node, 'redfish_quirks', 'an object');
  try {
    return remediesIn(given);
  } catch (error) {
    throw invalidDriverInfo(node, 'redfish_quirks', (error as Error).message);
  }
}
