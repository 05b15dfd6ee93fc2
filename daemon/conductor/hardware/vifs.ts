// Lists, attaches and detaches a node's virtual network interfaces (VIFs). The node's network interface does this, or lets the
// daemon record the VIFs in the node's ports and portgroups.
import type { Vif } from '../../plugin-api/index.ts';
import type { JsonObject } from '../../model/json.ts';
import {
  placeForVif,
  placeOfVif,
  type VifPlaces,
  vifAt,
  type VifPlace,
  vifPlaces,
  withoutVif,
  withVif,
} from '../../model/records/vifs.ts';
import { now } from '../../lib/clock.ts';
import { openTask, withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';
import { operationOf } from './on-interface.ts';
import type { HardwareServices, HardwareTask } from './services.ts';

/** Takes no lock. */
export async function listVifs(context: Call<HardwareServices>, uuid: string): Promise<readonly Vif[]> {
  const task = await validated(openTask(context, uuid));
  if (!recordsVifs(task)) return operationOf(task, 'network', 'listVifs', 'vif_list')();
  return vifPlaces(placesOf(task)).map(({ at }) => ({ id: vifAt(at) ?? '' }));
}

export const attachVif = (context: Call<HardwareServices>, uuid: string, vif: Vif): Promise<void> =>
  withTask(context, uuid, async (locked) => {
    const task = await validated(locked);
    if (!recordsVifs(task)) return operationOf(task, 'network', 'attachVif', 'vif_attach')(vif);
    const place = placeForVif(placesOf(task), vif);
    return store(task, place, withVif(place.at, vif.id));
  });

export const detachVif = (context: Call<HardwareServices>, uuid: string, id: string): Promise<void> =>
  withTask(context, uuid, async (locked) => {
    const task = await validated(locked);
    if (!recordsVifs(task)) return operationOf(task, 'network', 'detachVif', 'vif_detach')(id);
    const place = placeOfVif(placesOf(task), id);
    return store(task, place, withoutVif(place.at));
  });

/** Removes the recorded VIFs when the instance that they belong to is removed. */
export function detachAllVifs(task: HardwareTask): void {
  for (const place of vifPlaces(placesOf(task))) store(task, place, withoutVif(place.at));
}

const recordsVifs = ({ driver }: HardwareTask): boolean => driver.network.recordsVifs === true;

async function validated(task: HardwareTask): Promise<HardwareTask> {
  await task.driver.network.validate(task.view);
  return task;
}

function placesOf({ node: { uuid }, ports, services }: HardwareTask): VifPlaces {
  const portgroups = services.db.portgroups.where({ sql: 'node_uuid = ?', values: [uuid] });
  return { node: uuid, ports, portgroups };
}

function store({ services }: HardwareTask, { kind, at }: VifPlace, internal_info: JsonObject): void {
  const table = kind === 'port' ? services.db.ports : services.db.portgroups;
  table.update(at.uuid, { internal_info, updated_at: now(services) });
}
