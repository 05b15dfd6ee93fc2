// Which resets bring a machine to a power target.
import { fault, type JsonObject, type Node, type PowerTarget, isJsonObject } from '#plugin-api';
import type { Bmc } from '../bmc/bmc.ts';
import { actionIn, objectsIn, pathIn, stringsIn, targetIn, textIn } from '../bmc/fields.ts';

const wanted: Readonly<Record<PowerTarget, readonly string[]>> = {
  'power on': ['On'],
  'power off': ['ForceOff'],
  rebooting: ['ForceOff', 'On'],
  'soft rebooting': ['GracefulShutdown', 'On'],
  'soft power off': ['GracefulShutdown'],
};

/** The resets of a machine that must not be powered off. The power state cannot show whether such a reset took effect. */
const restarts: Readonly<Partial<Record<PowerTarget, string>>> = {
  rebooting: 'ForceRestart',
  'soft rebooting': 'GracefulRestart',
};

/**
 * Reset types with the same effect, for BMCs that lack a type. A graceful shutdown has no substitute, so that power is never cut
 * in its place.
 */
const substitutes: Readonly<Record<string, readonly string[]>> = {
  On: ['ForceOn'],
  ForceOn: ['On'],
  ForceRestart: ['PowerCycle'],
};

export interface ResetPlan {
  readonly target: PowerTarget;
  readonly isOff: boolean;
  readonly mayPowerOff: boolean;
  /** The reset types that the BMC offers; empty: the BMC does not say. */
  readonly offered: readonly string[];
  /** The remedy `resets`: what replaces a reset type. Not used to reboot a machine that must not be powered off. */
  readonly inPlaceOf: Readonly<Record<string, readonly string[]>>;
}

/** Returns the resets in order; each must have taken effect before the next. Throws UnsupportedDriverExtension. */
export function resetTypes(plan: ResetPlan, node: Pick<Node, 'driver'>): readonly string[] {
  const { target, isOff, mayPowerOff, inPlaceOf } = plan;
  const isStart = target.endsWith('rebooting') && isOff;
  const restart = mayPowerOff || isStart ? undefined : restarts[target];
  if (restart !== undefined) return [offeredType(plan, restart, node)];
  return wanted[isStart ? 'power on' : target]
    .flatMap((type) => inPlaceOf[type] ?? [type])
    .map((type) => offeredType(plan, type, node));
}

function offeredType({ offered }: ResetPlan, type: string, { driver }: Pick<Node, 'driver'>): string {
  if (offered.length === 0) return type;
  const found = [type, ...(substitutes[type] ?? [])].find((each) => offered.includes(each));
  if (found !== undefined) return found;
  throw fault('UnsupportedDriverExtension', {
    driver,
    extension: `reset ${type} of this machine, whose BMC offers ${offered.join(', ')}`,
  });
}

/** Returns the path of the action that resets the system. BMCs that do not list the action have it nevertheless. */
export async function resetAction(bmc: Bmc): Promise<string> {
  const target = targetIn(await bmc.knownSystem(), '#ComputerSystem.Reset');
  return target ?? `${await bmc.systemPath()}/Actions/ComputerSystem.Reset`;
}

/** The reset types that the BMC offers; empty when the BMC does not say. */
export async function offeredResets(bmc: Bmc): Promise<readonly string[]> {
  const action = actionIn(await bmc.knownSystem(), '#ComputerSystem.Reset');
  const listed = stringsIn(action['ResetType@Redfish.AllowableValues']);
  if (listed.length > 0) return listed;
  return bmc.known(`resets of ${await bmc.systemPath()}`, async () =>
    resetsIn(await actionInfo(bmc, action)),
  );
}

async function actionInfo(bmc: Bmc, action: JsonObject): Promise<JsonObject | undefined> {
  const given = action['@Redfish.ActionInfo'];
  const path = textIn(given) ?? pathIn(given);
  return path === undefined ? undefined : bmc.optional('the reset types', () => bmc.get(path));
}

function resetsIn(info: JsonObject | undefined): readonly string[] {
  const parameters = isJsonObject(info) ? objectsIn(info['Parameters']) : [];
  return stringsIn(parameters.find(({ Name: name }) => name === 'ResetType')?.['AllowableValues']);
}
