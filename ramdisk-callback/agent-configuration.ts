// What a ramdisk learns when it looks itself up: its node, and how to behave.
import { linkPair } from '../daemon/api/links.ts';
import { fieldSchemas, linkedSchema, wholeSchema } from '../daemon/api/schema-parts.ts';
import type { Services } from '../daemon/conductor/services.ts';
import { only } from '../daemon/model/fields.ts';
import { type Node, nodeFields } from '../daemon/model/node.ts';
import { maskSecrets } from '../daemon/model/secrets.ts';

const nodeSchema = linkedSchema(
  'LookedUpNode',
  fieldSchemas(only(nodeFields, ['uuid', 'properties', 'instance_info', 'driver_internal_info'])),
);
export const lookupSchema = wholeSchema({ node: nodeSchema, config: { type: 'object' } }, 'Lookup');

/** `token`: in clear or masked; null for requests too old to know tokens. */
export function lookupReply(services: Services, baseUrl: string, node: Node, token: string | null): object {
  const { uuid, properties, instance_info, driver_internal_info } = node;
  return {
    node: {
      uuid,
      properties,
      instance_info: maskSecrets(instance_info),
      driver_internal_info: maskSecrets(driver_internal_info),
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
      heartbeat_timeout: services.config.api.ramdisk_heartbeat_timeout,
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
      agent_md5_checksum_enable: true,
      disable_deep_image_inspection: false,
      permitted_image_formats: ['raw', 'gpt', 'qcow2', 'iso'],
      agent_skip_bmc_detect: node.management_interface?.includes('redfish') === true,
      enable_bios_bootloader_install: false,
      tls_min_version: '1.3',
      tls_cipher_suites: null,
    },
  };
}
