// Keeps what a machine shows on its serial console, in two files of bounded size: when the newer file is full, it replaces the
// older file, and a new file is begun.
import { appendFileSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export class ConsoleLog {
  readonly #path: string;
  readonly #fileBytes: number;
  #size: number;

  constructor(path: string, mostBytes: number) {
    this.#path = path;
    this.#fileBytes = Math.ceil(mostBytes / 2);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    this.#size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  }

  append(bytes: Buffer): void {
    if (this.#size >= this.#fileBytes) {
      renameSync(this.#path, olderThan(this.#path));
      this.#size = 0;
    }
    appendFileSync(this.#path, bytes, { mode: 0o600 });
    this.#size += bytes.length;
  }
}

/** Returns the kept output, oldest bytes first; empty if nothing is kept. */
export const readConsoleLog = (path: string): Buffer => Buffer.concat([olderThan(path), path].map(contentOf));

export function deleteConsoleLog(path: string): void {
  for (const file of [olderThan(path), path]) rmSync(file, { force: true });
}

const olderThan = (path: string) => `${path}.1`;

const contentOf = (path: string): Buffer =>
  statSync(path, { throwIfNoEntry: false }) === undefined ? Buffer.alloc(0) : readFileSync(path);
