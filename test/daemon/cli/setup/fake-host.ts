// A host for `ironic-edge setup`: a folder in the place of its files, and programs whose answers a test scripts.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { Host } from '../../../../daemon/cli/setup/host/host.ts';
import { SetupJournal } from '../../../../daemon/cli/setup/journal.ts';
import { JOURNAL } from '../../../../daemon/cli/setup/paths.ts';

/** What a program writes when it succeeds, by the beginning of its command line. Other programs fail. */
export type Programs = Record<string, string>;

export interface FakeHost extends Host {
  /** The command lines of all programs that were run. */
  readonly ran: readonly string[];
  /** Changed by tests while the host is used. */
  readonly answers: Programs;
  write(file: string, text: string): void;
  /** As a run of setup opens it. */
  journal(): SetupJournal;
}

export function fakeHost(t: TestContext, given: Programs = {}): FakeHost {
  const answers = { ...given };
  const root = mkdtempSync(path.join(tmpdir(), 'setup-host-'));
  t.after(() => rmSync(root, { recursive: true, force: true }));
  const ran: string[] = [];
  return {
    root,
    ran,
    answers,
    async run(command) {
      const line = command.join(' ');
      ran.push(line);
      const found = Object.entries(answers).find(([start]) => line.startsWith(start));
      return found === undefined
        ? { status: 1, stdout: '', stderr: `${command[0]}: not scripted` }
        : { status: 0, stdout: found[1], stderr: '' };
    },
    write(file, text) {
      mkdirSync(path.dirname(root + file), { recursive: true });
      writeFileSync(root + file, text);
    },
    journal: () => new SetupJournal(root + JOURNAL),
  };
}
