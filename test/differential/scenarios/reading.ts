// The documents of the API at every version: which paths, query parameters and fields exist, and what the fields hold.
import * as records from './populate.ts';
import type { Scenario } from './scenario.ts';

const { NODE, PORT, PORTGROUP, CHASSIS, CONNECTOR, TARGET, TEMPLATE, RUNBOOK, RULE, ALLOCATION } = records;

const DOCUMENTS = [
  'nodes',
  'nodes/detail',
  'nodes?detail=true',
  `nodes/${NODE}`,
  'nodes/node-1',
  `nodes/${NODE}/states`,
  `nodes/${NODE}/validate`,
  `nodes/validate?node=node-1`,
  `nodes/${NODE}/traits`,
  `nodes/${NODE}/vifs`,
  `nodes/${NODE}/bios`,
  `nodes/${NODE}/firmware`,
  `nodes/${NODE}/history`,
  `nodes/${NODE}/inventory`,
  `nodes/${NODE}/children`,
  `nodes/${NODE}/vmedia`,
  `nodes/${NODE}/allocation`,
  `nodes/${NODE}/ports`,
  `nodes/${NODE}/ports/detail`,
  `nodes/${NODE}/portgroups`,
  `nodes/${NODE}/portgroups/detail`,
  `nodes/${NODE}/volume`,
  `nodes/${NODE}/volume/connectors`,
  `nodes/${NODE}/volume/targets`,
  `nodes/${NODE}/states/console`,
  `nodes/${NODE}/management/boot_device`,
  `nodes/${NODE}/management/boot_device/supported`,
  `nodes/${NODE}/management/indicators`,
  'ports',
  'ports/detail',
  'ports?detail=true',
  `ports/${PORT}`,
  'portgroups',
  'portgroups/detail',
  `portgroups/${PORTGROUP}`,
  'portgroups/bond-0',
  `portgroups/${PORTGROUP}/ports`,
  `portgroups/${PORTGROUP}/ports/detail`,
  'chassis',
  'chassis/detail',
  `chassis/${CHASSIS}`,
  `chassis/${CHASSIS}/nodes`,
  `chassis/${CHASSIS}/nodes/detail`,
  'drivers',
  'drivers?detail=true',
  'drivers?type=dynamic',
  'drivers/fake-hardware',
  'drivers/fake-hardware/vendor_passthru/methods',
  'conductors',
  'conductors?detail=true',
  'conductors/lab-host',
  'allocations',
  `allocations/${ALLOCATION}`,
  'volume',
  'volume/connectors',
  'volume/connectors?detail=true',
  `volume/connectors/${CONNECTOR}`,
  'volume/targets',
  `volume/targets/${TARGET}`,
  'deploy_templates',
  'deploy_templates?detail=true',
  `deploy_templates/${TEMPLATE}`,
  'deploy_templates/CUSTOM_TEMPLATE',
  'runbooks',
  'runbooks?detail=true',
  `runbooks/${RUNBOOK}`,
  `runbooks/${RUNBOOK}/traits`,
  'inspection_rules',
  'inspection_rules?detail=true',
  `inspection_rules/${RULE}`,
  'shards',
  `lookup?node_uuid=${NODE}`,
] as const;

export const reading: Scenario = async (both) => {
  await records.populate(both);
  for (let minor = 1; minor <= both.maximum; minor += 1) {
    const here = both.at(minor);
    for (const document of DOCUMENTS) await here.sendAll(`GET /v1/${document}`);
    // these hold sentences, which differ: only keys and types of values are compared
    await here.send('GET', '/v1/drivers/fake-hardware/properties', { extent: 'shapes' });
    await here.send('GET', '/v1/drivers/fake-hardware/raid/logical_disk_properties', { extent: 'shapes' });
    await here.send('GET', `/v1/nodes/${NODE}/vendor_passthru/methods`, { extent: 'shapes' });
  }
};
