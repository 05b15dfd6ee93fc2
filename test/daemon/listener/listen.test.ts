import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import type { TLSSocket } from 'node:tls';
import type { Config } from '../../../daemon/config/sections/core-sections.ts';
import { systemClock } from '../../../daemon/lib/clock.ts';
import { type Listener, listen } from '../../../daemon/listener/listen.ts';
import { apiListener } from '../../../daemon/listener/listeners.ts';
import { authority, type CertificateFiles, certificateFiles } from '../../fakes/services/certificates.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import { fakeLogger, type LogLine } from '../../fakes/task.ts';
import { steadyLinks } from '../../fakes/daemon/steady-links.ts';

const plain = {
  host_ip: '127.0.0.1',
  port: 0,
  unix_socket: null,
  enable_ssl_api: false,
  cert_file: null,
  key_file: null,
  tls_minimum_version: '1.3',
} as Config['api'];

const asked = (options: Partial<Config['api']>) => apiListener({ api: { ...plain, ...options } }, undefined);

const originOf = (request: Request) => new Response(new URL(request.url).origin);

async function start(
  context: TestContext,
  options: Partial<Config['api']>,
): Promise<Listener & { readonly logged: readonly LogLine[] }> {
  const logged: LogLine[] = [];
  const listener = await listen(originOf, asked(options), {
    log: fakeLogger(logged),
    clock: systemClock,
    links: steadyLinks,
  });
  context.after(async () => {
    const closed = listener.close();
    listener.closeConnections();
    await closed;
  });
  return { ...listener, logged };
}

const withTls = (files: CertificateFiles) => ({
  enable_ssl_api: true,
  cert_file: files.cert,
  key_file: files.key,
});

/** The certificate subject, the TLS version and the response text. */
function ask(
  url: string,
  options: RequestOptions = {},
): Promise<{ subject: string; version: string; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, { ca: authority(), agent: false, ...options }, (response) => {
      const socket = response.socket as TLSSocket;
      const subject = String(socket.getPeerCertificate().subject.CN);
      const version = String(socket.getProtocol());
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => resolve({ subject, version, text }));
    });
    request.on('error', reject);
    request.end();
  });
}

test('the listener without TLS reports its URL for IPv4 and IPv6', async (context) => {
  const { url } = await start(context, {});
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.equal(await (await fetch(url)).text(), url);
  const six = await start(context, { host_ip: '::1' });
  assert.match(six.url, /^http:\/\/\[::1\]:\d+$/);
  assert.equal(await (await fetch(six.url)).text(), six.url);
});

test('an occupied port is reported with the options that set it and the process that listens there', async (context) => {
  const { url } = await start(context, {});
  const port = Number(new URL(url).port);
  await assert.rejects(
    start(context, { port }),
    new RegExp(
      `Cannot listen on 127\\.0\\.0\\.1 port ${port} \\(\\[api\\] host_ip, port\\): process ${process.pid} \\(".*"\\) listens there; stop it, or set \\[api\\] port to a free port\\.$`,
    ),
  );
});

test('an address of another host is reported with what to set', async (context) => {
  await assert.rejects(
    start(context, { host_ip: '192.0.2.1' }),
    /EADDRNOTAVAIL.*; set \[api\] host_ip to an address of this host, and port to one that this user may use\.$/,
  );
});

test('a TLS client that trusts the authority gets an answer; any other refuses the certificate', async (context) => {
  const { url, logged } = await start(context, withTls(certificateFiles(context)));
  assert.match(url, /^https:\/\/127\.0\.0\.1:\d+$/);
  assert.deepEqual(await ask(url), { subject: 'first', version: 'TLSv1.3', text: url });
  await assert.rejects(ask(url, { ca: [] }), /certificate/);
  assert.equal(logged[0]?.message, 'certificate read');
});

