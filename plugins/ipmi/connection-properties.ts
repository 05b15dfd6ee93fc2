// The driver_info fields for the connection to a BMC, shared by the plugin's interfaces.
import type { PropertySpec } from '#plugin-api';

export const privilegeLevels = ['ADMINISTRATOR', 'CALLBACK', 'OPERATOR', 'USER'] as const;
export const protocolVersions = ['2.0', '1.5'] as const;
export const bridgings = ['no', 'single', 'dual'] as const;

export const connectionProperties = {
  ipmi_address: { description: 'IP address or host name of the BMC.', required: true },
  ipmi_port: { description: 'UDP port of the BMC. Default 623.' },
  ipmi_username: { description: 'User name, at most 16 bytes. Default: the user without a name.' },
  ipmi_password: {
    description: 'Password, at most 20 bytes (16 with ipmi_protocol_version 1.5). Default: empty.',
    secret: true,
  },
  ipmi_priv_level: {
    description: `Privilege level to request: ${privilegeLevels.join(', ')}. Default ADMINISTRATOR.`,
  },
  ipmi_protocol_version: { description: 'IPMI version: 2.0 or 1.5. Default 2.0.' },
  ipmi_cipher_suite: {
    description:
      'Cipher suite of IPMI 2.0, 1 to 17; usually 17 or 3. Default: [ipmi] cipher_suite_versions, or negotiated.',
  },
  ipmi_hex_kg_key: {
    description: 'Kg key of IPMI 2.0, as 40 hexadecimal digits. Default: none.',
    secret: true,
  },
  ipmi_bridging: { description: 'Bridging of requests: no, single or dual. Default no.' },
  ipmi_transit_channel: { description: 'Transit channel, required for dual bridging: 0 to 255.' },
  ipmi_transit_address: { description: 'Transit address, required for dual bridging: 0 to 255.' },
  ipmi_target_channel: { description: 'Target channel, required for bridging: 0 to 255.' },
  ipmi_target_address: { description: 'Target address, required for bridging: 0 to 255.' },
  ipmi_local_address: { description: 'Local IPMB address for bridging: 0 to 255.' },
} as const satisfies Readonly<Record<string, PropertySpec>>;
