// The virtual media slots of a BMC.
import { fault, type JsonObject, type VirtualMediaDevice } from '#plugin-api';
import type { Bmc } from '../../bmc/bmc.ts';
import { pathIn, stringsIn, targetIn, textIn } from '../../bmc/fields.ts';
import { isoDrive, readIsoDrive } from '../iso-configuration.ts';

const mediaTypes: Readonly<Record<VirtualMediaDevice, readonly string[]>> = {
  cdrom: ['CD', 'DVD'],
  disk: ['USBStick'],
  floppy: ['Floppy'],
};

export interface Slot {
  readonly path: string;
  readonly resource: JsonObject;
  /** Only set for the drive of an ISO configuration: see `IsoDrive`. */
  readonly collection?: string;
}

/** Reads all slots: those of the system, then those of its BMCs. Throws InvalidParameter when there is no slot. */
export async function readSlots(bmc: Bmc): Promise<readonly Slot[]> {
  const slots = await allSlots(bmc);
  if (slots.length > 0) return slots;
  const { mediaHint: hint } = await bmc.remedies();
  const reason = ['the BMC has no virtual media', ...bmc.unread, ...(hint === '' ? [] : [hint])].join('; ');
  throw fault('InvalidParameter', { name: 'virtual media', reason });
}

/**
 * Reads the slots that accept one of `devices`. As long as the BMC's slots are not known, or if the BMC expands collections, all
 * slots are read, and the function throws like `readSlots`.
 */
export async function readSlotsFor(
  bmc: Bmc,
  devices: readonly VirtualMediaDevice[],
): Promise<readonly Slot[]> {
  const isMeant = (slot: Slot) => devices.some((device) => takes(slot, device));
  const known = bmc.learnt.facts.get(SLOTS) as readonly Slot[] | undefined;
  // a BMC that expands collections returns all slots in one request, so there is nothing to save
  if (known === undefined || (await bmc.expands())) return (await readSlots(bmc)).filter(isMeant);
  const slots: Slot[] = [];
  for (const slot of known.filter(isMeant)) {
    const read = await bmc.optional(`the virtual media (${slot.path})`, () => readSlot(bmc, slot));
    if (read !== undefined) slots.push(read);
  }
  return slots;
}

export async function readSlot(bmc: Bmc, { path, collection }: Slot): Promise<Slot> {
  return collection === undefined
    ? { path, resource: await bmc.get(path) }
    : readIsoDrive(bmc, path, collection);
}

const SLOTS = 'slots of virtual media';

async function allSlots(bmc: Bmc): Promise<readonly Slot[]> {
  const slots: Slot[] = [];
  const before = bmc.unread.length;
  for (const holder of await bmc.known('holders of virtual media', () => holders(bmc)))
    slots.push(...(await slotsOf(bmc, holder)));
  if (bmc.unread.length === before) bmc.learnt.facts.set(SLOTS, slots);
  return slots;
}

async function slotsOf(bmc: Bmc, holder: string): Promise<readonly Slot[]> {
  const resources = await bmc.optionalMembers('the virtual media', holder);
  for (const resource of resources.filter((each) => !isSlot(each)))
    bmc.unread.push(`the virtual media (${holder}): one of them is ${textIn(resource['@odata.type']) ?? ''}`);
  const slots = resources.filter(isSlot).map((resource) => ({ path: pathIn(resource) ?? '', resource }));
  const { isoConfiguration } = await bmc.remedies();
  if (!isoConfiguration || slots.some((slot) => mediaAction(slot, 'InsertMedia') !== undefined)) return slots;
  const drive = await bmc.optional('the ISO configuration of virtual media', () => isoDrive(bmc, holder));
  return drive === undefined ? slots : [drive];
}

const isSlot = ({ '@odata.type': type }: JsonObject): boolean =>
  textIn(type)?.includes('VirtualMedia') ?? true;

async function holders(bmc: Bmc): Promise<readonly string[]> {
  const own = pathIn((await bmc.knownSystem())['VirtualMedia']);
  const found = own === undefined ? [] : [own];
  for (const path of await bmc.managerPaths()) {
    const manager = await bmc.optional('its Manager', () => bmc.get(path));
    const theirs = pathIn(manager?.['VirtualMedia']);
    if (theirs !== undefined) found.push(theirs);
  }
  return found;
}

export const takes = ({ resource }: Slot, device: VirtualMediaDevice): boolean =>
  stringsIn(resource['MediaTypes']).some((type) => mediaTypes[device].includes(type));

/** Whether an image is in the slot: some BMCs keep the name of an image after it was ejected. */
export const isInserted = ({ Inserted: inserted, Image: image, ConnectedVia: via }: JsonObject): boolean =>
  (inserted === true || (inserted === undefined && typeof image === 'string' && image !== '')) &&
  via !== 'NotConnected';

export const mediaAction = ({ resource }: Slot, name: 'InsertMedia' | 'EjectMedia'): string | undefined =>
  targetIn(resource, `#VirtualMedia.${name}`);
