// Takes a free server from OneView by applying a server profile to it, and gives it back.
import { Fault, reasonOf, type Task } from '#plugin-api';
import { textOf } from '../appliance/answer.ts';
import { appliedProfile, intentOf, markTaken, recordProfile } from '../server/node-fields.ts';
import { inUse, ownerOf } from '../server/server-hardware.ts';
import { createProfile, removeLeftover } from './create-profile.ts';
import { removeProfile } from './remove-profile.ts';
import { settledServer } from './settled-server.ts';

/**
 * Gives the server a profile of this name, or keeps the profile that the driver has applied already. If a OneView user has the
 * server, marks the node. Throws OneviewServerInUse, OneviewProfileFailed or the faults of `ask`.
 */
export async function allocateServer(task: Task, name: string): Promise<void> {
  try {
    await applyProfile(task, name);
    await markTaken(task, false);
  } catch (error) {
    if (isInUse(error)) await markTaken(task, true);
    throw error;
  }
}

const isInUse = (error: unknown) => error instanceof Fault && error.code === 'OneviewServerInUse';

async function applyProfile(task: Task, name: string): Promise<void> {
  const server = await settledServer(task);
  const owner = await ownerOf(task, server);
  if (owner.kind === 'oneview') throw inUse(task.node, owner.profile);
  if (owner.kind === 'ironic') {
    if (!owner.isRecorded) await recordProfile(task, owner.profile);
    if (textOf(server, 'state') !== 'ProfileError') return;
    await deallocate(task);
  }
  if (owner.kind === 'free' && owner.isStale) {
    task.log.warn(
      { profile: appliedProfile(task.node) },
      'the server no longer has the profile that the driver applied',
    );
    await recordProfile(task, undefined);
  }
  await forgetLeftover(task);
  // OneView applies profiles only to servers that are off
  await task.setPower('power off');
  const profile = await createProfile(task, name);
  await recordProfile(task, profile);
  task.log.info({ profile, name }, 'the server has a profile of the daemon');
}

/** Deletes a profile whose creation was interrupted by a crash. */
async function forgetLeftover(task: Task): Promise<void> {
  const intent = intentOf(task.node);
  if (intent === undefined) return;
  await removeLeftover(task, intent.name);
  await recordProfile(task, undefined);
}

/** The server is free anyway. If the leftover cannot be removed, the next allocation of the server removes it. */
async function tryToForgetLeftover(task: Task): Promise<void> {
  try {
    await forgetLeftover(task);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    task.log.warn(
      { reason: reasonOf(error) },
      'the server profile of an interrupted creation was not removed',
    );
  }
}

/**
 * Powers the server off and removes the profile that the driver has applied. Leaves the server alone if a OneView user has it. If
 * the server is free, only removes what an interrupted creation left, and the record of a profile that is gone.
 */
export async function deallocate(task: Task): Promise<void> {
  const server = await settledServer(task);
  const owner = await ownerOf(task, server);
  if (owner.kind === 'ironic') {
    if (!owner.isRecorded) await recordProfile(task, owner.profile);
    await task.setPower('power off');
    await removeProfile(task, owner.profile);
    task.log.info({ profile: owner.profile }, 'the server is free for OneView');
    return recordProfile(task, undefined);
  }
  task.log.warn({ owner }, 'the server has no profile of the daemon');
  if (owner.kind === 'free') await tryToForgetLeftover(task);
  if (owner.kind === 'free' && owner.isStale) await recordProfile(task, undefined);
}
