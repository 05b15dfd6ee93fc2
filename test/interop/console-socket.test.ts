// A serial console over a web socket, with real ipmitool and ipmi_sim, and the command that attaches a terminal to it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { hashSync } from 'bcryptjs';
import { WebSocket } from 'ws';
import { readAuditFile } from '../../daemon/lib/files/audit-file.ts';
import { type ListenOptions, listen } from '../../daemon/listener/listen.ts';
import { authority, certificateFiles } from '../fakes/services/certificates.ts';
import { type InProcessDaemon, startInProcess } from '../fakes/daemon/in-process-daemon.ts';
import { enrolNode, startListening } from '../fakes/daemon/listening-daemon.ts';
import { serialMachine, serialSite, until } from '../fakes/machines/serial-site.ts';
import { skipWithout } from '../setup/packages.ts';

const COMMAND = join(import.meta.dirname, '../../daemon/cli/ironic-edge');
const TCP: ListenOptions = {
  section: 'api',
  address: { kind: 'tcp', host: '127.0.0.1', port: 0 },
  tls: null,
};

async function listening(t: TestContext, daemon: InProcessDaemon, options = TCP) {
  const listener = await listen(daemon.app.fetch, options, daemon.services);
  t.after(async () => {
    const closed = listener.close();
    listener.closeConnections();
    await closed;
  });
  return listener;
}

async function enabledSite(t: TestContext) {
  const site = await serialSite(t);
  const { url } = await listening(t, site.daemon);
  await site.enable(true);
  return { ...site, url, socket: `${url.replace('http', 'ws')}/v1/nodes/${site.uuid}/states/console/socket` };
}

async function attached(url: string) {
  const socket = new WebSocket(url);
  let text = '';
  socket.on('message', (bytes: Buffer, isBinary) => (text += isBinary ? bytes.toString('latin1') : ''));
  const closed = new Promise<string>((resolve) => {
    socket.on('close', (code, reason) => resolve(`${code} ${reason.toString()}`));
  });
  await once(socket, 'open');
  return { socket, text: () => text, closed };
}

/** The status and the body of a refused handshake. */
async function refusal(url: string, options: object = {}): Promise<readonly [number | undefined, string]> {
  const socket = new WebSocket(url, options);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    socket.once('unexpected-response', (_, answer) => resolve(answer));
    socket.once('open', () => reject(new Error(`expected a refusal, ${url} was opened`)));
  });
  let text = '';
  for await (const part of response) text += String(part);
  return [response.statusCode, text];
}

/** Runs the command on a terminal of its own, and then prints the settings of the terminal. */
function onTerminal(
  t: TestContext,
  environment: Readonly<Record<string, string>>,
  ...words: readonly string[]
) {
  const command = [COMMAND, 'node', 'console', ...words, '; stty -a'].join(' ');
  const child = spawn('socat', ['-t', '5', '-', `SYSTEM:"${command}",pty,setsid,ctty,stderr`], {
    env: { ...process.env, ...environment },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  t.after(() => void child.kill());
  let shown = '';
  child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()));
  return { shown: () => shown, type: (text: string) => child.stdin.write(text), ended: once(child, 'close') };
}

