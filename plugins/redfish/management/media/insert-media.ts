// Inserts an image into a virtual media slot. BMCs require different properties for that; most of them name a missing property
// when they refuse.
import { defineFault, fault, reasonOf, type Task, type VirtualMediaDevice } from '#plugin-api';
import type { Bmc } from '../../bmc/bmc.ts';
import type { Refusal } from '../../bmc/error-body.ts';
import { isLost, mayBeDone, refusalOf } from '../../bmc/failures.ts';
import { eject } from './eject-media.ts';
import { mountIso, mountTarget } from '../iso-configuration.ts';
import { isInserted, mediaAction, readSlot, readSlotsFor, type Slot } from './media-slots.ts';

const VERIFY_MILLISECONDS = 30_000;
const POLL_MILLISECONDS = 2000;
/** How many times an insertion is tried: it may fail because the BMC is still ejecting the previous image. */
const TRIES = 3;
const RETRY_MILLISECONDS = 3000;

const mediaRefused = defineFault(
  'VirtualMediaRefused',
  500,
  'No virtual media slot of node {node} took the image {image}: {reason}.',
);

export interface Insertion {
  readonly device: VirtualMediaDevice;
  readonly url: string;
  /** HTTP, HTTPS, NFS or CIFS, when the operator has chosen one. */
  readonly protocol: string | undefined;
}

/** Throws InvalidParameter when the BMC has no slot for the device, and VirtualMediaRefused when no slot accepts the image. */
export async function insertMedia(bmc: Bmc, task: Task, insertion: Insertion): Promise<void> {
  const { mediaSlots, mediaHint } = await bmc.remedies();
  const slots = inOrder(await readSlotsFor(bmc, [insertion.device]), mediaSlots);
  if (slots.length === 0) {
    const reason = [`the BMC has no virtual ${insertion.device}`, ...bmc.unread].join('; ');
    throw fault('InvalidParameter', { name: 'device', reason });
  }
  const reasons: string[] = [];
  for (const slot of slots) {
    const reason = await insertInto(bmc, task, slot, insertion);
    if (reason === undefined) return;
    reasons.push(`${slot.path}: ${reason}`);
  }
  const all = [...reasons, mediaHint].filter((text) => text !== '').join('; ');
  throw mediaRefused({ node: task.node.uuid, image: shownUrl(insertion.url), reason: all });
}

function inOrder(slots: readonly Slot[], names: readonly string[]): readonly Slot[] {
  if (names.length === 0) return slots;
  return names.flatMap((name) => slots.filter(({ path }) => path.endsWith(`/${name}`)));
}

/** The URL for messages, with only the last part of its path, because in the daemon's URLs the parts before it are secret. */
function shownUrl(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? 'of an invalid URL' : `${parsed.origin}/.../${parsed.pathname.split('/').at(-1)}`;
}

/** Inserts the image into the slot. Returns why the slot did not take the image; undefined when the image is in the slot. */
async function insertInto(
  bmc: Bmc,
  task: Task,
  slot: Slot,
  insertion: Insertion,
): Promise<string | undefined> {
  if (isInserted(slot.resource)) await eject(bmc, slot).catch(() => undefined);
  for (let attempt = 1; ; attempt += 1) {
    try {
      if (!(await send(bmc, slot, insertion))) return 'it takes no images';
      return await verified(bmc, task, slot);
    } catch (error) {
      if (!isLost(error) && refusalOf(error) === undefined) throw error;
      if (!mayBeDone(error) || attempt === TRIES) return reasonOf(error);
      await task.clock.sleep(RETRY_MILLISECONDS);
      if (await holds(bmc, slot, insertion.url)) return undefined;
      await eject(bmc, slot).catch(() => undefined);
    }
  }
}

/** Whether the image is in the slot, although the BMC has not said that it took the image. */
async function holds(bmc: Bmc, slot: Slot, url: string): Promise<boolean> {
  const { resource } = await readSlot(bmc, slot);
  return isInserted(resource) && resource['Image'] === url;
}

/** Asks the BMC to insert the image; returns false if the slot accepts no images at all. */
async function send(bmc: Bmc, slot: Slot, { url, protocol }: Insertion): Promise<boolean> {
  const mount = mountTarget(slot.resource, 'Mount');
  if (mount !== undefined) {
    await mountIso(bmc, slot.path, mount, url);
    return true;
  }
  const action = mediaAction(slot, 'InsertMedia');
  if (action === undefined) return patchIn(bmc, slot, url);
  const { insertNeeds } = await bmc.remedies();
  const chosen = protocol === undefined ? [] : ['TransferProtocolType'];
  const fields = new Set([...insertNeeds, ...bmc.learnt.insertNeeds, ...chosen]);
  const values = fieldValues(url, protocol);
  for (;;) {
    const more = Object.fromEntries([...fields].map((name) => [name, values[name] ?? '']));
    try {
      await bmc.post(action, { Image: url, ...more });
      bmc.learnt.insertNeeds = [...fields];
      return true;
    } catch (error) {
      const refusal = refusalOf(error);
      const unsent = Object.keys(values).filter((name) => !fields.has(name));
      const missing = refusal && missingIn(refusal, unsent);
      if (missing === undefined || missing.length === 0) throw error;
      for (const name of missing) fields.add(name);
    }
  }
}

const fieldValues = (url: string, protocol: string | undefined): Readonly<Record<string, string>> => ({
  TransferProtocolType: protocol ?? (url.startsWith('https:') ? 'HTTPS' : 'HTTP'),
  TransferMethod: 'Stream',
  UserName: 'none',
  Password: 'none',
});

/**
 * Returns those of `names`, which were not sent, that the BMC names when it refuses: in a list of properties, in the arguments of a
 * message, or in a text, such as "needs a user name".
 */
export function missingIn(refusal: Refusal, names: readonly string[]): readonly string[] {
  if (refusal.status !== 400) return [];
  const texts = [...refusal.subjects, refusal.reason].map((text) => lettersOf(text));
  return names.filter((name) => texts.some((text) => text.includes(lettersOf(name))));
}

const lettersOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z]/g, '');

/**
 * For a slot without the action InsertMedia. Lenovo's slots of this kind accept the image by PATCH. Slots that belong to a remote
 * console accept none, and their `Allow` header does not contain PATCH.
 */
async function patchIn(bmc: Bmc, { path }: Slot, url: string): Promise<boolean> {
  const { headers } = await bmc.read(path);
  if (headers['allow']?.some((allow) => allow.includes('PATCH')) !== true) return false;
  await bmc.patch(path, { Image: url, Inserted: true, WriteProtected: true });
  return true;
}

/** Returns why the image is not in the slot; undefined when it is. A BMC may report success without inserting the image. */
async function verified(bmc: Bmc, task: Task, slot: Slot): Promise<string | undefined> {
  const until = task.clock.monotonic() + VERIFY_MILLISECONDS;
  while (!isInserted((await readSlot(bmc, slot)).resource)) {
    if (task.clock.monotonic() >= until)
      return `the image was accepted and is not there after ${VERIFY_MILLISECONDS / 1000} s`;
    await task.clock.sleep(POLL_MILLISECONDS);
  }
  return undefined;
}
