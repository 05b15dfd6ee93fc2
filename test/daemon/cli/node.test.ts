import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';

const LAUNCHER = path.join(import.meta.dirname, '../../../daemon/cli/node');

/** The compile cache directory that these variables select, or an empty string if there is none. */
function cacheWith(environment: Readonly<Record<string, string>>): string {
  const print = "process.stdout.write(process.env.NODE_COMPILE_CACHE ?? '')";
  const { PATH = '' } = process.env;
  return execFileSync(LAUNCHER, ['-e', print], { encoding: 'utf8', env: { PATH, ...environment } });
}

test('the compile cache is below ~/.cache unless XDG_CACHE_HOME, CACHE_DIRECTORY or NODE_COMPILE_CACHE is set', (context) => {
  const home = mkdtempSync(path.join(tmpdir(), 'home-'));
  context.after(() => rmSync(home, { recursive: true }));
  assert.equal(cacheWith({ HOME: home }), `${home}/.cache/ironic-edge`);
  assert.equal(cacheWith({ HOME: home, XDG_CACHE_HOME: `${home}/c` }), `${home}/c/ironic-edge`);
  assert.equal(cacheWith({ HOME: home, CACHE_DIRECTORY: `${home}/systemd` }), `${home}/systemd`);
  assert.equal(cacheWith({ HOME: home, NODE_COMPILE_CACHE: `${home}/own` }), `${home}/own`);
});

test('the compile cache is disabled without a home directory', () => {
  assert.equal(cacheWith({}), '');
  assert.equal(cacheWith({ HOME: '/proc/1/root/no-such-home' }), '');
});

test('a server is trusted when its CA is in the file that SSL_CERT_FILE names', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'ca-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const [keyFile, certFile] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')];
  const request =
    'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost';
  const names = ['-addext', 'subjectAltName=DNS:localhost', '-keyout', keyFile, '-out', certFile];
  execFileSync('openssl', [...request.split(' '), ...names], { stdio: 'ignore' });
  const [key, cert] = [readFileSync(keyFile), readFileSync(certFile)];
  const server = createServer({ key, cert }, (_, response) => response.end('trusted'));
  t.after(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  const get = `fetch('${url}').then((r) => r.text()).catch((e) => e.cause.code).then((text) => process.stdout.write(text))`;
  const answer = async (environment: NodeJS.ProcessEnv) => {
    const { stdout } = await promisify(execFile)(LAUNCHER, ['-e', get], {
      env: { ...process.env, ...environment },
    });
    return stdout;
  };
  assert.match(await answer({}), /^[A-Z_]+$/, 'expected an error code');
  assert.equal(await answer({ SSL_CERT_FILE: certFile }), 'trusted');
});
