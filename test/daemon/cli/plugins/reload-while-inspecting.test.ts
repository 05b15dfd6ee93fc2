// A plugin is reloaded while its hook works on the report of a node.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';
import { runPlugin } from '../../../fakes/clients/plugin-cli.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

/** A plugin whose hook notes its version and process; the hook for the node `waits` ends once the plugin has a file `go`. */
const code = (version: string) => `import { existsSync } from 'node:fs';
import { defineHook, defineInspect } from '#plugin-api';

const go = import.meta.dirname + '/go';
const sleeper = new Int32Array(new SharedArrayBuffer(4));
const note = (draft, phase) => { draft.node.extra[phase] = '${version}'; draft.node.extra[phase + '_in'] = process.pid; };

export const slowInspect = defineInspect({
  properties: {},
  validate() {},
  inspectHardware: async () => ({ inventory: { interfaces: [{ name: 'e', mac_address: '52:54:00:00:00:01' }] }, pluginData: { seen_by: '${version}' } }),
});
export const slowHook = defineHook({
  preprocess: (draft) => note(draft, 'preprocess'),
  call(draft) {
    console.log('the hook of ${version} begins with ' + draft.node.name);
    if (draft.node.name === 'waits') while (!existsSync(go)) Atomics.wait(sleeper, 0, 0, 10);
    note(draft, 'call');
  },
});
`;
const manifest = (version: string) =>
  pluginManifest('slow', {
    version,
    entryPoints: {
      'ironic.hardware.interfaces.inspect': { slow: './slow.js:slowInspect' },
      'ironic.inspection.hooks': { slow: './slow.js:slowHook' },
    },
    hardwareTypes: { slow: { extends: 'fake-hardware', supported: { inspect: ['slow'] } } },
  });

interface Inspected {
  readonly preprocess: string;
  readonly call: string;
  readonly preprocess_in: number;
  readonly call_in: number;
}

test('a report whose hooks run during a reload is processed by the old code, and a later report by the new code', async (t) => {
  const directory = pluginFolder(t, {
    'slow/plugin.json': manifest('1.0.0'),
    'slow/slow.js': code('1.0.0'),
  });
  await using daemon = await DaemonProcess.start({
    IRONIC_PLUGINS__PATH: directory,
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'slow',
    IRONIC_INSPECTOR__HOOKS: 'slow',
  });
  const provision = (name: string, target: string) =>
    daemon.request('PUT', `/v1/nodes/${name}/states/provision`, { target });
  const inState = (name: string, state: string) =>
    daemon.nodeWhen(
      name,
      ({ provision_state, reservation }) => provision_state === state && reservation === null,
    );
  for (const name of ['waits', 'goes']) {
    assert.equal((await daemon.request('POST', '/v1/nodes', { driver: 'slow', name })).status, 201);
    await provision(name, 'manage');
    await inState(name, 'manageable');
  }
  assert.equal((await provision('waits', 'inspect')).status, 202);
  await daemon.logged(({ line }) => line === 'the hook of 1.0.0 begins with waits');

  writeFileSync(path.join(directory, 'slow/slow.js'), code('2.0.0'));
  writeFileSync(path.join(directory, 'slow/plugin.json'), JSON.stringify(manifest('2.0.0')));
  const reloaded = await runPlugin(directory, ['reload', 'slow'], {
    OS_ENDPOINT: daemon.url,
    IRONIC_PLUGINS__PATH: directory,
  });
  assert.deepEqual([reloaded.exit, reloaded.stderr], [0, '']);
  assert.equal((await provision('goes', 'inspect')).status, 202);
  const after = (await inState('goes', 'manageable')).extra as unknown as Inspected;
  assert.equal((await daemon.node('waits')).provision_state, 'inspecting');
  writeFileSync(path.join(directory, 'slow/go'), '');
  const { extra, last_error } = await inState('waits', 'manageable');
  const before = extra as unknown as Inspected;

  assert.equal(last_error, null);
  assert.deepEqual([before.preprocess, before.call], ['1.0.0', '1.0.0']);
  assert.deepEqual([after.preprocess, after.call], ['2.0.0', '2.0.0']);
  assert.equal(before.preprocess_in, before.call_in);
  assert.notEqual(before.call_in, after.call_in);
  for (const [name, version] of [
    ['waits', '1.0.0'],
    ['goes', '2.0.0'],
  ] as const) {
    const { body } = await daemon.request<{ plugin_data: object }>('GET', `/v1/nodes/${name}/inventory`);
    assert.deepEqual(body.plugin_data, { seen_by: version });
  }
});
