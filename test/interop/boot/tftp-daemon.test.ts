// The whole daemon serves boot loaders over TFTP: from its own socket, from one that systemd passes, and with few descriptors.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { createClient } from 'tftp';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { readByTftp, readRequest, TftpPeer } from '../../fakes/boot/tftp-peer.ts';
import { skipWithout } from '../../setup/packages.ts';

const folder = mkdtempSync(join(tmpdir(), 'tftp-daemon-'));
after(() => rmSync(folder, { recursive: true }));
const loader = join(folder, 'snponly.efi');
const content = Buffer.alloc(173_792, 'efi');
writeFileSync(loader, content);

const environment = {
  IRONIC_TFTP_SERVER__ENABLED: 'true',
  IRONIC_PXE__TFTP_SERVER: '127.0.0.1',
  IRONIC_TFTP_SERVER__PORT: '0',
  IRONIC_PXE__LOADER_FILE_PATHS: `snponly.efi:${loader}, boot/snponly.efi:${loader}`,
};

async function servedAt(daemon: DaemonProcess): Promise<string> {
  const line = await daemon.logged(({ msg }) => msg === 'serving boot files over TFTP');
  return String((line['addresses'] as readonly string[])[0]);
}

test('the daemon serves loaders by their configured names only, and logs a transfer', async () => {
  await using daemon = await DaemonProcess.start(environment);
  const server = await servedAt(daemon);
  assert.ok((await readByTftp(server, 'boot/snponly.efi', ['blksize', 1468])).equals(content));
  await daemon.logged(({ hop, msg }) => hop === 'tftp' && String(msg).startsWith('sent boot/snponly.efi'));
  await assert.rejects(readByTftp(server, loader), /is not served here/);
  await daemon.stop();
});

test('an unfinished transfer does not keep the daemon from stopping', async () => {
  await using daemon = await DaemonProcess.start(environment);
  using peer = await TftpPeer.open(await servedAt(daemon));
  await peer.ask(readRequest('snponly.efi'));
  await daemon.stop();
});

test('the client of the npm package tftp reads from the daemon', async () => {
  await using daemon = await DaemonProcess.start(environment);
  const [host = '', port] = (await servedAt(daemon)).split(':');
  for (const [blockSize, windowSize] of [
    [512, 1],
    [1468, 4],
    [1024, 16],
  ] as const) {
    const client = createClient({ host, port: Number(port), blockSize, windowSize });
    const target = join(folder, `npm-${blockSize}`);
    await new Promise<void>((resolve, reject) => {
      client.get('snponly.efi', target, (error) => (error === undefined ? resolve() : reject(error)));
    });
    assert.ok(readFileSync(target).equals(content));
  }
});

test('a daemon that ran out of file descriptors serves again once its limit is raised', async () => {
  const many = { IRONIC_TFTP_SERVER__MAX_TRANSFERS_PER_CLIENT: '100' };
  await using daemon = await DaemonProcess.start({ ...environment, ...many });
  const server = await servedAt(daemon);
  execFileSync('prlimit', ['--pid', String(daemon.pid), '--nofile=48:']);
  const peers = await Promise.all(Array.from({ length: 60 }, () => TftpPeer.open(server)));
  for (const peer of peers) peer.send(readRequest('snponly.efi'));
  await daemon.logged(({ msg }) => String(msg).endsWith('the daemon has too many open files'));
  execFileSync('prlimit', ['--pid', String(daemon.pid), '--nofile=1024:']);
  for (const peer of peers) peer[Symbol.dispose]();
  assert.ok((await readByTftp(server, 'snponly.efi')).equals(content));
  assert.equal((await daemon.request('GET', '/')).status, 200);
});

test('the daemon serves on a socket that systemd passes it', { skip: skipWithout('systemd') }, async () => {
  const port = await freeTcpPort();
  const command = join(import.meta.dirname, '../../../daemon/cli/ironic-edge');
  const passes = ['--datagram', `--listen=127.0.0.1:${port}`, '--fdname=tftp'];
  const settings = {
    ...environment,
    IRONIC_API__PORT: '0',
    IRONIC_DEFAULT__STATE_PATH: join(folder, 'state'),
  };
  const names = Object.keys(settings).map((name) => `--setenv=${name}`);
  const activate = spawn('systemd-socket-activate', [...passes, ...names, command, 'serve'], {
    env: { ...process.env, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(activate, 'exit');
  try {
    await once(createInterface({ input: activate.stderr }), 'line');
    // the first packet starts the daemon, which then finds the packet in the socket
    assert.ok((await readByTftp(`127.0.0.1:${port}`, 'snponly.efi')).equals(content));
  } finally {
    activate.kill();
    await ended;
  }
});
