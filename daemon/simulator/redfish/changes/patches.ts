// Carries out PATCH requests, except those to the settings of a storage controller.
import type { Json, JsonObject } from '../../../model/json.ts';
import { isJsonObject } from '../../../model/json.ts';
import { notAllowed, Refused } from '../answer.ts';
import type { FakeMachine } from '../machine.ts';
import type { Paths } from '../resources/paths.ts';
import { CONFIGURATION } from '../resources/iso-configuration.ts';
import { textOr } from '../resources/odata.ts';

/** Throws Refused. */
export function patch(machine: FakeMachine, paths: Paths, path: string, body: JsonObject): void {
  const { system, manager, media } = paths;
  const { Boot: boot, IndicatorLED: led } = body;
  if (isJsonObject(boot) && [system, paths.boot].includes(path)) patchBoot(machine, paths, path, boot);
  else if (typeof led === 'string') machine.led = led;
  else if (path === `${system}/SecureBoot`) machine.secureBootWanted = body['SecureBootEnable'] === true;
  else if (path === paths.biosSettings) patchBios(machine, body['Attributes'] ?? {});
  else if (path.startsWith(`${media}/`)) patchMedium(machine, path.slice(media.length + 1), body);
  else if (path === manager) machine.dateTime = textOr(body['DateTime'], machine.dateTime);
  else throw notAllowed(`PATCH of ${path}`);
}

function patchBoot(machine: FakeMachine, paths: Paths, path: string, boot: JsonObject): void {
  if (machine.shape.refusesBootDuringPost && machine.isInPost)
    throw new Refused(400, 'iLO.2.37.UnableToModifyDuringSystemPOST', 'The system is in POST', {
      code: 'iLO.0.10.ExtendedInfo',
    });
  if (path !== paths.boot)
    throw new Refused(
      400,
      'Ami.1.0.OperationSupportedInFutureStateURI',
      'Boot is changed at its settings resource',
    );
  const flaw = flawIn(machine, boot);
  if (flaw !== undefined)
    throw new Refused(400, `Base.1.8.${flaw.id}`, `${flaw.id}: ${flaw.about}`, { args: [flaw.about] });
  const forgotten = machine.shape.bootMode === 'forgotten' ? { BootSourceOverrideMode: 'Legacy' } : {};
  machine.boot = { ...machine.boot, ...forgotten, ...boot };
}

interface Flaw {
  readonly id: string;
  readonly about: string;
}

function flawIn(machine: FakeMachine, boot: JsonObject): Flaw | undefined {
  const { shape } = machine;
  const { BootSourceOverrideTarget: target, BootSourceOverrideEnabled: enabled } = boot;
  const missing = target === undefined ? undefined : shape.bootNeeds.find((name) => boot[name] === undefined);
  if (missing !== undefined) return { id: 'PropertyMissing', about: missing };
  const unwritable = unwritableIn(machine, boot);
  if (unwritable !== undefined) return { id: 'PropertyNotWritable', about: unwritable };
  if (shape.enabledNeedsTarget && !isCoherent({ ...machine.boot, ...boot }, enabled))
    return { id: 'PropertyValueConflict', about: 'BootSourceOverrideEnabled' };
  if (!shape.takesContinuous && enabled === 'Continuous')
    return { id: 'PropertyValueNotInList', about: enabled };
  const wanted = textOr(target, 'None');
  return shape.targets.includes(wanted) ? undefined : { id: 'PropertyValueNotInList', about: wanted };
}

const isCoherent = ({ BootSourceOverrideTarget: target }: JsonObject, enabled: Json | undefined): boolean =>
  target !== 'None' || (enabled ?? 'Disabled') === 'Disabled';

const unwritableIn = ({ shape }: FakeMachine, boot: JsonObject): string | undefined =>
  [
    ...(shape.bootMode === 'hidden' ? ['BootSourceOverrideMode'] : []),
    ...(shape.hasHttpBootUri ? [] : ['HttpBootUri']),
  ].find((name) => boot[name] !== undefined);

function patchBios(machine: FakeMachine, attributes: Json): void {
  if (machine.shape.bios === null || !isJsonObject(attributes))
    throw notAllowed('this PATCH of the BIOS settings');
  const unknown = Object.keys(attributes).find((name) => machine.attributes[name] === undefined);
  if (unknown !== undefined)
    throw new Refused(400, 'Base.1.8.PropertyUnknown', `${unknown} is unknown`, {
      args: [unknown],
      related: [`#/Attributes/${unknown}`],
    });
  machine.attributesWanted = { ...machine.attributesWanted, ...attributes };
}

function patchMedium(machine: FakeMachine, slot: string, body: JsonObject): void {
  if (machine.shape.mediaBy === 'IsoConfig' && slot === CONFIGURATION) {
    machine.isoConfiguration = { ...machine.isoConfiguration, ...body };
    return;
  }
  const { Image: image, Inserted: inserted } = body;
  if (machine.shape.mediaBy !== 'patch') throw notAllowed('PATCH of virtual media');
  if (typeof image === 'string' && inserted !== false) machine.insert(slot, image);
  else machine.eject(slot);
}