test('TLS 1.2 is accepted only if tls_minimum_version allows it', async (context) => {
  const files = certificateFiles(context);
  const old = { maxVersion: 'TLSv1.2' } as const;
  const strict = await start(context, withTls(files));
  await assert.rejects(ask(strict.url, old), /protocol version|ECONNRESET/i);
  const lenient = await start(context, { ...withTls(files), tls_minimum_version: '1.2' });
  assert.equal((await ask(lenient.url, old)).version, 'TLSv1.2');
  assert.equal((await ask(lenient.url)).version, 'TLSv1.3');
  await assert.rejects(ask(lenient.url, { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }));
});

test('a missing or mismatched TLS file or a world-readable key prevents the start', async (context) => {
  const files = certificateFiles(context);
  const other = certificateFiles(context);
  other.install('second');
  await assert.rejects(
    start(context, { ...withTls(files), cert_file: null }),
    /\[api\] cert_file is not set/,
  );
  await assert.rejects(start(context, { ...withTls(files), key_file: null }), /\[api\] key_file is not set/);
  await assert.rejects(
    start(context, { ...withTls(files), key_file: other.key }),
    /cert\.pem and the key .*key\.pem \(\[api\] cert_file, key_file\) cannot be used: .*key values mismatch/,
  );
  await assert.rejects(
    start(context, { ...withTls(files), key_file: '/nonexistent' }),
    /ENOENT.*nonexistent/,
  );
  const { key } = files;
  execFileSync('chmod', ['644', key]);
  await assert.rejects(start(context, withTls(files)), /every user of this host/);
});

test('new connections get a new certificate, and existing connections stay open', async (context) => {
  const files = certificateFiles(context);
  const { url } = await start(context, withTls(files));
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority() });
  context.after(() => agent.destroy());
  assert.equal((await ask(url, { agent })).subject, 'first');
  files.install('second');
  assert.equal((await ask(url)).subject, 'second');
  assert.deepEqual(Object.values(agent.freeSockets).flat().length, 1);
  assert.equal((await ask(url, { agent })).text, url);
});

test('a broken certificate is logged once, and the previous one stays in use', async (context) => {
  const files = certificateFiles(context);
  const { url, logged } = await start(context, withTls(files));
  writeFileSync(files.cert, 'not a certificate');
  assert.deepEqual([(await ask(url)).subject, (await ask(url)).subject], ['first', 'first']);
  const errors = logged.filter(({ level }) => level === 'error');
  assert.deepEqual(
    errors.map(({ message }) => message),
    ['cannot use the certificate; the previous one stays in use'],
  );
  files.install('second');
  assert.equal((await ask(url)).subject, 'second');
});

test('certificates can be replaced under load without a failed request', async (context) => {
  const files = certificateFiles(context);
  const { url, logged } = await start(context, withTls(files));
  const agents = [1, 2, 3, 4].map(() => new Agent({ keepAlive: true, maxSockets: 2, ca: authority() }));
  context.after(() => agents.forEach((agent) => agent.destroy()));
  const subjects = new Set<string>();
  const load = agents.map(async (agent) => {
    for (let round = 0; round < 25; round += 1) {
      const [fresh, kept] = await Promise.all([ask(url), ask(url, { agent })]);
      assert.deepEqual([fresh.text, kept.text], [url, url]);
      subjects.add(fresh.subject);
    }
  });
  const rotation = (async () => {
    for (const name of ['second', 'first', 'second', 'first', 'second'] as const) {
      await ask(url);
      files.install(name);
    }
  })();
  await Promise.all([...load, rotation]);
  assert.deepEqual([...subjects].toSorted(), ['first', 'second']);
  assert.equal((await ask(url)).subject, 'second');
  assert.deepEqual(
    logged.filter(({ level }) => level === 'error'),
    [],
  );
});

test('close and closeConnections end a connection that has sent nothing, without and with TLS', async (context) => {
  const tls = withTls(certificateFiles(context));
  for (const [options, answered] of [
    [{}, fetch],
    [tls, ask],
  ] as const) {
    const listener = await listen(() => new Response(), asked(options), {
      log: fakeLogger(),
      clock: systemClock,
      links: steadyLinks,
    });
    const silent = connect(Number(new URL(listener.url).port), '127.0.0.1').on('error', () => undefined);
    await once(silent, 'connect');
    // connections are accepted in order: after this answer, the silent one has been accepted too
    await answered(listener.url);
    const ended = once(silent.resume(), 'close');
    const closed = listener.close();
    listener.closeConnections();
    await Promise.all([closed, ended]);
    assert.ok(silent.destroyed);
  }
});

