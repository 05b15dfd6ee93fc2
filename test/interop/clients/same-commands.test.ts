// Checks that ironic-edge has a command for each command of the newest `baremetal` client.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { newestPython, skipWithoutNewestClient } from '../../setup/newest-client.ts';

const ROOT = path.join(import.meta.dirname, '../../..');

/** The names of all commands of the client, such as `node boot device set`. */
function commandsOfClient(): readonly string[] {
  const listing =
    'import importlib.metadata as m; print("\\n".join(e.name for e in m.entry_points(group="openstack.baremetal.v1")))';
  const names = execFileSync(newestPython, ['-c', listing], { encoding: 'utf8' }).trim().split('\n');
  return names.map((name) => name.replace(/^baremetal_/, '').replaceAll('_', ' '));
}

/** The client's commands that have another name in ironic-edge, each with that name, from a table of the manual. */
function documentedNames(): ReadonlyMap<string, string> {
  const page = readFileSync(path.join(ROOT, 'daemon/docs/operate.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  return new Map(
    rows.map((row) => {
      const [theirs = '', own = ''] = row
        .split('|')
        .slice(1)
        .map((cell) => cell.split('`')[1] ?? '');
      return [theirs.split(' --')[0] ?? '', own] as const;
    }),
  );
}

const KINDS = ['deploy template', 'inspection rule', 'port group', 'volume connector', 'volume target'];

/** The name that the client's command `name` should have in ironic-edge. */
function ours(name: string, documented: ReadonlyMap<string, string>): string {
  const kind = KINDS.find((each) => name.startsWith(each));
  if (kind !== undefined) return name.replace(kind, kind.replace(' ', '-'));
  // `add trait` and `remove trait` are the client's older names of `trait add` and `trait remove`
  return documented.get(name) ?? name.replace(/^node (add|remove) trait$/, 'node trait $1');
}

test(
  'ironic-edge has a command for every command of the newest client',
  {
    skip: skipWithoutNewestClient(),
  },
  (t) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'commands-'));
    t.after(() => rmSync(folder, { recursive: true }));
    execFileSync(path.join(ROOT, 'daemon/cli/ironic-edge'), ['manual', folder]);
    const pages = globSync(path.join(folder, 'man1/*')).map((file) => readFileSync(file, 'utf8'));
    const usages = new Set(
      pages
        .flatMap((text) => text.replaceAll('\\-', '-').split('\n'))
        .filter((line) => line.startsWith('ironic-edge '))
        .map((line) => line.slice('ironic-edge '.length)),
    );
    const documented = documentedNames();
    const names = commandsOfClient();
    assert.ok(names.length > 100 && names.includes('node deploy'));
    const missing = names.filter((name) => {
      const words = ours(name, documented);
      return ![...usages].some((usage) => usage === words || usage.startsWith(`${words} `));
    });
    assert.deepEqual(missing, []);
  },
);
