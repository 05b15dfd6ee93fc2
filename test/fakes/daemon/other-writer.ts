// Another writer of the daemon's database: from `begin` to `end` it holds the write lock, and the daemon can only read.
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Ending, InProcessDaemon } from './in-process-daemon.ts';

export interface OtherWriter {
  begin(): void;
  end(): void;
}

export function otherWriter(test: Ending, { stateDirectory }: InProcessDaemon): OtherWriter {
  const connection = new Database(join(stateDirectory, 'ironic-edge.sqlite'));
  test.after(async () => void connection.close());
  return {
    begin: () => void connection.exec('BEGIN IMMEDIATE'),
    end: () => void connection.exec('ROLLBACK'),
  };
}