function socketPath(context: TestContext): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'socket-'));
  context.after(() => rmSync(directory, { recursive: true }));
  return path.join(directory, 'api.sock');
}

async function askSocket(socket: string): Promise<string> {
  const request = httpRequest({ socketPath: socket, path: '/v1', headers: { host: 'localhost' } }).end();
  const [response] = (await once(request, 'response')) as [AsyncIterable<Buffer>];
  let text = '';
  for await (const chunk of response) text += chunk.toString();
  return text;
}

test('a unix socket answers requests and has mode 660', async (context) => {
  const socket = socketPath(context);
  const { url } = await start(context, { unix_socket: socket });
  assert.equal(url, `unix:${socket}`);
  assert.equal(await askSocket(socket), 'http://localhost');
  assert.equal((statSync(socket).mode & 0o777).toString(8), '660');
});

test('a unix socket of a killed process is replaced', async (context) => {
  const socket = socketPath(context);
  const leave = `require('node:net').createServer().listen(${JSON.stringify(socket)}, () => process.kill(process.pid, 'SIGKILL'))`;
  assert.throws(() => execFileSync(process.execPath, ['-e', leave]), { signal: 'SIGKILL' });
  assert.ok(statSync(socket).isSocket());
  await start(context, { unix_socket: socket });
  assert.equal(await askSocket(socket), 'http://localhost');
});

test('the start fails when unix_socket is in use, is a regular file (which is kept) or cannot exist', async (context) => {
  const socket = socketPath(context);
  const other = createServer().listen(socket);
  await once(other, 'listening');
  context.after(() => other.close());
  await assert.rejects(
    start(context, { unix_socket: socket }),
    /^Error: Cannot listen on .* \(\[api\] unix_socket\): process \d+ .* set \[api\] unix_socket to another path\.$/,
  );
  const file = socketPath(context);
  writeFileSync(file, 'precious');
  await assert.rejects(start(context, { unix_socket: file }), /Cannot listen on .*unix_socket/);
  assert.equal(statSync(file).size, 8);
  await assert.rejects(
    start(context, { unix_socket: path.join(file, 'api.sock') }),
    /^Error: Cannot listen on .*api\.sock \(\[api\] unix_socket\): ENOTDIR.* to a path in a directory that this user may write to\.$/,
  );
});

test('the daemon listens with the configured TLS files', async (context) => {
  const files = certificateFiles(context);
  const environment = {
    IRONIC_API__ENABLE_SSL_API: 'true',
    IRONIC_API__CERT_FILE: files.cert,
    IRONIC_API__KEY_FILE: files.key,
  };
  const daemon = await startListening(context, { environment });
  const { text } = await ask(`${daemon.url}/v1`);
  const { links } = JSON.parse(text) as { links: { href: string }[] };
  assert.match(daemon.url, /^https:/);
  assert.equal(links[0]?.href, `${daemon.url}/v1/`);
});

test('a client that disconnects during its request causes a 400 but no logged error', async (t) => {
  const daemon = await startListening(t, {});
  const { hostname, port } = new URL(daemon.url);
  for (const framing of ['Content-Length: 1000', 'Transfer-Encoding: chunked']) {
    const request = `POST /v1/nodes HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n4\r\n{"a"\r\n`;
    const socket = connect(Number(port), hostname);
    await new Promise((sent) => socket.write(request, sent));
    socket.destroy();
  }
  while ((daemon.log().match(/"status":400/g) ?? []).length < 2) await fetch(`${daemon.url}/v1`);
  assert.equal((daemon.log().match(/RequestAborted/g) ?? []).length, 2);
  assert.doesNotMatch(daemon.log(), /"level":"error"|"stack"/);
});
