// Why a plugin's process has ended, where the daemon sees the closed connection before it sees the end.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Clock, systemClock } from '../../../../daemon/lib/clock.ts';
import { PluginProcesses } from '../../../../daemon/plugin-host/isolation/plugin-processes.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

/** Gives a process no time to end after it has closed its connection. */
const hasty: Clock = {
  ...systemClock,
  after(time, action) {
    if (time > 500) return systemClock.after(time, action);
    action();
    return () => {};
  },
};
const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };

test('a process that crashes gives its signal as the reason, also when the daemon ends it for its closed connection', async (t) => {
  const code = 'process.abort();';
  const folder = path.join(pluginFolder(t, { 'acme/acme.js': code }), 'acme');
  const processes = new PluginProcesses({
    configuration: {},
    memoryMebibytes: 128,
    clock: hasty,
    log: quiet,
  });
  t.after(() => processes.close());
  const acme = processes.of({ folder, isInTree: false, manifest: pluginManifest('acme') });
  await assert.rejects(
    acme.load(pathToFileURL(path.join(folder, 'acme.js')).href, 'power'),
    /its process crashed with SIGABRT/,
  );
});
