import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { NetworkSpace } from '../../fakes/boot/network-space.ts';
import { skipWithout } from '../../setup/packages.ts';

const LAUNCHER = join(import.meta.dirname, '../../../daemon/cli/with-sockets');
const SHOW = [
  'sh',
  '-c',
  'echo $LISTEN_FDS $LISTEN_FDNAMES $(test $LISTEN_PID = $$ && echo same) $(ls /proc/self/fd | wc -l)',
];

const run = (...words: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(LAUNCHER, words, { encoding: 'utf8' });
  return { status, stdout: stdout.trim(), stderr };
};

test('the command gets the sockets from descriptor 3 on, in the order given, with their names', () => {
  const without = Number(
    spawnSync(SHOW[0] ?? '', SHOW.slice(1), { encoding: 'utf8' })
      .stdout.trim()
      .split(' ')
      .at(-1),
  );
  const { status, stdout } = run('tftp=127.0.0.1:0', 'api=127.0.0.1:0', '--', ...SHOW);
  assert.equal(status, 0);
  assert.equal(stdout, `2 tftp:api same ${without + 2}`);
});

test(
  'DHCP sockets are bound to the port and the network interface',
  { skip: skipWithout('iproute2') },
  async (t) => {
    const lab = await NetworkSpace.start();
    t.after(() => lab[Symbol.asyncDispose]());
    const sockets = lab.run(LAUNCHER, 'dhcp-server', 'proxydhcp-server', '--', 'ss', '-lunH');
    assert.match(sockets, /0\.0\.0\.0%server:67 /);
    assert.match(sockets, /0\.0\.0\.0%server:4011 /);
  },
);

test(
  'router advertisements are sent through the socket of ra-IFACE, which is connected to all hosts on the interface',
  { skip: skipWithout('iproute2') },
  async (t) => {
    const lab = await NetworkSpace.start();
    t.after(() => lab[Symbol.asyncDispose]());
    const script = `
      import { writeSync } from 'node:fs';
      import { advertiserOn } from '${new URL('../../../daemon/boot/router-advertisements.ts', import.meta.url).pathname}';
      const log = { debug: (fields) => console.log(String(fields.error)) };
      advertiserOn('server', process.env, log)();
      console.log(process.env.LISTEN_FDNAMES, writeSync(3, new Uint8Array(16).fill(134, 0, 1)));`;
    const words = ['ra-server', '--', process.execPath, '--input-type=module', '-e', script];
    assert.equal(lab.run(LAUNCHER, ...words).trim(), 'ra-server 16');
  },
);

test('wrong arguments print the usage, and a socket that cannot be opened or a missing program is named', () => {
  assert.match(run('tftp=127.0.0.1:0', '--').stderr, /^usage: with-sockets dhcp-IFACE/);
  assert.match(run('--', 'true').stderr, /^usage:/);
  assert.match(run('tftp', '--', 'true').stderr, /^usage:/);
  const unopened = {
    'api=192.0.2.1:80': /^with-sockets: api=192\.0\.2\.1:80: /,
    'ra-nosuch': /^with-sockets: ra-nosuch: No such device/,
    'dhcp-nosuch': /^with-sockets: dhcp-nosuch: No such device/,
  };
  for (const [socket, reason] of Object.entries(unopened)) {
    const { stdout, stderr } = run(socket, '--', 'echo', 'ran');
    assert.match(stderr, reason);
    assert.equal(stdout, '', 'the command has run');
  }
  assert.match(
    run('tftp=127.0.0.1:0', '--', '/no/such/program').stderr,
    /with-sockets: \/no\/such\/program: No such file/,
  );
});
