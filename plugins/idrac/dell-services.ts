// The Redfish services that only an iDRAC has. The system resource links to DellRaidService, the manager resource to the others.
import { fault, type JsonObject, type Task } from '#plugin-api';
import { type BmcAnswer, type Bmc, objectIn, pathIn, targetIn } from '#plugin-api/redfish';

type Service = 'DellJobService' | 'DelliDRACCardService' | 'DellLCService' | 'DellRaidService';

/** Calls `SERVICE.ACTION`. Throws UnsupportedDriverExtension when the BMC has no such service. */
export async function callService(
  bmc: Bmc,
  task: Task,
  call: { readonly service: Service; readonly action: string; readonly body: JsonObject },
): Promise<BmcAnswer> {
  const { service, action, body } = call;
  const owner = service === 'DellRaidService' ? await bmc.knownSystem() : await bmc.manager();
  const links = objectIn(owner?.['Links']);
  const path = pathIn(objectIn(objectIn(links['Oem'])['Dell'])[service]);
  if (path === undefined)
    throw fault('UnsupportedDriverExtension', {
      driver: task.node.driver,
      extension: `${service}, which this BMC does not have; update its firmware`,
    });
  const resource = (await bmc.optional(service, () => bmc.get(path))) ?? {};
  const target = targetIn(resource, `#${service}.${action}`);
  return bmc.post(target ?? `${path}/Actions/${service}.${action}`, body);
}
