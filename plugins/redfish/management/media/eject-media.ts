// Empties a virtual media slot.
import type { Bmc } from '../../bmc/bmc.ts';
import { refusalOf } from '../../bmc/redfish-client.ts';
import { mountTarget } from '../iso-configuration.ts';
import { isInserted, mediaAction, readSlot, type Slot } from './media-slots.ts';

/** Throws like `Bmc.post`, but ignores a refusal with status 400, 409, or 500 and above if the slot is empty afterwards. */
export async function eject(bmc: Bmc, slot: Slot): Promise<void> {
  const isEmpty = async () => !isInserted((await readSlot(bmc, slot)).resource);
  try {
    await bmc.insist(() => send(bmc, slot), isEmpty);
  } catch (error) {
    const status = refusalOf(error)?.status ?? 0;
    const mayBeGone = status === 400 || status === 409 || status >= 500;
    if (!mayBeGone || !(await isEmpty())) throw error;
  }
}

async function send(bmc: Bmc, slot: Slot): Promise<void> {
  const unmount = mountTarget(slot.resource, 'UnMount');
  if (unmount !== undefined) return void (await bmc.post(unmount, {}));
  const action = mediaAction(slot, 'EjectMedia');
  if (action === undefined) {
    await bmc.patch(slot.path, { Image: null, Inserted: false });
    return;
  }
  if (bmc.learnt.facts.get('ejecting needs a body') === true) return void (await bmc.post(action, {}));
  try {
    await bmc.post(action);
  } catch (error) {
    if (![400, 415].includes(refusalOf(error)?.status ?? 0)) throw error;
    await bmc.post(action, {});
    bmc.learnt.facts.set('ejecting needs a body', true);
  }
}
