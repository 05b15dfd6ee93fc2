// Serial over LAN with real ipmitool, socat and ipmi_sim; the machine's serial line is a TCP server.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { restartConsoles } from '../../daemon/conductor/hardware/console.ts';
import { serialSite, until } from '../fakes/machines/serial-site.ts';
import { skipWithout } from '../setup/packages.ts';

/** Ends the socat processes that this process started for serial lines. */
async function endPrograms(): Promise<void> {
  const { stdout } = await promisify(execFile)('pgrep', ['-P', String(process.pid), '-x', 'socat']);
  for (const pid of stdout.trim().split('\n')) process.kill(Number(pid));
}

async function client(port: number) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1');
  });
  return { socket, text: () => text, closed: once(socket, 'close') };
}

describe('serial consoles', { skip: skipWithout('socat') }, () => {
  test('a client of the port sees and types on the console, and the log has what was shown', async (t) => {
    const { machine, daemon, uuid, enable, shown, log, port } = await serialSite(t);
    assert.deepEqual(await shown(), { console_enabled: false, console_info: null });
    await enable(true);
    const url = `tcp://127.0.0.1:${port}`;
    assert.deepEqual(await shown(), { console_enabled: true, console_info: { type: 'socat', url } });
    machine.show('before anyone looked\r\n');
    await until(async () => (await log()).includes('before anyone looked'));

    const operator = await client(port);
    machine.show('\x1b[1;31mlogin:\x1b[0m ');
    await until(() => operator.text().includes('login:'));
    operator.socket.write('root\r\x1c.\r~.');
    await until(() => machine.typed.join('') === 'root\r.\r~.');
    assert.equal(await log(), 'before anyone looked\nlogin: ');
    const [file = ''] = readdirSync(join(daemon.stateDirectory, 'consoles'));
    assert.equal(file, `${uuid}.log`);
    assert.equal(statSync(join(daemon.stateDirectory, 'consoles', file)).mode & 0o777, 0o600);

    await enable(false);
    await operator.closed;
    assert.deepEqual(await shown(), { console_enabled: false, console_info: null });
    assert.match(await log(), /login/);
  });

  test('while one client is connected, another is turned away; when the first has gone, the next sees the console', async (t) => {
    const { enable, machine, port } = await serialSite(t);
    await enable(true);
    const first = await client(port);
    const second = await client(port);
    await second.closed;
    first.socket.end();
    await first.closed;
    const third = await client(port);
    machine.show('welcome');
    await until(() => third.text() === 'welcome');
  });

  test('restartConsoles connects an enabled console again', async (t) => {
    const { daemon, enable, shown, machine, log, port } = await serialSite(t);
    await enable(true);
    daemon.services.consoles.closeAll('The service is stopping.');
    await restartConsoles(daemon.services);
    await daemon.idle();
    const url = `tcp://127.0.0.1:${port}`;
    assert.deepEqual(await shown(), { console_enabled: true, console_info: { type: 'socat', url } });
    machine.show('again');
    await until(async () => (await log()).includes('again'));
  });

  test('a connection that ends is made again', async (t) => {
    const { daemon, enable, machine, log } = await serialSite(t);
    await enable(true);
    await endPrograms();
    await until(() => daemon.log().includes('the serial console is not connected'));
    await daemon.clock.advance(1000);
    await until(async () => {
      machine.show('x');
      return (await log()).includes('x');
    });
  });

  test('a console that cannot be connected stays disabled, and last_error has the reason', async (t) => {
    const { daemon, uuid, sim, enable, shown } = await serialSite(t);
    await daemon.request('PATCH', `/v1/nodes/${uuid}`, {
      body: [{ op: 'replace', path: '/driver_info/ipmi_password', value: 'wrong' }],
    });
    await enable(true);
    assert.match(
      String(daemon.node(uuid).last_error),
      /Failed to enable the console: .*the password is wrong/,
    );
    assert.equal((await shown())['console_enabled'], false);
    assert.equal(sim.power(), 'off');
  });
});
