// The reply to a ramdisk's lookup or inspection report: the ramdisk's node, and the agent's configuration.
import { fieldSchemas, linkedSchema, linkPair, wholeSchema } from '../daemon/http/schema-parts.ts';
import type { Services } from '../daemon/conductor/services.ts';
import type { InternalInfoKey } from '../daemon/model/internal-info.ts';
import { only } from '../daemon/model/records/fields.ts';
import { type Node, nodeFields } from '../daemon/model/records/node.ts';
import type { JsonObject } from '../daemon/model/json.ts';
import { maskSecrets } from '../daemon/model/secrets.ts';

const nodeSchema = linkedSchema(
  'LookedUpNode',
  fieldSchemas(only(nodeFields, ['uuid', 'properties', 'instance_info', 'driver_internal_info'])),
);
export const lookupSchema = wholeSchema({ node: nodeSchema, config: { type: 'object' } }, 'Lookup');

/** The keys of instance_info and driver_internal_info that agents read before a command sends them the whole node. */
const OF_INSTANCE = ['root_device', 'capabilities'];
const OF_INTERNAL_INFO: readonly InternalInfoKey[] = [
  'agent_erase_devices_iterations',
  'agent_erase_devices_zeroize',
  'agent_continue_if_secure_erase_failed',
  'agent_continue_if_ata_erase_failed',
  'agent_enable_ata_secure_erase',
  'agent_enable_nvme_secure_erase',
  'disk_erasure_concurrency',
  'agent_erase_skip_read_only',
];

const chosen = (field: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(field).filter(([name]) => names.includes(name)));

/**
 * Returns the reply's body. Except for the token, it contains no secrets, because a lookup needs no login, only a MAC address of
 * the machine or the node's UUID. `token`: in clear text or masked; null for API versions without tokens.
 */
export function lookupReply(services: Services, baseUrl: string, node: Node, token: string | null): object {
  const { uuid, properties, instance_info, driver_internal_info } = node;
  const { agent, api, conductor } = services.config;
  return {
    node: {
      uuid,
      properties: maskSecrets(properties),
      instance_info: maskSecrets(chosen(instance_info, OF_INSTANCE)),
      driver_internal_info: chosen(driver_internal_info, OF_INTERNAL_INFO),
      links: linkPair(baseUrl, `nodes/${uuid}`),
    },
    config: {
      metrics: {
        backend: 'noop',
        prepend_host: false,
        prepend_uuid: false,
        prepend_host_reverse: true,
        global_prefix: null,
      },
      metrics_statsd: { statsd_host: 'localhost', statsd_port: 8125 },
      heartbeat_timeout: api.ramdisk_heartbeat_timeout,
      agent_containers: {
        allow_arbitrary_containers: false,
        allowed_containers: [],
        container_steps_file: '/etc/ironic-python-agent.d/mysteps.yaml',
        runner: 'podman',
        pull_options: [],
        run_options: ['--rm', '--network=host'],
      },
      agent_token: token,
      agent_token_required: true,
      agent_md5_checksum_enable: agent.allow_md5_checksum,
      disable_deep_image_inspection: conductor.disable_deep_image_inspection,
      permitted_image_formats: conductor.permitted_image_formats,
      agent_skip_bmc_detect: node.management_interface?.includes('redfish') === true,
      enable_bios_bootloader_install: false,
      tls_min_version: '1.3',
      tls_cipher_suites: null,
    },
  };
}
