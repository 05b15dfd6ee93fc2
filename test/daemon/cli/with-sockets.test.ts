import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
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
  'sockets are opened before the interface or the address is there',
  { skip: skipWithout('iproute2') },
  async (t) => {
    const lab = await NetworkSpace.start();
    t.after(() => lab[Symbol.asyncDispose]());
    const words = ['dhcp-br0', 'proxydhcp-br0', 'dhcp-br1', 'tftp=10.99.0.77:69', 'boot-http=10.99.0.77:80'];
    const sockets = lab.run(LAUNCHER, ...words, '--', 'ss', '-lunt', '-H');
    assert.equal(sockets.match(/ 0\.0\.0\.0:67 /g)?.length, 2);
    for (const place of [/ 0\.0\.0\.0:4011 /, / 10\.99\.0\.77:69 /, / 10\.99\.0\.77:80 /])
      assert.match(sockets, place);
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
      const log = { warn: (fields) => console.log(fields.reason) };
      advertiserOn('server', { environment: process.env, log, subnet: undefined });
      const send = () => {
        try {
          console.log(process.env.LISTEN_FDNAMES, writeSync(3, new Uint8Array(16).fill(134, 0, 1)));
        } catch {
          setTimeout(send, 20);
        }
      };
      send();`;
    const words = ['ra-server', '--', process.execPath, '--input-type=module', '-e', script];
    assert.equal(lab.run(LAUNCHER, ...words).trim(), 'ra-server 16');
  },
);

test('wrong arguments print the usage, and a socket that cannot be opened or a missing program is named', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.after(() => taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  assert.match(run('tftp=127.0.0.1:0', '--').stderr, /^usage: with-sockets dhcp-IFACE/);
  assert.match(run('--', 'true').stderr, /^usage:/);
  assert.match(run('tftp', '--', 'true').stderr, /^usage:/);
  const unopened = {
    'api=999.0.0.1:80': /^with-sockets: api=999\.0\.0\.1:80: 999\.0\.0\.1 is not an IP address/,
    [`api=127.0.0.1:${port}`]: /^with-sockets: api=127\.0\.0\.1:\d+: Address already in use/,
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
