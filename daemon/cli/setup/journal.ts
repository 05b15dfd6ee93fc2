// The journal of setup: a file that gets a line before each change begins, and one when it is done. With it a run that was killed
// can be repeated, and everything can be undone.
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import path from 'node:path';
import { isJsonObject } from '../../model/json.ts';
import type { Undo } from './change.ts';

/** What an operator has answered, by the names of the options. */
export type GivenAnswers = Readonly<Record<string, string>>;

type Entry =
  | { readonly event: 'answers'; readonly answers: GivenAnswers }
  | { readonly event: 'begins'; readonly id: string; readonly undo: Undo }
  | { readonly event: 'done'; readonly id: string }
  | { readonly event: 'undone'; readonly id: string };

export class SetupJournal {
  readonly #file: string;
  readonly #undos = new Map<string, Undo[]>();
  readonly #done = new Set<string>();
  #answers: GivenAnswers = {};

  /** The first entry creates the file, which the daemon cannot change: what is in it is done as root. */
  constructor(file: string) {
    this.#file = file;
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    // a killed run may have left half a line, whose change had not begun
    for (const line of text.split('\n')) for (const entry of entryIn(line)) this.#take(entry);
    if (text !== '' && !text.endsWith('\n')) appendFileSync(file, '\n');
  }

  /** The answers of the last run. */
  get answers(): GivenAnswers {
    return this.#answers;
  }

  /** The changes that have begun, in the order in which they did. */
  get begun(): readonly string[] {
    return [...this.#undos.keys()];
  }

  /** What undoes a change, in the order in which it was begun again and again. */
  undosOf(id: string): readonly Undo[] {
    return this.#undos.get(id) ?? [];
  }

  isDone(id: string): boolean {
    return this.#done.has(id);
  }

  answered(answers: GivenAnswers): void {
    if (JSON.stringify(answers) !== JSON.stringify(this.#answers))
      this.#append({ event: 'answers', answers });
  }

  begins(id: string, undo: Undo): void {
    this.#append({ event: 'begins', id, undo });
  }

  ends(id: string, event: 'done' | 'undone'): void {
    this.#append({ event, id });
  }

  /** Everything is undone. */
  remove(): void {
    rmSync(this.#file, { force: true });
  }

  #take(entry: Entry): void {
    if (entry.event === 'answers') this.#answers = entry.answers;
    else if (entry.event === 'done') this.#done.add(entry.id);
    else {
      this.#done.delete(entry.id);
      if (entry.event === 'undone') this.#undos.delete(entry.id);
      else this.#undos.set(entry.id, [...this.undosOf(entry.id), entry.undo]);
    }
  }

  #append(entry: Entry): void {
    mkdirSync(path.dirname(this.#file), { recursive: true });
    const descriptor = openSync(this.#file, 'a', 0o600);
    try {
      appendFileSync(descriptor, `${JSON.stringify(entry)}\n`);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    this.#take(entry);
  }
}

function entryIn(line: string): readonly Entry[] {
  try {
    const entry: unknown = JSON.parse(line);
    return isJsonObject(entry) ? [entry as unknown as Entry] : [];
  } catch {
    return [];
  }
}
