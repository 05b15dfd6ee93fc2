import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';

const BLOCKING = new URL('../../fakes/daemon/blocking-power.ts', import.meta.url).href;

type Blocked = Readonly<Record<'milliseconds', number>> & {
  readonly activity: Readonly<Record<string, string>>;
  readonly stack: readonly string[];
};

async function startBlocking(environment: Readonly<Record<string, string>> = {}) {
  const daemon = await DaemonProcess.start({
    NODE_OPTIONS: `--import=${BLOCKING}`,
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware',
    // longer than a busy test machine keeps a process waiting
    IRONIC_WATCHDOG__WARNING_MILLISECONDS: '2000',
    ...environment,
  });
  const { body } = await daemon.request('POST', '/v1/nodes', { driver: 'fake-hardware' });
  const uuid = String(body['uuid']);
  return { daemon, uuid, path: `/v1/nodes/${uuid}/states/power` };
}

const isBlocked = (line: Readonly<Record<string, unknown>>) => line['msg'] === 'the event loop was blocked';

for (const [what, target, place] of [
  ['computes', 'power on', /^spin \(.*fake\/power\.ts:\d+:\d+\)$/],
  ['waits for a program', 'power off', /execFileSync|spawnSync|setPowerState/],
] as const) {
  test(`a plugin that ${what} and blocks the event loop is named in a warning`, async () => {
    const { daemon, uuid, path } = await startBlocking();
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
        plugin: 'fake',
        interface: 'power fake',
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

test('a plugin that blocks the event loop for too long ends the daemon and is reported', async () => {
  const { daemon, uuid, path } = await startBlocking({ IRONIC_WATCHDOG__TIMEOUT: '3' });
  await using _ = daemon;
  await daemon.request('PUT', path, { target: 'rebooting' });
  const { signal, output } = await daemon.ended();
  assert.equal(signal, 'SIGKILL');
  assert.match(output, /event loop has been blocked for 3 s \(\[watchdog\] timeout\)/);
  for (const part of ['"plugin":"fake"', '"interface":"power fake"', '"operation":"setPowerState"'])
    assert.ok(output.includes(part), output);
  assert.ok(output.includes(`"node":"${uuid}"`), output);
  assert.match(output, /at spin|spin \(.*power\.ts/);
});

test('a daemon that was paused with SIGSTOP is not reported as blocked', async () => {
  const { daemon } = await startBlocking({ IRONIC_WATCHDOG__TIMEOUT: '5' });
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
