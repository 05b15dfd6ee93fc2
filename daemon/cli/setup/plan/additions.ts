// Texts that setup adds to files. What an operator wrote stays as it is.
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import type { Addition, Undo } from '../change.ts';
import { type Host, hostText } from '../host/host.ts';
import type { SetupJournal } from '../journal.ts';

/** The texts that earlier runs have added, the newest first. */
const addedBefore = (journal: SetupJournal, id: string): readonly Addition[] =>
  journal
    .undosOf(id)
    .flatMap((undo) => (undo.kind === 'addition' ? [undo] : []))
    .toReversed();

/** Returns the text of the file without what setup has added as the changes `ids`. A text that was edited since then is not setup's. */
export function withoutAdded(
  host: Host,
  journal: SetupJournal,
  file: string,
  ids: readonly string[],
): string {
  let text = hostText(host, file) ?? '';
  for (const id of ids.toReversed())
    for (const { path: at, text: added } of addedBefore(journal, id))
      if (at === file) text = text.replace(added, () => '');
  return text;
}

/** Describes the addition of `text` to the file; a text after a line without its end begins with one. */
export function additionTo(host: Host, file: string, text: string): Addition {
  const present = hostText(host, file);
  const gap = present === undefined || present === '' || present.endsWith('\n') ? '' : '\n';
  const isNewFolder = !existsSync(path.dirname(host.root + file));
  const isNew = { isNewFile: present === undefined, ...(isNewFolder && { isNewFolder }) };
  return { kind: 'addition', path: file, text: gap + text, ...isNew };
}

export interface FileMode {
  readonly mode: number;
  /** The group of a new file; not set: that of root. */
  readonly group?: number | undefined;
}

/** Adds the text, in the place of the text that an earlier run has added. */
export function add(
  host: Host,
  journal: SetupJournal,
  id: string,
  { undo, ...made }: { readonly undo: Undo } & FileMode,
): void {
  if (undo.kind !== 'addition') throw new Error(`${id} is no addition`);
  const before = hostText(host, undo.path) ?? '';
  if (before.includes(undo.text)) return;
  // an earlier run may have added to another file, such as that of another interface
  for (const other of addedBefore(journal, id)) if (other.path !== undo.path) takeAway(host, other);
  const earlier = addedBefore(journal, id).find(
    ({ path: at, text }) => at === undo.path && before.includes(text),
  );
  const after = earlier === undefined ? before + undo.text : before.replace(earlier.text, () => undo.text);
  replaceFile(host, undo.path, after, made);
}

/** Removes the text. Returns false when the file is there, but not the text as setup wrote it. */
export function takeAway(host: Host, undo: Addition): boolean {
  rmSync(asideOf(host.root + undo.path), { force: true });
  const before = hostText(host, undo.path);
  if (before === undefined) return true;
  if (!before.includes(undo.text)) return false;
  const after = before.replace(undo.text, () => '');
  if (after === '' && undo.isNewFile) removeFile(host.root + undo.path, undo);
  else replaceFile(host, undo.path, after, { mode: 0o644 });
  return true;
}

function removeFile(place: string, { isNewFolder = false }: Addition): void {
  rmSync(place);
  if (isNewFolder && readdirSync(path.dirname(place)).length === 0) rmdirSync(path.dirname(place));
}

/** Where a new text is written; only one setup runs, so that the next run replaces what a killed one has left there. */
const asideOf = (place: string): string => `${place}.setup`;

/** Replaces a file at once; a file that exists keeps its mode and its owner. */
function replaceFile(host: Host, file: string, text: string, { mode, group = 0 }: FileMode): void {
  const named = host.root + file;
  const place = existsSync(named) ? realpathSync(named) : named;
  const found = statSync(place, { throwIfNoEntry: false }) ?? { mode, uid: 0, gid: group };
  mkdirSync(path.dirname(place), { recursive: true });
  const aside = asideOf(place);
  try {
    writeFileSync(aside, text, { mode: 0o600, flush: true });
    if (process.getuid?.() === 0) chownSync(aside, found.uid, found.gid);
    chmodSync(aside, found.mode & 0o7777);
    renameSync(aside, place);
  } catch (error) {
    rmSync(aside, { force: true });
    throw error;
  }
}
