// The journal of a move: a file that gets a line before each step begins, and a line after the step has ended. With it, a run that
// was killed can be continued, and a move that is not finished can be undone.
import { appendFileSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { isJsonObject } from '../../../model/json.ts';
import type { Maintenance } from './machine.ts';
import type { MoveStep } from './plan-move.ts';

interface Entry {
  readonly machine: string;
  readonly step: MoveStep | 'undone';
  readonly event: 'begins' | 'done';
  readonly time: string;
  /** The node's maintenance before the move. If several entries of a machine have this field, the first entry counts. */
  readonly before?: Maintenance;
}

/** How far the move of a machine has come. */
interface Progress {
  readonly begun: ReadonlySet<MoveStep>;
  readonly done: ReadonlySet<MoveStep>;
  readonly before: Maintenance | undefined;
}

const nothing: Progress = { begun: new Set(), done: new Set(), before: undefined };

/** Returns how far each machine is after these entries. */
function progressAfter(entries: readonly Entry[]): Map<string, Progress> {
  const progress = new Map<string, Progress>();
  for (const entry of entries) {
    const known = progress.get(entry.machine) ?? nothing;
    if (entry.step === 'undone') progress.delete(entry.machine);
    else progress.set(entry.machine, advanced(known, entry.step, entry));
  }
  return progress;
}

const advanced = ({ begun, done, before }: Progress, step: MoveStep, entry: Entry): Progress => ({
  begun: new Set([...begun, step]),
  done: entry.event === 'done' ? new Set([...done, step]) : done,
  before: before ?? entry.before,
});

export class Journal {
  readonly file: string;
  readonly #now: () => number;
  readonly #progress: Map<string, Progress>;

  /** The first entry creates the file, which only its owner can read. */
  constructor(file: string, now: () => number) {
    this.file = file;
    this.#now = now;
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    // a killed run may have left half a line: the step of that line had not begun, or is repeated without harm
    if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
    this.#progress = progressAfter(text.split('\n').flatMap(entryIn));
  }

  of(machine: string): Progress {
    return this.#progress.get(machine) ?? nothing;
  }

  begins(machine: string, step: MoveStep, before?: Maintenance): void {
    this.#append({ machine, step, event: 'begins', ...(before && { before }) });
  }

  ends(machine: string, step: MoveStep | 'undone'): void {
    this.#append({ machine, step, event: 'done' });
  }

  #append(given: Omit<Entry, 'time'>): void {
    const entry: Entry = { ...given, time: new Date(this.#now()).toISOString() };
    mkdirSync(path.dirname(this.file), { recursive: true, mode: 0o700 });
    const descriptor = openSync(this.file, 'a', 0o600);
    try {
      appendFileSync(descriptor, `${JSON.stringify(entry)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    const { machine, step } = entry;
    if (step === 'undone') this.#progress.delete(machine);
    else this.#progress.set(machine, advanced(this.of(machine), step, entry));
  }
}

function entryIn(line: string): readonly Entry[] {
  try {
    const entry: unknown = JSON.parse(line);
    return isJsonObject(entry) && typeof entry['machine'] === 'string' ? [entry as unknown as Entry] : [];
  } catch {
    return [];
  }
}
