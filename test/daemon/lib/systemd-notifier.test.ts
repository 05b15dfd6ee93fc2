import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { systemdNotifier } from '../../../daemon/lib/systemd-notifier.ts';
import { fakeClock } from '../../fakes/clock.ts';

test('the service manager gets READY, then WATCHDOG twice in each watchdog interval, and STOPPING at the end', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'notify-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'told');
  const descriptor = openSync(file, 'a');
  t.after(() => closeSync(descriptor));
  const clock = fakeClock();
  const notifier = systemdNotifier({ NOTIFY_FD: String(descriptor), WATCHDOG_USEC: '10000000' }, clock);
  const told = () => readFileSync(file, 'utf8').split('\n').slice(0, -1);
  notifier.ready();
  assert.deepEqual(told(), ['READY=1', 'WATCHDOG=1']);
  await clock.advance(4999);
  assert.equal(told().length, 2);
  await clock.advance(1);
  assert.deepEqual(told().slice(2), ['WATCHDOG=1']);
  notifier.stopping();
  assert.equal(told().at(-1), 'STOPPING=1');
});

const LAUNCHER = path.join(import.meta.dirname, '../../../daemon/cli/with-notify');

test('the launcher connects to the socket of the service manager, whether its name is abstract or a path', () => {
  for (const name of ['@ironic-edge-notify-test', path.join(tmpdir(), `notify-${process.pid}`)]) {
    const script = `
      use Socket; my $name = my $shown = shift; $name =~ s/^\\@/\\0/;
      socket(my $s, AF_UNIX, SOCK_DGRAM, 0) or die "$!";
      bind($s, sockaddr_un($name)) or die "$!";
      $ENV{NOTIFY_SOCKET} = $shown;
      system(@ARGV); recv($s, my $text, 99, 0); print $text; unlink $name unless $shown =~ /^\\@/;`;
    const tell = 'test -z "$NOTIFY_SOCKET" && echo READY=1 >&$NOTIFY_FD';
    const { stdout, stderr } = spawnSync('perl', ['-e', script, name, LAUNCHER, 'sh', '-c', tell], {
      encoding: 'utf8',
      timeout: 300_000,
    });
    assert.equal(stdout, 'READY=1\n', stderr);
  }
});
