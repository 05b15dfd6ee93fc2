import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { PluginProcesses } from '../../../../daemon/plugin-host/isolation/plugin-processes.ts';
import type { Plugin } from '../../../../daemon/plugin-host/manifests/manifest.ts';
import type { PowerInterface } from '#plugin-api';
import { rehearsalTask } from '#plugin-api/rehearsal';
import { silentLog } from '../../../../daemon/lib/logger.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

const code = `export const power = { getPowerState: async () => 'power on' };`;

test('the process of a replaced plugin ends when it is unused, and a late operation of the old code starts it again', async (t) => {
  const clock = fakeClock();
  const folder = path.join(pluginFolder(t, { 'acme/power.js': code }), 'acme');
  const url = pathToFileURL(path.join(folder, 'power.js')).href;
  const plugin: Plugin = { folder, isInTree: false, manifest: pluginManifest('acme') };
  const processes = new PluginProcesses({ configuration: {}, memoryMebibytes: 128, clock, log: silentLog });
  t.after(() => processes.close());
  const former = processes.of(plugin);
  const power = (await former.load(url, 'power')) as PowerInterface;
  const ask = () => power.getPowerState(rehearsalTask());

  const renewal = processes.renewed('acme');
  assert.notEqual(await renewal.processes.of(plugin).load(url, 'power'), undefined);
  assert.equal(processes.of(plugin), former, 'nothing has changed before the commit');
  renewal.commit();
  assert.notEqual(processes.of(plugin), former);

  assert.equal(await ask(), 'power on');
  await clock.advance(300_000);
  assert.equal(await ask(), 'power on');
  await clock.advance(300_000);
  assert.equal(former.health.isRunning, true, 'it was used in between');
  await clock.advance(480_000);
  assert.equal(former.health.isRunning, false);
  assert.equal(await ask(), 'power on');
  assert.deepEqual(former.health, { isRunning: true, ends: 0, reason: undefined });
  await clock.advance(720_000);
  assert.equal(former.health.isRunning, false);
  assert.equal(processes.health.get('acme')?.isRunning, true);
});
