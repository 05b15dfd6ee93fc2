import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';

const LAUNCHER = path.join(import.meta.dirname, '../../../daemon/cli/node');

/** The compile cache directory that these variables select, or an empty string if there is none. */
function cacheWith(environment: Readonly<Record<string, string>>): string {
  const print = "process.stdout.write(process.env.NODE_COMPILE_CACHE ?? '')";
  const { PATH = '' } = process.env;
  return execFileSync(LAUNCHER, ['-e', print], { encoding: 'utf8', env: { PATH, ...environment } });
}

test('the compile cache is in the systemd, XDG or home cache directory of the user', (context) => {
  const home = mkdtempSync(path.join(tmpdir(), 'home-'));
  context.after(() => rmSync(home, { recursive: true }));
  assert.equal(cacheWith({ HOME: home }), `${home}/.cache/ironic-edge`);
  assert.equal(cacheWith({ HOME: home, XDG_CACHE_HOME: `${home}/c` }), `${home}/c/ironic-edge`);
  assert.equal(cacheWith({ HOME: home, CACHE_DIRECTORY: `${home}/systemd` }), `${home}/systemd`);
  assert.equal(cacheWith({ HOME: home, NODE_COMPILE_CACHE: `${home}/own` }), `${home}/own`);
});

test('the compile cache is disabled without a home directory', () => {
  assert.equal(cacheWith({}), '');
  assert.equal(cacheWith({ HOME: '/proc/1/root/no-such-home' }), '');
});
