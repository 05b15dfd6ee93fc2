import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DaemonProcess } from '../../fakes/daemon-process.ts';
import { pluginFolder, pluginManifest } from '../../fakes/plugin-folder.ts';

const plugin = {
  'blocking/plugin.json': pluginManifest('blocking', {
    entryPoints: { 'ironic.hardware.interfaces.power': { blocking: './power.js:power' } },
    hardwareTypes: { blocking: { extends: 'fake-hardware', supported: { power: ['blocking', '...'] } } },
  }),
  // the plugin acts after an await, when no frame of the daemon is on the stack
  'blocking/power.js': `
    import { execFileSync } from 'node:child_process';
    import { definePower } from '#plugin-api';
    const spin = (until) => { while (Date.now() < until); };
    export const power = definePower({
      properties: {},
      supportedTargets: ['power on', 'power off', 'rebooting'],
      supportsPowerSync: false,
      validate() {},
      async getPowerState() { return null; },
      async setPowerState(task, target) {
        await new Promise((resolve) => setImmediate(resolve));
        if (target === 'power on') spin(Date.now() + 4000);
        else if (target === 'power off') execFileSync('sleep', ['4']);
        else spin(Infinity);
      },
    });`,
};

type Blocked = Readonly<Record<'milliseconds', number>> & {
  readonly activity: Readonly<Record<string, string>>;
  readonly stack: readonly string[];
};

async function startBlocking(
  context: { after(end: () => void): void },
  environment: Readonly<Record<string, string>> = {},
) {
  const daemon = await DaemonProcess.start({
    IRONIC_PLUGINS__PATH: pluginFolder(context, plugin),
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'blocking,fake-hardware',
    // longer than a busy test machine keeps a process waiting
    IRONIC_WATCHDOG__WARNING_MILLISECONDS: '2000',
    ...environment,
  });
  const { body } = await daemon.request('POST', '/v1/nodes', { driver: 'blocking' });
  const uuid = String(body['uuid']);
  return { daemon, uuid, path: `/v1/nodes/${uuid}/states/power` };
}

const isBlocked = (line: Readonly<Record<string, unknown>>) => line['msg'] === 'the event loop was blocked';

for (const [what, target, place] of [
  ['computes', 'power on', /^spin \(.*blocking\/power\.js:\d+:\d+\)$/],
  ['waits for a program', 'power off', /execFileSync|spawnSync|setPowerState/],
] as const) {
  test(`a plugin that ${what} and blocks the event loop is named in a warning`, async (context) => {
    const { daemon, uuid, path } = await startBlocking(context);
    await using _ = daemon;
    assert.equal((await daemon.request('PUT', path, { target })).status, 202);
    const { activity, stack, milliseconds } = (await daemon.logged(isBlocked)) as unknown as Blocked;
    assert.match(activity['request_id'] ?? '', /^req-/);
    assert.deepEqual(
      { ...activity, request_id: '' },
      {
        request: `PUT ${path}`,
        request_id: '',
        node: uuid,
        plugin: 'blocking',
        interface: 'power blocking',
        operation: 'setPowerState',
      },
    );
    assert.ok(
      stack.some((frame) => place.test(frame)),
      stack.join('\n'),
    );
    assert.ok(milliseconds > 2000, String(milliseconds));
  });
}

test('a plugin that blocks the event loop for too long ends the daemon and is reported', async (context) => {
  const { daemon, uuid, path } = await startBlocking(context, { IRONIC_WATCHDOG__TIMEOUT: '3' });
  await using _ = daemon;
  await daemon.request('PUT', path, { target: 'rebooting' });
  const { signal, output } = await daemon.ended();
  assert.equal(signal, 'SIGKILL');
  assert.match(output, /event loop has been blocked for 3 s \(\[watchdog\] timeout\)/);
  for (const part of ['"plugin":"blocking"', '"interface":"power blocking"', '"operation":"setPowerState"'])
    assert.ok(output.includes(part), output);
  assert.ok(output.includes(`"node":"${uuid}"`), output);
  assert.match(output, /at spin|spin \(.*power\.js/);
});

test('a daemon that was paused with SIGSTOP is not reported as blocked', async (context) => {
  const { daemon } = await startBlocking(context, { IRONIC_WATCHDOG__TIMEOUT: '5' });
  await using _ = daemon;
  for (const milliseconds of [8000, 3000]) {
    daemon.signal('SIGSTOP');
    await new Promise((resolve) => setTimeout(resolve, milliseconds));
    daemon.signal('SIGCONT');
    assert.equal((await daemon.request('GET', '/v1/nodes')).status, 200);
    await new Promise((resolve) => setTimeout(resolve, 1500));
  }
  assert.equal((await daemon.request('GET', '/v1/nodes')).status, 200);
  assert.deepEqual(daemon.log.filter(isBlocked), []);
  await daemon.stop();
});

test('a daemon with a disabled watchdog stops cleanly', async () => {
  await using daemon = await DaemonProcess.start({
    IRONIC_WATCHDOG__TIMEOUT: '0',
    IRONIC_WATCHDOG__WARNING_MILLISECONDS: '0',
  });
  await daemon.stop();
});
