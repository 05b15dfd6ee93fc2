// Carries out POST and DELETE requests, except those about sessions.
import type { JsonObject } from '../../../model/json.ts';
import { type RedfishAnswer, notAllowed, notFound, Refused } from '../answer.ts';
import { acceptedTask, type Acting, type Post, queued } from './acting.ts';
import { dellAction } from './dell-actions.ts';
import { updateFirmware } from './firmware-actions.ts';
import type { FakeMachine } from '../machine.ts';
import { actOnIso } from '../resources/iso-configuration.ts';
import { ROOT, SUBSCRIPTIONS } from '../resources/paths.ts';
import { textOr, typeOf } from '../resources/odata.ts';

const DONE: RedfishAnswer = { status: 204 };

/** Throws Refused. */
export function post(acting: Acting, request: Post): RedfishAnswer {
  const { machine, paths } = acting;
  const { path, body } = request;
  const { system, media, bios, storage } = paths;
  if (path === `${system}/Actions/ComputerSystem.Reset`) {
    machine.reset(textOr(body['ResetType']));
    return DONE;
  }
  if (path.startsWith(`${media}/`)) return actOnMedium(machine, path.slice(media.length + 1), request);
  if (bios !== null && path === `${bios}/Actions/Bios.ResetBios`) return resetBios(machine, request);
  if (path === `${system}/SecureBoot/Actions/SecureBoot.ResetKeys`) {
    machine.keys = textOr(body['ResetKeysType']);
    return DONE;
  }
  if (path.startsWith(`${ROOT}/UpdateService/`)) return updateFirmware(acting, request);
  if (path.startsWith(`${storage}/`)) return actOnStorage(acting, request);
  if (path === SUBSCRIPTIONS) return subscribe(machine, body);
  if (machine.shape.oem === 'Dell') return dellAction(acting, request);
  throw notAllowed(`POST to ${path}`);
}

/** Throws Refused. */
export function removeResource(acting: Acting, path: string): RedfishAnswer {
  const { machine, paths, tasks } = acting;
  if (machine.subscriptions.delete(path)) return { status: 200, body: {} };
  if (!path.startsWith(`${paths.storage}/Volumes/`) || !machine.volumes.has(path)) throw notFound(path);
  const drop = () => void machine.volumes.delete(path);
  if (machine.shape.volumeApplyTimes.includes('Immediate'))
    return atOnce(acting, 'DeleteVolume', drop) ?? DONE;
  return queued(machine, tasks.begin('DeleteVolume', true, drop));
}

function actOnStorage(acting: Acting, { path, body }: Post): RedfishAnswer {
  const { machine, paths, tasks } = acting;
  if (path === `${paths.storage}/Volumes`) return createVolume(acting, body);
  const [drive = '', action] = path.split('/Actions/');
  if (action !== 'Drive.SecureErase') throw notAllowed(`POST to ${path}`);
  return acceptedTask(tasks.begin('SecureErase', false, () => void machine.erased.add(drive)).path);
}

function resetBios(machine: FakeMachine, { hasBody }: Post): RedfishAnswer {
  if (machine.shape.ejectNeedsBody && !hasBody) throw needsBody();
  machine.forgetBiosSettings();
  return { status: 200, body: {} };
}

const needsBody = () => new Refused(415, 'iLO.2.14.UnsupportedMediaType', 'A JSON body is needed');

function actOnMedium(machine: FakeMachine, rest: string, { body, hasBody }: Post): RedfishAnswer {
  const [slot = '', , action] = rest.split('/');
  const { shape } = machine;
  if (shape.mediaBy === 'IsoConfig') {
    actOnIso(machine, rest);
    return DONE;
  }
  const medium = machine.media[slot];
  if (medium === undefined) throw notFound(rest);
  if (shape.mediaBy !== 'action' || shape.slotsForConsole.includes(slot))
    throw new Refused(405, 'Base.1.18.1.OperationNotAllowed', 'This slot is for the console');
  if (action === 'VirtualMedia.InsertMedia') return insert(machine, slot, body);
  if (shape.ejectNeedsBody && !hasBody) throw needsBody();
  if (!medium.inserted) throw new Refused(400, 'Base.1.8.GeneralError', 'Nothing is inserted');
  machine.eject(slot);
  return DONE;
}

function insert(machine: FakeMachine, slot: string, body: JsonObject): RedfishAnswer {
  const { insertNeeds, insertTakesImageOnly } = machine.shape;
  const missing = insertNeeds.find((name) => body[name] === undefined);
  if (missing !== undefined)
    throw new Refused(
      400,
      'Base.1.18.1.ActionParameterMissing',
      `InsertMedia requires the parameter ${missing}`,
      {
        args: ['InsertMedia', missing],
      },
    );
  if (insertTakesImageOnly && (body['Inserted'] ?? body['WriteProtected']) !== undefined)
    throw new Refused(400, 'Base.1.8.PropertyUnknown', 'Inserted is not a valid property', {
      args: ['Inserted'],
    });
  if (machine.media[slot]?.inserted === true)
    throw new Refused(500, 'IDRAC.2.8.VRM0012', 'Media is attached already');
  machine.insert(slot, textOr(body['Image']));
  return DONE;
}

function createVolume(acting: Acting, body: JsonObject): RedfishAnswer {
  const { machine, paths, tasks } = acting;
  const applyTime = body['@Redfish.OperationApplyTime'];
  const at = freePath(`${paths.storage}/Volumes/V`, machine.volumes, tasks.paths.length);
  const volume = {
    '@odata.type': typeOf('Volume'),
    Id: at.slice(at.lastIndexOf('/') + 1),
    Name: body['Name'] ?? 'Volume',
    RAIDType: body['RAIDType'] ?? null,
    CapacityBytes: body['CapacityBytes'] ?? 480_000_000_000,
    Links: body['Links'] ?? {},
  };
  const create = () => void machine.volumes.set(at, volume);
  if (applyTime === 'Immediate')
    return atOnce(acting, 'CreateVolume', create) ?? { status: 201, headers: { location: at }, body: volume };
  return queued(machine, tasks.begin('CreateVolume', true, create));
}

/**
 * An iDRAC answers with a task, which makes the change without a reboot. Other BMCs make the change now; the result is then
 * undefined.
 */
function atOnce({ machine, tasks }: Acting, kind: string, change: () => void): RedfishAnswer | undefined {
  if (machine.shape.oem === 'Dell') return acceptedTask(tasks.begin(kind, false, change).path);
  change();
  return undefined;
}

/** Appends a number to the prefix: the first one above `after` for which the path is not in `taken`. */
function freePath(prefix: string, taken: ReadonlyMap<string, unknown>, after = 0): string {
  let number = after + 1;
  while (taken.has(`${prefix}${number}`)) number += 1;
  return `${prefix}${number}`;
}

function subscribe(machine: FakeMachine, body: JsonObject): RedfishAnswer {
  if (machine.shape.refusesEventTypes && body['EventTypes'] !== undefined)
    throw new Refused(400, 'Base.1.8.PropertyUnknown', 'EventTypes is unknown', {
      args: ['EventTypes'],
      related: ['#/EventTypes'],
    });
  const at = freePath(`${SUBSCRIPTIONS}/`, machine.subscriptions);
  const subscription = {
    '@odata.type': typeOf('EventDestination'),
    Id: at.slice(SUBSCRIPTIONS.length + 1),
    Name: 'Subscription',
    ...body,
  };
  machine.subscriptions.set(at, subscription);
  return { status: 201, headers: { location: at }, body: subscription };
}
