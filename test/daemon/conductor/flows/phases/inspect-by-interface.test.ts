import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startInProcess } from '../../../../fakes/daemon/in-process-daemon.ts';
import { pluginFolder, pluginManifest } from '../../../../fakes/plugin-folder.ts';

const code = `import { defineInspect } from '#plugin-api';
const inspect = (more) => defineInspect({
  properties: {}, validate() {},
  ...more,
  async inspectHardware(task) {
    if (task.node.extra.bad) return { inventory: [] };
    return {
      inventory: {
        cpu: { architecture: 'x86_64', count: 8 },
        memory: { physical_mb: 4096 },
        interfaces: [{ name: 'nic1', mac_address: '52:54:00:00:00:07', has_carrier: true }],
      },
      pluginData: { source: 'the BMC' },
    };
  },
});
export const own = inspect({ hooks: { section: 'bmcinspect', option: 'hooks' } });
export const common = inspect({});
`;

const files = (hooks: readonly string[]) => ({
  'bmcinspect/plugin.json': pluginManifest('bmcinspect', {
    entryPoints: {
      'ironic.hardware.interfaces.inspect': { own: './inspect.js:own', common: './inspect.js:common' },
    },
    hardwareTypes: { inspectable: { extends: 'fake-hardware', supported: { inspect: ['own', 'common'] } } },
    configuration: {
      bmcinspect: {
        type: 'object',
        properties: { hooks: { type: 'array', items: { type: 'string' }, default: hooks } },
      },
    },
  }),
  'bmcinspect/inspect.js': code,
});

const start = (t: TestContext, hooks: readonly string[] = ['architecture']) =>
  startInProcess(t, {
    ini: `enabled_hardware_types = inspectable\n[plugins]\npath = ${pluginFolder(t, files(hooks))}\n`,
  });

type Daemon = Awaited<ReturnType<typeof start>>;

async function inspected(daemon: Daemon, inspect_interface: string, extra: object = {}) {
  const { uuid } = await daemon.createNode({ driver: 'inspectable', inspect_interface, extra });
  const { driver_internal_info: info } = daemon.node(uuid);
  daemon.services.db.nodes.update(uuid, {
    provision_state: 'manageable',
    driver_internal_info: { ...info, kexec_failure: 'its instance asked for no address within 300 s' },
  });
  const path = `/v1/nodes/${uuid}/states/provision`;
  assert.equal((await daemon.request('PUT', path, { body: { target: 'inspect' } })).status, 202);
  await daemon.idle();
  return daemon.node(uuid);
}

test('only an inspection that succeeds lets the next deployment try kexec again', async (t) => {
  const daemon = await start(t);
  const good = await inspected(daemon, 'own');
  assert.equal(good.provision_state, 'manageable');
  assert.equal(good.driver_internal_info.kexec_failure, undefined);
  const bad = await inspected(daemon, 'own', { bad: true });
  assert.equal(bad.provision_state, 'inspect failed');
  assert.match(bad.driver_internal_info.kexec_failure ?? '', /asked for no address/);
});

test('a report from an inspect interface goes through the hooks listed in the option that the interface names', async (t) => {
  const daemon = await start(t);
  const node = await inspected(daemon, 'own');
  assert.deepEqual([node.provision_state, node.last_error], ['manageable', null]);
  assert.deepEqual(node.properties, { cpu_arch: 'x86_64' });
  assert.deepEqual(daemon.services.db.ports.ofNode(node.uuid), []);
  const { body } = await daemon.request('GET', `/v1/nodes/${node.uuid}/inventory`);
  assert.equal((body['plugin_data'] as Record<string, unknown>)['source'], 'the BMC');
});

test('a report from an inspect interface that names no option goes through the hooks listed in [inspector] hooks', async (t) => {
  const daemon = await start(t);
  const node = await inspected(daemon, 'common');
  assert.deepEqual([node.provision_state, node.last_error], ['manageable', null]);
  assert.deepEqual(
    daemon.services.db.ports.ofNode(node.uuid).map(({ address }) => address),
    ['52:54:00:00:00:07'],
  );
});

test('a result that is not a report fails the inspection', async (t) => {
  const daemon = await start(t);
  const node = await inspected(daemon, 'own', { bad: true });
  assert.equal(node.provision_state, 'inspect failed');
  assert.match(node.last_error ?? '', /it returned an object with inventory; expected "manageable"/);
});

test('the daemon does not start if an option lists a hook that does not exist, and the error names the option', async (t) => {
  await assert.rejects(start(t, ['archtecture']), /\[bmcinspect\] hooks: no plugin provides archtecture/);
});
