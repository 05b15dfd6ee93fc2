// Does the changes of a plan, one after another, and undoes those of all runs.
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import type { HostChange, Progress, Undo } from './change.ts';
import { type Host, must } from './host/host.ts';
import type { SetupJournal } from './journal.ts';
import { takeAway } from './plan/additions.ts';
import { closeFirewall } from './plan/firewall.ts';
import { removePackages } from './plan/packages.ts';
import { stopUnits } from './plan/units.ts';

/** Rejects when a change fails, and between two changes when `signal` aborts; the same run again goes on from there. */
export async function apply(
  changes: readonly HostChange[],
  journal: SetupJournal,
  progress: Progress,
  signal: AbortSignal,
): Promise<void> {
  // what a killed run had begun and is not in the plan any more was done
  for (const id of journal.begun)
    if (!journal.isDone(id) && changes.every((change) => change.id !== id)) journal.ends(id, 'done');
  for (const change of changes) {
    progress.say(`${change.says} ...`);
    const undo = await change.prepare();
    journal.begins(change.id, undo);
    try {
      await change.apply(undo);
    } catch (error) {
      if (signal.aborted) throw interrupted(error);
      throw error;
    }
    journal.ends(change.id, 'done');
    if (signal.aborted) throw interrupted();
  }
}

const interrupted = (cause?: unknown): CommandFailure =>
  Object.assign(
    new CommandFailure(
      'Interrupted. The same command goes on from here; "ironic-edge setup --undo" takes back what was done.',
      exitCodes.interrupted,
    ),
    { cause },
  );

/** Takes back the changes of all runs, the last one first. */
export async function undoAll(host: Host, journal: SetupJournal, progress: Progress): Promise<void> {
  const ids = journal.begun.toReversed();
  const undos = ids.flatMap((id) => journal.undosOf(id));
  const startAgain = await stopUnits(host, undos);
  for (const id of ids) {
    if (id === 'units') continue;
    for (const sentence of await undoChange(host, journal, id)) progress.say(sentence);
    journal.ends(id, 'undone');
    progress.say(`taken back: ${id}`);
  }
  await startAgain();
  journal.remove();
}

async function undoChange(host: Host, journal: SetupJournal, id: string): Promise<readonly string[]> {
  const undos = journal.undosOf(id).toReversed();
  const additions = undos.flatMap((undo) => (undo.kind === 'addition' ? [undo] : []));
  const isTaken = additions.map((addition) => takeAway(host, addition));
  const [latest] = additions;
  if (latest?.reload !== undefined) await must(host, latest.reload);
  const isLeft = latest !== undefined && journal.isDone(id) && !isTaken.includes(true);
  const said = [];
  for (const undo of undos) said.push(await undoOther(host, undo));
  return [
    ...(isLeft ? [`${latest.path} was changed since setup wrote it; what setup added stays there`] : []),
    ...said.filter((sentence) => sentence !== undefined),
  ];
}

async function undoOther(host: Host, undo: Undo): Promise<string | undefined> {
  switch (undo.kind) {
    case 'files':
      for (const file of undo.paths) rmSync(host.root + file, { force: true });
      return undefined;
    case 'folders':
      return removeFolders(host.root + undo.path, undo.before);
    case 'packages':
      return removePackages(host, undo);
    case 'firewall':
      await closeFirewall(host, undo);
      return undefined;
    default:
      return undefined;
  }
}

function removeFolders(place: string, before: readonly string[]): undefined {
  if (!existsSync(place)) return;
  for (const name of readdirSync(place).filter((each) => !before.includes(each)))
    rmSync(path.join(place, name), { recursive: true });
  if (before.length === 0) rmdirSync(place);
}
