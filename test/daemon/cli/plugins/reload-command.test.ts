// A plugin is reloaded while one of its operations is under way.
import assert from 'node:assert/strict';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';
import { runPlugin } from '../../../fakes/clients/plugin-cli.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

/**
 * A power interface that notes the plugin's version before and after each change of power. For the node `waits` the change
 * ends once the plugin's folder has a file `go`.
 */
const power = (version: string) => `import { existsSync, watch } from 'node:fs';
import { definePower } from '#plugin-api';

const go = import.meta.dirname + '/go';
const released = () => new Promise((resolve) => {
  const watcher = watch(import.meta.dirname, () => existsSync(go) && resolve(watcher.close()));
  if (existsSync(go)) resolve(watcher.close());
});
const states = {};

export const slowPower = definePower({
  properties: {},
  supportedTargets: ['power on', 'power off'],
  supportsPowerSync: false,
  validate() {},
  async getPowerState(task) { return states[task.node.uuid] ?? 'power off'; },
  async setPowerState(task, target) {
    await task.addNote('${version} begins ' + target);
    if (task.node.name === 'waits') await released();
    states[task.node.uuid] = target;
    await task.addNote('${version} ends ' + target);
  },
});
`;
const vendor = `import { defineVendor } from '#plugin-api';
export const slowVendor = defineVendor({
  properties: {},
  validate() {},
  driverMethods: { version: { httpMethods: ['GET'], description: 'x', runs: 'wait', call: async () => '2.0.0' } },
});
`;
const manifest = (version: string, entryPoints: object, vendors: readonly string[]) =>
  pluginManifest('slow', {
    version,
    entryPoints: { 'ironic.hardware.interfaces.power': { slow: './power.ts:slowPower' }, ...entryPoints },
    hardwareTypes: { slow: { extends: 'fake-hardware', supported: { power: ['slow'], vendor: vendors } } },
  });

test('a reload gives later operations the new code and lets running ones end; a reload that fails changes nothing', async (t) => {
  const directory = pluginFolder(t, {
    'slow/plugin.json': manifest('1.0.0', {}, ['fake']),
    'slow/power.ts': power('1.0.0'),
  });
  const inFolder = (name: string) => path.join(directory, 'slow', name);
  await using daemon = await DaemonProcess.start({
    IRONIC_PLUGINS__PATH: directory,
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'slow',
  });
  const environment = { OS_ENDPOINT: daemon.url, IRONIC_PLUGINS__PATH: directory };
  const run = (line: string) => runPlugin(directory, line.split(' '), environment);
  const notes = async (name: string) => {
    const { body } = await daemon.request<{ history: readonly { event: string }[] }>(
      'GET',
      `/v1/nodes/${name}/history?detail=true`,
    );
    return body.history.map(({ event }) => event).toSorted();
  };
  const powerOn = (name: string) =>
    daemon.request('PUT', `/v1/nodes/${name}/states/power`, { target: 'power on' });
  for (const name of ['waits', 'goes'])
    assert.equal((await daemon.request('POST', '/v1/nodes', { driver: 'slow', name })).status, 201);
  assert.equal((await powerOn('waits')).status, 202);
  await daemon.nodeWhen('waits', ({ reservation }) => reservation !== null);

  writeFileSync(inFolder('power.ts'), 'export const slowPower = {');
  const broken = await run('reload slow');
  assert.equal(broken.exit, 4);
  assert.match(broken.stderr, /409: The plugin slow was not reloaded: .*power\.ts:1:/);
  writeFileSync(inFolder('power.ts'), power('2.0.0'));
  writeFileSync(inFolder('vendor.ts'), vendor);
  const entryPoints = { 'ironic.hardware.interfaces.vendor': { slow: './vendor.ts:slowVendor' } };
  const configuration = { slow: { type: 'object', properties: { more: { type: 'string', default: 'x' } } } };
  const second = manifest('2.0.0', entryPoints, ['slow', 'fake']);
  writeFileSync(inFolder('plugin.json'), JSON.stringify({ ...second, configuration }));
  assert.match(
    (await run('reload slow')).stderr,
    /its options have changed, and the daemon reads options at its start/,
  );
  assert.match((await run('reload ipmi')).stderr, /it runs in the process of the daemon/);
  assert.match((await run('reload absent')).stderr, /404: There is no plugin absent in the directories of/);
  writeFileSync(inFolder('plugin.json'), JSON.stringify(second));
  const reloaded = await run('reload slow');
  assert.deepEqual([reloaded.exit, reloaded.stderr], [0, '']);
  assert.match(
    reloaded.stdout,
    /^slow 2\.0\.0 is loaded, in place of 1\.0\.0; operations under way finish with the old code\./,
  );

  // the new code serves another node while the old code is still at work
  assert.equal((await powerOn('goes')).status, 202);
  await daemon.nodeWhen(
    'goes',
    ({ power_state, reservation }) => power_state === 'power on' && reservation === null,
  );
  assert.deepEqual(await notes('goes'), ['2.0.0 begins power on', '2.0.0 ends power on']);
  assert.deepEqual(await notes('waits'), ['1.0.0 begins power on']);
  writeFileSync(inFolder('go'), '');
  await daemon.nodeWhen(
    'waits',
    ({ power_state, reservation }) => power_state === 'power on' && reservation === null,
  );
  assert.deepEqual(await notes('waits'), ['1.0.0 begins power on', '1.0.0 ends power on']);

  // an interface that the new version brings
  const { body } = await daemon.request('GET', '/v1/drivers/slow');
  assert.deepEqual(body['enabled_vendor_interfaces'], ['slow', 'fake']);
  assert.equal(
    (await daemon.request<string>('GET', '/v1/drivers/slow/vendor_passthru/version')).body,
    '2.0.0',
  );
  assert.match((await run('list')).stdout, /in the running daemon:\n {2}slow 2\.0\.0: process running\n/);
  renameSync(inFolder('plugin.json'), inFolder('gone.json'));
  assert.match((await run('reload slow')).stderr, /404: There is no plugin slow/);
  rmSync(inFolder('go'));
});

test('the list of plugins says that the running daemon cannot be asked', async (t) => {
  const directory = pluginFolder(t, {
    'slow/plugin.json': manifest('1.0.0', {}, ['fake']),
    'slow/power.ts': power('1.0.0'),
  });
  const { stdout } = await runPlugin(directory, ['list'], {
    IRONIC_PLUGINS__PATH: directory,
    OS_ENDPOINT: 'http://127.0.0.1:9',
  });
  assert.match(stdout, /in the running daemon: not known \(Cannot reach the API at http:\/\/127\.0\.0\.1:9/);
});
