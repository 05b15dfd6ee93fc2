// A BMC that answers with a dump of a real one, and a task for its node.
import type { Ending } from '../../../fakes/daemon/in-process-daemon.ts';
import type { JsonObject, Port } from '../../../../daemon/plugin-api/index.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import { type Dump, type DumpedBmc, startDumpedBmc } from '../../../fakes/machines/dumped-bmc.ts';
import { type FakeTask, fakeTask } from '../../../fakes/task.ts';
import { configurationWith } from '../redfish-lab.ts';

export interface DumpLab extends DumpedBmc {
  readonly task: FakeTask;
}

/** The MAC address of the port that an operator has made for the node. */
export const OPERATORS_MAC = '52:54:00:00:00:01';

export async function dumpLab(t: Ending, dump: Dump, properties: JsonObject = {}): Promise<DumpLab> {
  const bmc = await startDumpedBmc(dump);
  t.after(() => bmc.stop());
  const login = { redfish_address: bmc.address, redfish_username: 'admin', redfish_password: 'secret' };
  const task = fakeTask({
    node: { driver: 'redfish', properties, driver_info: login },
    configuration: configurationWith(),
    driver: { power: redfishPower },
    ports: [{ address: OPERATORS_MAC } as Port],
  });
  return { ...bmc, task };
}
