import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startDaemon } from '../../../../daemon/main.ts';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';
import { fastDirectory } from '../../../fakes/daemon/in-process-daemon.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

test('a daemon that receives the stop signal immediately after its start stops cleanly', async () => {
  await using daemon = await DaemonProcess.start();
  await daemon.stop();
  assert.equal(daemon.log.at(-1)?.['msg'], 'stopped');
});

const manifest = (name: string, version: string) =>
  pluginManifest(name, { version, entryPoints: { 'ironic.inspection.hooks': { [name]: './hook.ts:hook' } } });

test('SIGHUP loads plugins again, names one that cannot be loaded, and does not end the daemon', async (t) => {
  const hook = `import { defineHook } from '#plugin-api';
export const hook = defineHook({ call() {} });
`;
  const directory = pluginFolder(t, {
    'good/plugin.json': manifest('good', '1.0.0'),
    'good/hook.ts': hook,
    'bad/plugin.json': manifest('bad', '1.0.0'),
    'bad/hook.ts': hook,
  });
  await using daemon = await DaemonProcess.start({
    IRONIC_PLUGINS__PATH: directory,
    IRONIC_INSPECTOR__HOOKS: '$default_hooks,good,bad',
  });
  writeFileSync(path.join(directory, 'good/plugin.json'), JSON.stringify(manifest('good', '1.1.0')));
  writeFileSync(path.join(directory, 'bad/hook.ts'), 'export const hook = {');
  daemon.signal('SIGHUP');
  const told = await daemon.logged(({ msg }) => msg === 'plugin not reloaded');
  assert.equal(told['plugin'], 'bad');
  assert.match(String(told['reason']), /hook\.ts:1/);
  const { plugin, version } = await daemon.logged(({ msg }) => msg === 'plugin reloaded');
  assert.deepEqual([plugin, version], ['good', '1.1.0']);
  await daemon.logged(({ msg }) => String(msg).startsWith('reloaded;'));
  renameSync(directory, `${directory}.away`);
  daemon.signal('SIGHUP');
  const { folder } = await daemon.logged(({ msg }) => msg === 'plugin set aside');
  assert.equal(folder, directory);
  renameSync(`${directory}.away`, directory);
  assert.equal((await daemon.request('GET', '/v1/nodes')).status, 200);
  await daemon.stop();
});

test('a start that fails after the API has begun to listen closes the listener', async (t) => {
  const statePath = mkdtempSync(path.join(fastDirectory(), 'failed-start-'));
  t.after(() => rmSync(statePath, { recursive: true, force: true }));
  let url = '';
  const starting = startDaemon({
    configFile: undefined,
    environment: { IRONIC_DEFAULT__STATE_PATH: statePath, IRONIC_API__PORT: '0' },
    logDestination: {
      write(line) {
        const entry = JSON.parse(line) as { readonly msg?: string; readonly url?: string };
        if (entry.msg !== 'ready') return;
        url = entry.url ?? '';
        throw new Error('the log is full');
      },
    },
  });
  await assert.rejects(starting, /the log is full/);
  assert.match(url, /^http/);
  await assert.rejects(fetch(url), /fetch failed/);
});
