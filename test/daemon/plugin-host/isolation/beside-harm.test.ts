// A daemon beside plugins that harm their own processes: it serves other plugins and nodes, and can be stopped.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { DaemonProcess, type Environment } from '../../../fakes/daemon/daemon-process.ts';
import { keepHostBusy } from '../../../fakes/daemon/busy-host.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';
import { recklessNames, recklessPlugins } from './reckless-plugin.ts';

/** A daemon with this number of reckless plugins, a node for each of them, and a node `calm` of fake-hardware. */
async function daemonWith(
  t: TestContext,
  plugins: number,
  environment: Environment = {},
): Promise<DaemonProcess> {
  const names = recklessNames(plugins);
  const daemon = await DaemonProcess.start({
    IRONIC_PLUGINS__PATH: recklessPlugins(t, plugins),
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: ['fake-hardware', ...names].join(','),
    ...environment,
  });
  for (const name of names) await daemon.request('POST', '/v1/nodes', { driver: name, name });
  await daemon.request('POST', '/v1/nodes', { driver: 'fake-hardware', name: 'calm' });
  return daemon;
}

const hurt = (daemon: DaemonProcess, name: string, way: string) =>
  daemon.request<unknown>('POST', `/v1/nodes/${name}/vendor_passthru/hurt`, { way });

test('prototypes that a plugin changes are changed for itself only, not for the daemon or other plugins', async (t) => {
  await using daemon = await daemonWith(t, 2);
  const before = await daemon.node('calm');
  assert.deepEqual((await hurt(daemon, 'reckless-0', 'prototypes')).body, { polluted: 'no', maps: true });
  assert.equal((await hurt(daemon, 'reckless-0', 'pollute')).body, 'polluted');
  const polluted = await hurt(daemon, 'reckless-0', 'prototypes');
  assert.match(JSON.stringify(polluted.body), /polluted/);
  assert.doesNotMatch(JSON.stringify(polluted.body), /"polluted":"no"/);
  assert.deepEqual((await hurt(daemon, 'reckless-1', 'prototypes')).body, { polluted: 'no', maps: true });
  assert.deepEqual(await daemon.node('calm'), before);
  const patch = [{ op: 'add', path: '/extra/a', value: 1 }];
  const { status, body } = await daemon.request('PATCH', '/v1/nodes/calm', patch);
  assert.deepEqual([status, body['extra']], [200, { a: 1 }]);
  assert.equal(
    (await daemon.request('PUT', '/v1/nodes/calm/states/power', { target: 'power on' })).status,
    202,
  );
  await daemon.nodeWhen('calm', ({ power_state }) => power_state === 'power on');
  assert.equal((await daemon.request('GET', '/v1/nodes/none')).status, 404);
});

test('a daemon starts on a busy host, and does not blame its plugins', async (t) => {
  keepHostBusy(t);
  await using daemon = await daemonWith(t, 1);
  assert.equal((await hurt(daemon, 'reckless-0', 'nothing')).body, 'nothing');
  assert.deepEqual(
    daemon.log.filter(({ msg }) => msg === 'plugin set aside'),
    [],
  );
  await daemon.stop();
});

test('what a plugin writes to standard output becomes lines of the log that name the plugin', async (t) => {
  await using daemon = await daemonWith(t, 1);
  assert.equal((await hurt(daemon, 'reckless-0', 'print')).body, 'printed');
  const line = await daemon.logged((each) => JSON.stringify(each).includes('{\\"msg\\":\\"ready\\"}'));
  assert.equal(line['plugin'], 'reckless-0');
  assert.equal(daemon.log.filter(({ msg }) => msg === 'ready').length, 1);
});

test('SIGTERM stops the daemon cleanly while each of five plugins does a different kind of harm to its process', async (t) => {
  const ways = ['later', 'timers', 'unhandle', 'closeDescriptors', 'forks'];
  await using daemon = await daemonWith(t, ways.length);
  await Promise.all(ways.map((way, index) => hurt(daemon, `reckless-${index}`, way)));
  await daemon.stop();
});

test('a plugin that loops while nobody waits for it is noticed and ended', async (t) => {
  await using daemon = await daemonWith(t, 1);
  assert.equal((await hurt(daemon, 'reckless-0', 'later')).body, 'soon');
  const line = await daemon.logged(({ msg }) => msg === 'the process of a plugin has ended');
  assert.equal(line['plugin'], 'reckless-0');
  assert.match(String(line['reason']), /it has computed for \d+ s without a pause/);
});

test('a plugin blocked in a system call is ended although its operation has failed earlier, and its nodes are served again', async (t) => {
  await using daemon = await daemonWith(t, 1, { IRONIC_PLUGINS__OPERATION_TIMEOUT: '1' });
  const { status, body } = await hurt(daemon, 'reckless-0', 'block');
  assert.ok(status >= 500, JSON.stringify(body));
  assert.match(JSON.stringify(body), /it has not ended within 1 s \(\[plugins\] operation_timeout\)/);
  const line = await daemon.logged(({ msg }) => msg === 'the process of a plugin has ended');
  assert.equal(line['plugin'], 'reckless-0');
  assert.match(String(line['reason']), /it has blocked its process for \d+ s, as a system call that waits/);
  while ((await hurt(daemon, 'reckless-0', 'nothing')).status !== 200) await setTimeout(100);
});

/** The code of a power interface with the members `more`. Its timer must not keep the daemon from ending. */
const withTimer = (more: string) => `import { definePower } from '#plugin-api';
setInterval(() => {}, 1000);
export const acme = definePower({
  properties: {}, supportedTargets: [], supportsPowerSync: false, validate() {},
  async getPowerState() { return 'power on'; }, async setPowerState() {}, ${more}
});`;

/** Returns why a daemon sets aside a plugin whose power interface has the members `more`. */
async function refusal(t: TestContext, more: string): Promise<string> {
  const path = pluginFolder(t, {
    'acme/plugin.json': pluginManifest('acme', {
      entryPoints: { 'ironic.hardware.interfaces.power': { acme: './acme.js:acme' } },
      hardwareTypes: { acme: { extends: 'fake-hardware', supported: { power: ['acme'] } } },
    }),
    'acme/acme.js': withTimer(more),
  });
  await using daemon = await DaemonProcess.start({
    IRONIC_PLUGINS__PATH: path,
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'acme',
  });
  const { reason } = await daemon.logged(({ msg }) => msg === 'plugin set aside');
  await daemon.stop();
  return String(reason);
}

const periodic = (interval: string) =>
  `periodic: { look: { description: 'Looks.', interval: ${interval}, run: async () => {} } },`;

test('a daemon whose only enabled plugin is broken starts, says why, and stops', async (t) => {
  assert.match(
    await refusal(t, periodic('1e12')),
    /entry point acme .*acme of .*acme\.js has the periodic work look, which has an interval that is neither 0/,
  );
  assert.match(
    await refusal(t, `get periodic() { throw new Error('no period'); }`),
    /entry point acme .*it has a member that throws when it is read: no period/,
  );
  assert.match(
    await refusal(t, periodic(`{ section: 'api', option: 'host_ip' }`)),
    /\[api\] host_ip is "127\.0\.0\.1", but an interface names it as an interval/,
  );
});
