// The doctor on hosts with planted faults: it names each fault, and a command or an option that solves it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { answerToPeer } from '../../../daemon/lib/peer-site.ts';
import { doctorCommand } from '../../../daemon/cli/host/doctor-command.ts';
import { probes } from '../../../daemon/doctor/examine.ts';
import SqliteDatabase from 'better-sqlite3';
import { certificateFiles } from '../../fakes/services/certificates.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { httpServer } from '../../fakes/services/http-server.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../fakes/clients/run-command.ts';
import { newHost, nodeWith, onlyFinding } from './planted-host.ts';

const run = (...args: readonly string[]) => runCommand((context) => doctorCommand(args, context));

describe('the doctor', () => {
  it('finds nothing on a host without a fault, before and after the first start', async (t) => {
    const host = newHost(t);
    assert.deepEqual(await host.examine(), []);
    host.store((db) => db.nodes.insert(nodeWith({ name: 'one' })));
    await host.backUp();
    assert.deepEqual(await host.examine(), []);
  });

  it('finds that the backup is missing or old, and suggests the command that makes a new one', async (t) => {
    const host = newHost(t);
    host.store((db) => db.nodes.insert(nodeWith({ name: 'one' })));
    onlyFinding(await host.examine(), /there is no backup/, /ironic-edge backup create/);
    const file = await host.backUp();
    assert.deepEqual(await host.examine(), []);
    const old = Date.now() / 1000 - 3 * 86_400;
    utimesSync(file, old, old);
    onlyFinding(await host.examine(), /newest backup is 3 days old/, /ironic-edge backup create/);
  });

  it('checks whether the daemon could create the state directory, and says what prevents that', async (t) => {
    const host = newHost(t);
    host.configure(`state_path = ${host.directory}/a/b\n`);
    assert.deepEqual(await host.examine('state-directory'), []);
    writeFileSync(join(host.directory, 'a'), '');
    const [found] = await host.examine('state-directory');
    assert.match(found?.saw ?? '', /\/a cannot be written by this user: .*ENOTDIR/);
  });

  it('names an option that does not exist, and finds nothing once that option is removed', async (t) => {
    const host = newHost(t);
    host.configure('auth_stratgy = noauth\n');
    onlyFinding(await host.examine(), /auth_stratgy/, /config check/);
    host.configure('');
    assert.deepEqual(await host.examine('configuration'), []);
  });

  it('exits with 78 and names the invalid option when the configuration is invalid', async (t) => {
    const host = newHost(t);
    host.configure('[api]\nport = many\n');
    const { code, errors } = await runCommand((context) =>
      doctorCommand(['--config-file', host.configFile], context),
    );
    assert.equal(code, 78);
    assert.match(errors, /\[api\] port.*many/s);
  });

  it('finds a configuration file that everyone can read, and suggests a command that corrects its mode', async (t) => {
    const host = newHost(t);
    chmodSync(host.configFile, 0o644);
    const found = await host.examine();
    onlyFinding(found, /mode 644/, /^chmod 640 /);
    const [program = '', ...args] = found[0]?.fix.split(' ') ?? [];
    execFileSync(program, args);
    assert.deepEqual(await host.examine(), []);
  });

  it('finds the configuration file of a newer package beside an edited one', async (t) => {
    const host = newHost(t);
    const brought = `${host.configFile}.dpkg-dist`;
    writeFileSync(brought, '');
    onlyFinding(await host.examine(), /the package brought .*dpkg-dist/, /^diff /);
    rmSync(brought);
    assert.deepEqual(await host.examine(), []);
  });

  it('names another DHCP server that the daemon saw in the last half hour', async (t) => {
    const host = newHost(t);
    host.store((db) => db.nodes.insert(nodeWith({ name: 'one' })));
    await host.backUp();
    const seen = { address: '10.0.0.9', interface: 'br0', last_seen: Date.now() };
    host.store((db) => db.dhcpRivals.put(seen));
    onlyFinding(
      await host.examine(),
      /another DHCP server, 10\.0\.0\.9, gives addresses on br0/,
      /10\.0\.0\.9/,
    );
    const silent = { ...seen, address: '10.0.0.8', last_seen: Date.now() + 1_800_000 };
    host.store((db) => db.dhcpRivals.put(silent));
    onlyFinding(await host.examine(), /another DHCP server, 10\.0\.0\.8/, /10\.0\.0\.8/);
  });

  it('names a plugin that was set aside', async (t) => {
    const host = newHost(t);
    const folder = join(host.directory, 'plugins', 'acme');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'plugin.json'), '{');
    host.configure(`[plugins]\npath = ${join(host.directory, 'plugins')}\n`);
    onlyFinding(await host.examine(), /acme is set aside/, /ironic-edge plugin list/);
  });

  it('finds a database that lost pages, and one of a newer version', async (t) => {
    const host = newHost(t);
    host.store((db) => db.nodes.insert(nodeWith({ extra: { long: 'x'.repeat(100_000) } })));
    truncateSync(join(host.directory, 'ironic-edge.sqlite'), 8192);
    onlyFinding(await host.examine('database'), /sqlite: /, /newest backup/);
    const newer = newHost(t);
    newer.store(() => undefined);
    const connection = new SqliteDatabase(join(newer.directory, 'ironic-edge.sqlite'));
    connection.pragma('user_version = 9999');
    connection.close();
    onlyFinding(await newer.examine('database'), /version 9999/, /newest backup/);
  });

  it('finds the program that has taken the port of the API, and finds nothing when that program is the daemon', async (t) => {
    const host = newHost(t);
    const stranger = await httpServer(t, (_, response) => void response.end('hello'));
    host.configure(`[api]\nport = ${stranger.port}\n`);
    onlyFinding(
      await host.examine('ports'),
      new RegExp(`port ${stranger.port} is taken by process ${process.pid}`),
      /ss -ltnp/,
    );
    const port = await freeTcpPort();
    const daemon = await startListening(t, { environment: { IRONIC_API__PORT: String(port) } });
    host.configure(`[api]\nport = ${port}\n`);
    assert.equal(daemon.url, `http://127.0.0.1:${port}`);
    assert.deepEqual(await host.examine('ports'), []);
  });

  it('asks the boot servers of a running daemon for a boot loader', async (t) => {
    const host = newHost(t);
    const [api, http, tftp] = [await freeTcpPort(), await freeTcpPort(), await freeTcpPort()];
    const loader = join(host.directory, 'loader.efi');
    writeFileSync(loader, 'MZ');
    const files = `[pxe]\nloader_file_paths = snponly.efi:${loader}\n`;
    const text = `[api]\nport = ${api}\n${files}[boot_http]\nhost_ip = 127.0.0.1\nport = ${http}\n[tftp_server]\nenabled = true\naddresses = 127.0.0.1\nport = ${tftp}\n`;
    host.configure(text);
    const found = () => host.examine('tftp', 'boot-http');
    assert.deepEqual(await found(), [], 'the daemon does not run');
    const without = await startListening(t, { environment: { IRONIC_API__PORT: String(api) } });
    const [first, second, ...more] = await found();
    assert.match(first?.saw ?? '', /^TFTP at 127\.0\.0\.1 port \d+ does not send snponly\.efi: /);
    assert.match(second?.saw ?? '', /^http:\/\/127\.0\.0\.1:\d+ does not send snponly\.efi: /);
    assert.deepEqual(more, []);
    await without.stop();
    const daemon = await startListening(t, { configFile: host.configFile });
    assert.deepEqual(await found(), []);
    rmSync(loader);
    assert.deepEqual(
      (await found()).map(({ saw }) => /: (.*)$/.exec(saw.replace(/^http:..[^ ]+/, ''))?.[1]),
      ['snponly.efi cannot be read', 'the server answers 404'],
    );
    await daemon.stop();
  });

  it('finds addresses and interfaces that this host does not have, and a name that does not resolve', async (t) => {
    const host = newHost(t);
    host.configure(
      `[api]\nhost_ip = 192.0.2.77\nport = 6385\npublic_endpoint = http://nowhere.invalid/\n[boot_http]\nport = 8080\n[dhcp_server]\nsubnet = 192.0.2.0/24 range=192.0.2.10-192.0.2.20 interface=none9\n`,
    );
    const found = await host.examine('addresses', 'names', 'my-ip', 'dhcp-interface');
    assert.deepEqual(
      found.map(({ probe }) => probe),
      ['addresses', 'addresses', 'my-ip', 'names', 'dhcp-interface'],
    );
    assert.match(found[1]?.fix ?? '', /set \[boot_http\] host_ip to one of/);
    const { saw, means } = found[4] ?? {};
    assert.match(saw ?? '', /^this host has no interface none9; correct the name, or create the interface/);
    assert.equal(means, 'the daemon serves no DHCP on none9 until then');
  });

  it('finds what an API open to the network lacks (login, TLS, ramdisk listener), and a bad password file', async (t) => {
    const host = newHost(t);
    host.configure('[api]\nhost_ip = 0.0.0.0\n');
    const ids = async () => (await host.examine()).map(({ probe }) => probe);
    assert.deepEqual(await ids(), ['authentication', 'ramdisk-listener']);
    const accounts = join(host.directory, 'htpasswd');
    writeFileSync(accounts, 'ann:x\n', { mode: 0o600 });
    host.configure(
      `auth_strategy = http_basic\nhttp_basic_auth_user_file = ${accounts}\n[api]\nhost_ip = 0.0.0.0\nenable_ramdisk_endpoints = false\n`,
    );
    assert.deepEqual(await ids(), ['api-tls']);
    chmodSync(accounts, 0o644);
    assert.deepEqual(await ids(), ['api-tls', 'password-file']);
    rmSync(accounts);
    onlyFinding(await host.examine('password-file'), /no such file/, /^htpasswd -B -c .*; chown .*; chmod /);
  });

  it('finds a certificate that expires soon, and a key that does not belong to its certificate', async (t) => {
    const host = newHost(t);
    const { cert, key } = certificateFiles(t);
    const enable = (keyFile: string) =>
      host.configure(`[api]\nenable_ssl_api = true\ncert_file = ${cert}\nkey_file = ${keyFile}\n`);
    enable(key);
    assert.deepEqual(await host.examine('certificate'), []);
    const other = join(host.directory, 'other.pem');
    execFileSync('openssl', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout', '-out', other], {
      stdio: 'ignore',
    });
    chmodSync(other, 0o600);
    enable(other);
    onlyFinding(await host.examine('certificate'), /does not belong to/, /cert_file, key_file = /);
    const short = join(host.directory, 'short.pem');
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-key',
        other,
        '-days',
        '5',
        '-subj',
        '/CN=x',
        '-addext',
        'subjectAltName=DNS:x',
        '-out',
        short,
      ],
      { stdio: 'ignore' },
    );
    host.configure(`[api]\nenable_ssl_api = true\ncert_file = ${short}\nkey_file = ${other}\n`);
    onlyFinding(await host.examine('certificate'), /expires in 4 days/, /openssl x509/);
  });

  it('finds that a process may open too few files, and says how to change that', (t) => {
    const { configFile } = newHost(t);
    const words = ['--nofile=512:512', 'daemon/cli/ironic-edge', 'doctor', '--only', 'limits', '--json'];
    const { stdout } = spawnSync('prlimit', [...words, '--config-file', configFile], { encoding: 'utf8' });
    assert.match(stdout, /a process of this shell may open at most 512 files/);
    assert.match(stdout, /ulimit -n 65536/);
  });

  it('finds a ramdisk that is half configured, empty, or not on its server', async (t) => {
    const host = newHost(t);
    const kernel = join(host.directory, 'kernel');
    writeFileSync(kernel, '');
    host.configure(`[conductor]\ndeploy_kernel = file://${kernel}\n`);
    const found = await host.examine('ramdisk');
    assert.match(found.map(({ saw }) => saw).join('\n'), /deploy_ramdisk is missing.*\n.*is empty/s);
    host.configure(`[conductor]\ndeploy_kernel_by_arch = aarch64:file://${kernel}\n`);
    const ofOne = await host.examine('ramdisk');
    assert.match(
      ofOne.map(({ saw }) => saw).join('\n'),
      /is set for aarch64; deploy_ramdisk is missing\n.*is empty \(\[conductor\] deploy_kernel_by_arch\)$/,
    );
    writeFileSync(kernel, 'x');
    const both = `deploy_kernel_by_arch = x86_64:file://${kernel}\ndeploy_ramdisk_by_arch = x86_64:file://${kernel}\n`;
    host.configure(`[conductor]\ndeploy_kernel = file://${kernel}\n${both}`);
    const [ofOthers] = await host.examine('ramdisk');
    assert.match(
      ofOthers?.means ?? '',
      /^no machine of an architecture that the _by_arch options do not name can boot/,
    );
    const server = await httpServer(t, (_, response) => void response.writeHead(404).end());
    const url = `http://127.0.0.1:${server.port}/`;
    host.configure(`[conductor]\ndeploy_kernel = ${url}k\ndeploy_ramdisk = ${url}r\n`);
    const missing = await host.examine('ramdisk');
    assert.deepEqual(
      missing.map(({ saw }) => /the server answers 404/.test(saw)),
      [true, true],
    );
  });

  it('finds another host that keeps the daemon of this host from starting, and a peer that is not a daemon', async (t) => {
    const host = newHost(t);
    const site = { uuid: randomUUID(), generation: 1 };
    host.store(({ quarantine }) => quarantine.putSite({ ...site, host: 'here' }));
    const key = 'k'.repeat(32);
    const keyFile = join(host.directory, 'site.key');
    writeFileSync(keyFile, key, { mode: 0o600 });
    const there = { ...site, generation: 2, holder: 'there' };
    const answer: { site: typeof there | undefined } = { site: there };
    const { port } = await httpServer(t, ({ headers }, response) => {
      const asked = new Headers(headers as Record<string, string>);
      response.end(answer.site === undefined ? 'hello' : answerToPeer(key, asked, answer.site));
    });
    const own = await httpServer(t, (_, response) => {
      response.setHeader('x-openstack-ironic-api-maximum-version', '1.115').end();
    });
    const keyless = `[standby]\npeers = http://127.0.0.1:${port}\n`;
    host.configure(keyless);
    onlyFinding(await host.examine('configuration'), /peers is set without key_file/, /./);
    host.configure(`${keyless}key_file = ${keyFile}.missing\n`);
    onlyFinding(await host.examine('peers'), /key_file cannot be used: ENOENT/, /^\[standby\] key_file = /);
    const peers = `${keyless}key_file = ${keyFile}\n`;
    host.configure(`${peers}[api]\nport = ${own.port}\n`);
    onlyFinding(await host.examine('peers'), /serves generation 2 .* generation 1/, /disable --now/);
    answer.site = { ...there, generation: 1 };
    assert.deepEqual(await host.examine('peers'), [], 'the daemon of this host runs and goes on');
    host.configure(peers);
    onlyFinding(await host.examine('peers'), /serves generation 1 .* generation 1/, /disable --now/);
    answer.site = undefined;
    onlyFinding(await host.examine('peers'), /does not prove which records/, /^\[standby\] peers/);
  });

  it('lists its probes, and refuses one that does not exist', async () => {
    const { out } = await run('--list');
    assert.equal(out.trimEnd().split('\n').length, probes.length);
    assert.equal(new Set(probes.map(({ id }) => id)).size, probes.length);
    const refused = await run('--only', 'ports,nothing');
    assert.deepEqual([refused.code, /"nothing"/.test(refused.errors)], [2, true]);
  });
});
