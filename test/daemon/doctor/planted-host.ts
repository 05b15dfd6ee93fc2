// A host for the doctor, on which tests plant faults.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { backupCommand } from '../../../daemon/cli/host/backup-command.ts';
import { doctorCommand } from '../../../daemon/cli/host/doctor-command.ts';
import { createDatabase, type Database } from '../../../daemon/db/database.ts';
import { probes } from '../../../daemon/doctor/examine.ts';
import { initialNode, type Node } from '../../../daemon/model/records/node.ts';
import { fastDirectory } from '../../fakes/daemon/in-process-daemon.ts';
import { runCommand } from '../../fakes/clients/run-command.ts';

export interface Found {
  readonly probe: string;
  readonly severity: string;
  readonly saw: string;
  readonly means: string;
  readonly fix: string;
}

export interface Host {
  readonly directory: string;
  readonly configFile: string;
  configure(text: string): void;
  /** Writes to the database of the host as a daemon does. */
  store(write: (db: Database) => void): void;
  /** Makes a backup and resolves to its file. */
  backUp(): Promise<string>;
  examine(...only: readonly string[]): Promise<readonly Found[]>;
}

/** Probes that `examine` runs only when they are named, because their findings depend on the host that runs the tests. */
const OF_THE_MACHINE = new Set(['clock', 'memory', 'state-disk', 'programs', 'limits', 'state-directory']);
/** The other probes. */
export const steadyProbes = probes.map(({ id }) => id).filter((id) => !OF_THE_MACHINE.has(id));

export function newHost(t: TestContext): Host {
  const directory = mkdtempSync(join(fastDirectory(), 'doctor-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const configFile = join(directory, 'ironic.conf');
  const configure = (text: string) => {
    const anyPort = text.includes('[api]\nport =') ? '' : '[api]\nport = 0\n';
    const lines = `${anyPort}[DEFAULT]\nstate_path = ${directory}\nmy_ip = 192.0.2.1\n${text}`;
    writeFileSync(configFile, lines, { mode: 0o640 });
  };
  configure('');
  return {
    directory,
    configFile,
    configure,
    store(write) {
      const db = createDatabase(join(directory, 'ironic-edge.sqlite'));
      write(db);
      db.close();
    },
    async backUp() {
      const { out } = await runCommand((context) =>
        backupCommand(['create', '--config-file', configFile], context),
      );
      return out.split(' ', 1)[0] ?? '';
    },
    async examine(...only) {
      const chosen = (only.length === 0 ? steadyProbes : only).join(',');
      const args = ['--json', '--only', chosen, '--config-file', configFile];
      const { code, out } = await runCommand((context) => doctorCommand(args, context));
      const found = JSON.parse(out) as readonly Found[];
      assert.equal(code, found.length === 0 ? 0 : 1);
      return found;
    },
  };
}

export const nodeWith = (given: Partial<Node>): Node =>
  initialNode({
    uuid: randomUUID(),
    driver: 'fake-hardware',
    ...given,
  });
export const onlyFinding = (found: readonly Found[], saw: RegExp, fix: RegExp) => {
  assert.equal(found.length, 1, JSON.stringify(found));
  assert.match(found[0]?.saw ?? '', saw);
  assert.match(found[0]?.fix ?? '', fix);
};
