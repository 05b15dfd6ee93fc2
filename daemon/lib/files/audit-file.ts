// The audit file: who changed what through the API, one JSON object per line, limited in size.
import {
  appendFileSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** A request that could change something. */
export interface AuditRecord {
  /** ISO 8601. */
  readonly time: string;
  readonly request_id: string;
  readonly user: string | null;
  /** Missing in records of earlier releases. */
  readonly role?: string;
  /** The client's address; null for a Unix socket. */
  readonly client: string | null;
  readonly method: string;
  /** The path of the request, without the query string. */
  readonly path: string;
  readonly status: number;
  readonly node?: string;
  readonly node_name?: string;
  /** The requested state: `power off`, `active`. */
  readonly target?: string;
  /** The fields that a PATCH names, without values. */
  readonly fields?: readonly string[];
  /** The UUID of the new record. */
  readonly created?: string;
}

export interface AuditFile {
  /** When `append` has returned, the record survives a crash of the daemon; only a power cut soon after can lose it. */
  append(record: AuditRecord): void;
}

const MEBIBYTE = 1_048_576;
const previous = (path: string) => `${path}.1`;

/** Rotates the file when it exceeds `mebibytes`; if that is 0, nothing is recorded. Throws when the file cannot be written. */
export function openAuditFile(path: string, mebibytes: number): AuditFile {
  if (mebibytes === 0) return { append: () => undefined };
  const write = (text: string) => appendFileSync(path, text, { mode: 0o600 });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  write('');
  return {
    append(record) {
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (size > mebibytes * MEBIBYTE) renameSync(path, previous(path));
      write(`${JSON.stringify(record)}\n`);
    },
  };
}

const NEWEST_BYTES = MEBIBYTE;

/**
 * Returns the records in the last mebibyte of the rotated file and the current one together, oldest first. Reading is synchronous,
 * so reading more would delay other work.
 */
export function readNewestAudit(path: string): readonly AuditRecord[] {
  const newest = tailOf(path, NEWEST_BYTES);
  return [tailOf(previous(path), NEWEST_BYTES - newest.length), newest].flatMap((text) =>
    text.toString('utf8').split('\n').flatMap(recordIn),
  );
}

function tailOf(path: string, bytes: number): Buffer {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const tail = Buffer.alloc(Math.min(size, bytes));
  if (tail.length === 0) return tail;
  const file = openSync(path, 'r');
  try {
    return tail.subarray(0, readSync(file, tail, 0, tail.length, size - tail.length));
  } finally {
    closeSync(file);
  }
}

/** Returns the records of the rotated file and of the current one, oldest first. Skips lines that a power cut left incomplete. */
export function readAuditFile(path: string): readonly AuditRecord[] {
  return [previous(path), path].flatMap(linesOf).flatMap(recordIn);
}

function linesOf(path: string): readonly string[] {
  return statSync(path, { throwIfNoEntry: false }) === undefined
    ? []
    : readFileSync(path, 'utf8').split('\n');
}

function recordIn(line: string): AuditRecord[] {
  try {
    return [JSON.parse(line) as AuditRecord];
  } catch {
    return [];
  }
}
