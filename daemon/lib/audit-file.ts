// The audit trail: who changed what through the API, one JSON object a line, in a file whose size is bounded.
import { appendFileSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/** A request that was meant to change something. */
export interface AuditRecord {
  /** ISO 8601. */
  readonly time: string;
  readonly request_id: string;
  readonly user: string | null;
  /** The address that it came from; null for a socket in the file system. */
  readonly client: string | null;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly status: number;
  readonly node?: string;
  readonly node_name?: string;
  /** The state that was asked for: `power off`, `active`. */
  readonly target?: string;
  /** What a PATCH names, without values. */
  readonly fields?: readonly string[];
  /** UUID of the new record. */
  readonly created?: string;
}

export interface AuditFile {
  /** When it returns, the record outlives the process; nothing but a power cut within seconds loses it. */
  append(record: AuditRecord): void;
}

const MEBIBYTE = 1_048_576;
const previous = (path: string) => `${path}.1`;

/** The file takes `mebibytes`, then becomes the previous one; 0: nothing is recorded. Throws when it cannot be written. */
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

/** Oldest first. A line that a power cut left incomplete is skipped. */
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
