// Requests of every kind, in an order in which each succeeds on the populated API of `startPopulated`.
import {
  ACTIVE,
  ALLOCATION,
  BMC,
  CHASSIS,
  CHILD,
  CONNECTOR,
  HISTORY,
  NODE,
  PORT,
  PORTGROUP,
  RULE,
  TARGET,
} from '../daemon/populated-api.ts';
import { disk } from '../images.ts';

const STEP = { interface: 'bios', step: 'apply_configuration', args: {} };
const N = `/v1/nodes/${NODE}`;
const describe = [{ op: 'add', path: '/extra/a', value: 1 }];
const everyVerb = (place: string, name: string): readonly Call[] =>
  ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].flatMap((method): readonly Call[] => [
    [method, `${place}?method=${name}`],
    [method, `${place}/${name}`],
  ]);

export type Call = readonly [method: string, path: string, body?: unknown, version?: number];

// paths without a leading slash are below the node
export const shown: readonly Call[] = `
/ /v1 /openapi.json /v1/nodes /v1/nodes/detail /v1/nodes?detail=true&limit=1 /v1/nodes?fields=uuid,health
/v1/chassis/${CHASSIS}/nodes /v1/chassis/${CHASSIS}/nodes/detail /v1/nodes/validate?node=machine
${N} ${N}?fields=driver validate states states/console states/console/log management/boot_device
management/boot_device/supported management/indicators management/indicators/uid@chassis
history history?limit=1 history/detail history/${HISTORY} inventory
bios bios?detail=true bios?fields=value bios/VT firmware vmedia vifs traits children
vendor_passthru/methods volume volume/connectors volume/targets cleaning/steps cleaning/steps?min_priority=1 timeline timeline?since=1&limit=2 sensors/history hardware
ports ports/detail portgroups portgroups/detail /v1/drivers /v1/drivers?detail=true /v1/drivers?type=classic /v1/drivers/able-hardware
/v1/drivers/able-hardware/properties /v1/drivers/able-hardware/raid/logical_disk_properties
/v1/drivers/able-hardware/vendor_passthru/methods
/v1/ports /v1/ports/detail /v1/ports/${PORT} /v1/ports/nic?fields=address
/v1/portgroups /v1/portgroups/detail /v1/portgroups/${PORTGROUP}
/v1/portgroups/bond/ports /v1/portgroups/bond/ports/detail
/v1/conductors /v1/conductors?detail=true /v1/conductors/lab-host /v1/chassis /v1/chassis/detail /v1/chassis/${CHASSIS}
/v1/volume /v1/volume/connectors /v1/volume/connectors/${CONNECTOR}
/v1/volume/targets /v1/volume/targets/${TARGET} /v1/shards
/v1/deploy_templates /v1/deploy_templates?detail=true /v1/deploy_templates/CUSTOM_TEMPLATE
/v1/runbooks /v1/runbooks?detail=true /v1/runbooks/CUSTOM_RUNBOOK /v1/runbooks/CUSTOM_RUNBOOK/traits
/v1/images /v1/images?detail=true /v1/images/web /v1/profiles /v1/profiles?detail=true /v1/profiles/web
/v1/hardware_classes /v1/hardware_classes?detail=true /v1/hardware_classes/web
/v1/expected_machines /v1/expected_machines?detail=true /v1/expected_machines/web-7
/v1/found_bmcs /v1/found_bmcs?detail=true /v1/found_bmcs/${BMC} /v1/found_bmcs/scan
/v1/inspection_rules /v1/inspection_rules?detail=true /v1/inspection_rules/${RULE}
/v1/users /v1/allocations /v1/allocations/${ALLOCATION} /v1/unknown_machines /v1/unknown_machines/52:54:00:00:00:99/timeline
/v1/nodes/${ACTIVE}/allocation /v1/nodes/${ACTIVE}/allocation?fields=state`
  .trim()
  .split(/\s+/)
  .map((path): Call => ['GET', path.startsWith('/') ? path : `${N}/${path}`]);

const SPARE = '00000000-0000-4000-8000-0000000000bb';

/** Creates a record and deletes it by the argument that names it. */
const deletedByArgument = (path: string, argument: string, body: object, name = SPARE): readonly Call[] => [
  ['POST', `/v1/${path}`, { uuid: SPARE, ...body }],
  ['DELETE', `/v1/${path}?${argument}=${name}`],
];