/** Runs the command without a terminal, with `input` as all of its input. */
async function piped(
  environment: Readonly<Record<string, string>>,
  input: string,
  ...words: readonly string[]
) {
  const child = spawn(COMMAND, ['node', 'console', ...words], { env: { ...process.env, ...environment } });
  let out = '';
  child.stdout.on('data', (bytes: Buffer) => (out += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (out += bytes.toString()));
  child.stdin.end(input);
  const [code] = (await once(child, 'close')) as [number];
  return { code, out };
}

describe('a serial console over a web socket', { skip: skipWithout('socat') }, () => {
  test('what a client types arrives at the machine, and what the machine shows arrives at every client', async (t) => {
    const { machine, daemon, uuid, socket } = await enabledSite(t);
    const typist = await attached(socket);
    const reader = await attached(`${socket}?read_only=true`);
    machine.show('\x1b[1mlogin:\x1b[0m ');
    await until(() => typist.text().endsWith('login:\x1b[0m ') && reader.text() === typist.text());
    typist.socket.send(Buffer.from('root\r'));
    typist.socket.send('text too\r');
    await until(() => machine.typed.join('') === 'root\rtext too\r');
    typist.socket.close();
    await typist.closed;

    daemon.services.timeline.flush();
    const events = daemon.services.db.machineEvents.ofNode(uuid, { since: 0, limit: 10 });
    assert.deepEqual(
      events.filter(({ hop }) => hop === 'console').map(({ text }) => text),
      [
        'its serial console is connected',
        '127.0.0.1 can type on its serial console',
        '127.0.0.1 has left its serial console',
      ],
    );
    const records = readAuditFile(join(daemon.stateDirectory, 'audit.log'));
    assert.deepEqual(
      records.filter(({ path }) => path.endsWith('/socket')).map(({ status, node }) => [status, node]),
      [
        [101, uuid],
        [101, uuid],
      ],
    );
  });

  test('a second typist is refused with the address of the first, and takes over with take_over=true', async (t) => {
    const { socket, machine } = await enabledSite(t);
    const first = await attached(socket);
    const [status, text] = await refusal(socket);
    assert.equal(status, 409);
    assert.match(text, /127\.0\.0\.1 can type on the serial console .*with take_over/);
    const second = await attached(`${socket}?take_over=true`);
    assert.equal(await first.closed, '1008 127.0.0.1 has taken over.');
    second.socket.send('x');
    await until(() => machine.typed.join('') === 'x');
  });

  test('when the console is disabled, the attached clients are told so, and new clients are refused', async (t) => {
    const { socket, enable, uuid } = await enabledSite(t);
    const [typist, reader] = [await attached(socket), await attached(`${socket}?read_only=true`)];
    await enable(false);
    const reason = '1001 The console was disabled.';
    assert.deepEqual([await typist.closed, await reader.closed], [reason, reason]);
    const [status, text] = await refusal(socket);
    assert.equal(status, 409);
    assert.match(text, new RegExp(`console of node ${uuid}: its console is disabled\\. Enable it`));
  });

  test('a handshake with another origin or host is refused, and so is a request that is no handshake', async (t) => {
    const { socket, url } = await enabledSite(t);
    for (const origin of ['http://evil.example', 'null'])
      assert.equal((await refusal(socket, { origin }))[0], 403, origin);
    const own = new WebSocket(socket, { origin: url });
    await once(own, 'open');
    own.close();
    assert.equal((await refusal(socket, { headers: { host: 'evil.example' } }))[0], 421);
    const plain = await fetch(socket.replace('ws', 'http'));
    assert.deepEqual([plain.status, plain.headers.get('upgrade')], [426, 'websocket']);
    assert.match(await plain.text(), /speaks the WebSocket protocol only/);
  });

  test('without a login there is no socket, and the command logs in', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'console-login-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const accounts = join(folder, 'htpasswd');
    writeFileSync(accounts, `ann:${hashSync('secret', 4)}\n`, { mode: 0o600 });
    const ini = `auth_strategy = http_basic\nhttp_basic_auth_user_file = ${accounts}\n`;
    const { url } = await listening(t, await startInProcess(t, { ini }));
    const socket = `${url.replace('http', 'ws')}/v1/nodes/rack1/states/console/socket`;
    assert.equal((await refusal(socket))[0], 401);
    assert.equal((await refusal(socket, { auth: 'ann:wrong' }))[0], 401);
    const login = { OS_ENDPOINT: url, OS_USERNAME: 'ann', OS_PASSWORD: 'secret' };
    const { code, out } = await piped(login, '', 'rack1');
    assert.equal(code, 3);
    assert.match(out, /was refused with 404: Node rack1 could not be found/);
  });

  test('a daemon that stops closes sockets with a reason, and does not wait for clients that do not answer', async (t) => {
    const { fields, machine } = await serialMachine(t);
    const environment = { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'ipmi' };
    const daemon = await startListening(t, { environment });
    const path = `/v1/nodes/${await enrolNode(daemon.url, fields)}/states/console`;
    const headers = { 'content-type': 'application/json' };
    await fetch(daemon.url + path, { method: 'PUT', headers, body: '{"enabled": true}' });
    const socket = `${daemon.url.replace('http', 'ws')}${path}/socket`;
    await until(() => daemon.services.consoles.lineOf(path.split('/')[3] ?? '') !== undefined);
    const polite = await attached(`${socket}?read_only=true`);
    const deaf = await attached(socket);
    deaf.socket.pause();
    machine.show('x');
    await until(() => polite.text() === 'x');
    // the time that a client is given to answer never elapses
    t.mock.timers.enable({ apis: ['setTimeout'] });
    await daemon.stop();
    t.mock.timers.reset();
    assert.equal(await polite.closed, '1001 The service is stopping.');
    assert.notEqual(deaf.socket.readyState, WebSocket.CLOSED);
    deaf.socket.terminate();
  });

  test('the command attaches a terminal over TCP, sends Ctrl-C and Ctrl-D to the machine, and obeys "~?" and "~."', async (t) => {
    const { url, uuid, machine } = await enabledSite(t);
    const terminal = onTerminal(t, { OS_ENDPOINT: url }, uuid);
    await until(() => terminal.shown().includes('"~." detaches'));
    machine.show('one\nlogin: ');
    await until(() => terminal.shown().includes('one\nlogin: '));
    terminal.type('root\r\x03\x04');
    await until(() => machine.typed.join('') === 'root\r\x03\x04');
    terminal.type('\r~?');
    await until(() => terminal.shown().includes('this help'));
    terminal.type('~.');
    await terminal.ended;
    assert.equal(machine.typed.join(''), 'root\r\x03\x04\r');
    assert.match(terminal.shown(), /\sopost\s[^]*\sicanon\s/);
  });

  test('the command attaches over TLS and over a socket file, and obeys --read-only and --take-over', async (t) => {
    const { daemon, uuid, machine } = await enabledSite(t);
    const { cert, key } = certificateFiles(t);
    const tls = { cert_file: cert, key_file: key, tls_minimum_version: '1.3' as const };
    const secure = await listening(t, daemon, { ...TCP, tls });
    writeFileSync(join(daemon.stateDirectory, 'ca.pem'), authority());
    const overTls = { OS_ENDPOINT: secure.url, OS_CACERT: join(daemon.stateDirectory, 'ca.pem') };
    const path = join(daemon.stateDirectory, 'api.sock');
    await listening(t, daemon, { ...TCP, address: { kind: 'unix', path } });
    const overFile = { OS_ENDPOINT: `unix:${path}` };

    const first = onTerminal(t, overTls, uuid);
    await until(() => first.shown().includes('detaches'));
    const reader = onTerminal(t, overFile, uuid, '--read-only');
    await until(() => reader.shown().includes('Ctrl-C detaches'));
    const refused = await piped(overFile, 'x', uuid);
    assert.equal(refused.code, 4);
    assert.match(refused.out, /refused with 409: Only 127\.0\.0\.1 can type/);
    const second = onTerminal(t, overFile, uuid, '--take-over');
    await first.ended;
    assert.match(first.shown(), /a program on this host has taken over\./);
    second.type('mine');
    machine.show('shown to all');
    await until(() => machine.typed.join('') === 'mine');
    await until(() => second.shown().includes('shown to all') && reader.shown().includes('shown to all'));
  });

  test('without a terminal the command sends its input, and with --log it prints the log', async (t) => {
    const { url, uuid, machine } = await enabledSite(t);
    machine.show('shown before\r\n');
    const { code } = await piped({ OS_ENDPOINT: url }, 'reboot ~.\r~.', uuid);
    assert.equal(code, 0);
    await until(() => machine.typed.join('') === 'reboot ~.\r~.');
    await until(async () => (await piped({ OS_ENDPOINT: url }, '', uuid, '--log')).out === 'shown before\n');
    const both = await piped({ OS_ENDPOINT: url }, '', uuid, '--log', '--read-only');
    assert.equal(both.code, 2);
    assert.match(both.out, /at most one of --log, --read-only and --take-over/);
  });
});
