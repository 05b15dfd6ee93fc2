import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { NetworkSpace } from '../../fakes/boot/network-space.ts';
import { skipWithout } from '../../setup/packages.ts';

const CLI = join(import.meta.dirname, '../../../daemon/cli');
/** Runs the commands as a user without any capability, with a socket of with-sockets as descriptor 3. */
const unprivileged = (commands: string) => [
  join(CLI, 'with-sockets'),
  'dhcp-server',
  '--',
  'setpriv',
  '--bounding-set=-all',
  '--inh-caps=-all',
  '--no-new-privs',
  'sh',
  '-ec',
  commands,
];
const BIND = `${join(CLI, 'bind-socket')} `;
const SHOW = '; ss -lunH sport = 67; ';

test(
  'a socket is bound to the interface without privileges, also when the interface is another device now',
  { skip: skipWithout('iproute2') },
  async (t) => {
    const lab = await NetworkSpace.start();
    t.after(() => lab[Symbol.asyncDispose]());
    lab.run('ip', 'link', 'add', 'office', 'type', 'bridge');
    const shown = lab.run(...unprivileged(`${BIND}server${SHOW}${BIND}server${SHOW}${BIND}office${SHOW}`));
    assert.deepEqual(shown.match(/0\.0\.0\.0\S*:67/g), [
      '0.0.0.0%server:67',
      '0.0.0.0%server:67',
      '0.0.0.0%office:67',
    ]);
  },
);

test(
  'a missing interface is named, and the socket keeps its port',
  { skip: skipWithout('iproute2') },
  async (t) => {
    const lab = await NetworkSpace.start();
    t.after(() => lab[Symbol.asyncDispose]());
    const shown = lab.run(...unprivileged(`${BIND}eth7 2>&1 || true${SHOW}`));
    assert.match(shown, /it cannot be bound to eth7: No such device\n.*0\.0\.0\.0:67/);
  },
);

test('without an interface, bind-socket prints its usage', () => {
  assert.match(
    spawnSync(join(CLI, 'bind-socket'), { encoding: 'utf8' }).stderr,
    /^usage: bind-socket INTERFACE/,
  );
});