/** Requests that change or plan something, and GETs of what was changed, in an order in which each succeeds. */
export const changing: readonly Call[] = [
  ['POST', '/v1/nodes', { driver: 'fake-hardware', uuid: '00000000-0000-4000-8000-0000000000aa' }],
  ['PATCH', N, describe],
  ['DELETE', `/v1/nodes/${CHILD}`],
  ['POST', `${N}/inventory/reprocess`, { dry_run: true }],
  ['POST', '/v1/bmc_tests', { address: '127.0.0.1' }],
  ['PUT', '/v1/nodes/00000000-0000-4000-8000-0000000000aa/states/goal', { target: 'available' }],
  ['POST', `${N}/steps/plan`, { target: 'provide' }],
  ['PUT', `${N}/states/power`, { target: 'power on' }],
  ['POST', `${N}/steps/plan`, { target: 'clean', clean_steps: [STEP, { ...STEP, step: 'hold' }] }],
  ['POST', `${N}/steps/plan`, { target: 'provide' }],
  ['PUT', `${N}/states/provision`, { target: 'provide' }],
  ['PUT', `${N}/management/boot_device`, { boot_device: 'pxe' }],
  ['PUT', `${N}/maintenance`, { reason: null }],
  ['DELETE', `${N}/maintenance`],
  ['PUT', `${N}/states/raid`, { logical_disks: [{ raid_level: '1', size_gb: 'MAX' }] }],
  ['PUT', `${N}/states/boot_mode`, { target: 'uefi' }],
  ['PUT', `${N}/states/secure_boot`, { target: true }],
  ['PUT', `${N}/states/console`, { enabled: true }],
  ['GET', `${N}/states/console`],
  ['PUT', `${N}/management/indicators/uid@chassis`, { state: 'on' }],
  ['PUT', `${N}/management/inject_nmi`],
  ['PUT', `${N}/bmc_password`],
  ['GET', `${N}/bmc_password`],
  ['POST', `${N}/vmedia`, { device_type: 'cdrom', image_url: 'http://x/y', image_download_source: 'http' }],
  ['GET', `${N}/vmedia`],
  ['DELETE', `${N}/vmedia?device_types=cdrom`],
  ['POST', `${N}/vifs`, { id: 'vif' }],
  ['GET', `${N}/vifs`],
  ['DELETE', `${N}/vifs/vif`],
  ...everyVerb(`${N}/vendor_passthru`, 'echo'),
  ['POST', `${N}/vendor_passthru/keep`],
  ...everyVerb('/v1/drivers/able-hardware/vendor_passthru', 'repeat'),
  ['PUT', `${N}/traits`, { traits: ['CUSTOM_A'] }],
  ['PUT', `${N}/traits/CUSTOM_B`],
  ['GET', `${N}/traits`],
  ['DELETE', `${N}/traits/CUSTOM_B`],
  ['DELETE', `${N}/traits`],
  ['POST', '/v1/ports', { address: '52:54:00:00:00:02', node_ident: 'machine' }],
  ['PATCH', `/v1/ports/${PORT}`, describe],
  ['PATCH', `/v1/portgroups/${PORTGROUP}`, describe],
  ['DELETE', `/v1/ports/${PORT}`],
  ['DELETE', `/v1/portgroups/${PORTGROUP}`],
  ['POST', '/v1/portgroups', { node_uuid: NODE }],
  ['POST', '/v1/chassis', {}],
  ['PATCH', `/v1/chassis/${CHASSIS}`, describe],
  ['PATCH', N, [{ op: 'remove', path: '/chassis_uuid' }]],
  ['DELETE', `/v1/chassis/${CHASSIS}`],
  ['PUT', `${N}/states/power`, { target: 'power off' }],
  ['PATCH', `/v1/volume/connectors/${CONNECTOR}`, describe],
  ['DELETE', `/v1/volume/connectors/${CONNECTOR}`],
  ['POST', '/v1/volume/connectors', { node_uuid: NODE, type: 'ip', connector_id: '192.0.2.1' }],
  ['PATCH', `/v1/volume/targets/${TARGET}`, describe],
  ['DELETE', `/v1/volume/targets/${TARGET}`],
  ['POST', '/v1/volume/targets', { node_uuid: NODE, volume_type: 'iscsi', volume_id: 'w', boot_index: 1 }],
  ['PATCH', '/v1/deploy_templates/CUSTOM_TEMPLATE', describe],
  ['DELETE', '/v1/deploy_templates/CUSTOM_TEMPLATE'],
  ['POST', '/v1/deploy_templates', { name: 'CUSTOM_X', steps: [{ ...STEP, priority: '2' }] }],
  ['PATCH', '/v1/runbooks/CUSTOM_RUNBOOK', describe],
  ['PUT', '/v1/runbooks/CUSTOM_RUNBOOK/traits', { traits: ['CUSTOM_A'] }],
  ['PUT', '/v1/runbooks/CUSTOM_RUNBOOK/traits/CUSTOM_B'],
  ['DELETE', '/v1/runbooks/CUSTOM_RUNBOOK/traits/CUSTOM_B'],
  ['DELETE', '/v1/runbooks/CUSTOM_RUNBOOK/traits'],
  ['DELETE', '/v1/runbooks/CUSTOM_RUNBOOK'],
  ['POST', '/v1/runbooks', { name: 'free', steps: [{ ...STEP, order: '3' }], description: 'd' }],
  ['PATCH', '/v1/images/web', [{ op: 'add', path: '/description', value: 'd' }]],
  ['PATCH', '/v1/profiles/web', [{ op: 'remove', path: '/image' }]],
  ['DELETE', '/v1/images/web?force=true'],
  ['POST', '/v1/images/local/fetch'],
  ['POST', '/v1/images/local/verify'],
  ['DELETE', '/v1/profiles/web'],
  ['PATCH', '/v1/hardware_classes/web', [{ op: 'replace', path: '/required', value: true }]],
  ['DELETE', '/v1/hardware_classes/web'],
  ['POST', '/v1/found_bmcs/scan', { networks: [BMC] }],
  ['GET', '/v1/found_bmcs/scan'],
  ['POST', `/v1/found_bmcs/${BMC}/accept`, { resource_class: 'web' }],
  ['POST', `/v1/found_bmcs/${BMC}/continue`],
  ['DELETE', `/v1/found_bmcs/${BMC}`],
  ['POST', '/v1/expected_machines', { serial_number: 'S2' }],
  [
    'POST',
    '/v1/expected_machines/import',
    [{ serial_number: 'S3', bmc_username: 'root', bmc_password: 'x' }],
  ],
  ['PATCH', '/v1/expected_machines/web-7', [{ op: 'replace', path: '/rack', value: 'r2' }]],
  ['DELETE', '/v1/expected_machines/web-7'],
  ['POST', '/v1/hardware_classes', { name: 'db', disks: [{ count: 2, size_gb: 480, kind: 'ssd' }] }],
  ['POST', '/v1/profiles', { name: 'db', network: [{ addresses: ['dhcp'] }] }],
  ['POST', '/v1/images', { name: 'db', source: 'upload:', min_disk_gib: 10 }],
  ['PUT', '/v1/images/db/file', disk()],
  ['PATCH', `/v1/inspection_rules/${RULE}`, [{ op: 'add', path: '/sensitive', value: true }]],
  ['GET', `/v1/inspection_rules/${RULE}`],
  ['DELETE', `/v1/inspection_rules/${RULE}`],
  ['POST', '/v1/inspection_rules', { actions: [{ op: 'fail', args: { msg: 'no' } }] }],
  ['DELETE', '/v1/inspection_rules'],
  ['PATCH', '/v1/allocations/use', describe],
  ['PUT', `/v1/nodes/${ACTIVE}/maintenance`],
  ['DELETE', `/v1/nodes/${ACTIVE}/allocation`],
  ['POST', '/v1/allocations', { name: 'second', resource_class: 'none' }],
  ['DELETE', '/v1/allocations/second'],
  ...deletedByArgument('nodes', 'node_ident', { driver: 'fake-hardware', name: 'spare' }, 'spare'),
  ...deletedByArgument('ports', 'port_uuid', { address: '52:54:00:00:00:77', node_uuid: NODE }),
  ...deletedByArgument('portgroups', 'portgroup_ident', { node_uuid: NODE }),
  ...deletedByArgument('chassis', 'chassis_uuid', {}),
  ...deletedByArgument('volume/connectors', 'connector_uuid', {
    node_uuid: NODE,
    type: 'ip',
    connector_id: '192.0.2.2',
  }),
  ...deletedByArgument('volume/targets', 'target_uuid', {
    node_uuid: NODE,
    volume_type: 'iscsi',
    volume_id: 'w',
    boot_index: 2,
  }),
  ...deletedByArgument('deploy_templates', 'template_ident', {
    name: 'CUSTOM_SPARE',
    steps: [{ ...STEP, priority: 2 }],
  }),
  ...deletedByArgument('runbooks', 'runbook_ident', { name: 'CUSTOM_SPARE', steps: [{ ...STEP, order: 1 }] }),
  ...deletedByArgument('allocations', 'allocation_ident', { resource_class: 'gold' }),
  ['PUT', '/v1/unknown_machines/52:54:00:00:00:99', { ignored: true }],
  ['POST', '/v1/user_tokens', { user: 'monitoring', until: '2027-01-31' }],
  [
    'POST',
    '/v1/events',
    {
      events: [
        { event: 'network.bind_port', port_id: PORT, mac_address: '52:54:00:00:00:01', status: 'ACTIVE' },
      ],
    },
  ],
];
