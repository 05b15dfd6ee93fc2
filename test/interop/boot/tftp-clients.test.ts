// Real TFTP clients against the daemon's server: files of up to 32 MiB, lossy lines, many clients at once.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { skipWithoutTftpLab, TftpLab } from '../../fakes/boot/tftp-lab.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip =
  skipWithoutTftpLab() ||
  skipWithout('atftp') ||
  skipWithout('busybox-static') ||
  skipWithout('curl') ||
  skipWithout('tftp-hpa');
const folder = mkdtempSync(join(tmpdir(), 'tftp-clients-'));
after(() => rmSync(folder, { recursive: true }));
const served = join(folder, 'served');
mkdirSync(served);

const place = (name: string) => join(folder, name);
const sizes = [0, 1, 511, 512, 513, 1468, 173_792, 33_553_919, 33_554_432];
for (const size of sizes)
  writeFileSync(
    join(served, String(size)),
    Buffer.alloc(
      size,
      Uint8Array.from({ length: 1009 }, (_, at) => at),
    ),
  );

type Command = (server: string, name: string, target: string) => readonly string[];

const atftp =
  (...options: readonly string[]): Command =>
  (server, name, target) => [
    'atftp',
    ...options.flatMap((option) => ['--option', option]),
    '--get',
    '--remote-file',
    name,
    '--local-file',
    target,
    server,
  ];
const clients: Readonly<Record<string, Command>> = {
  'tftp-hpa': (server, name, target) => ['tftp', '-m', 'binary', server, '-c', 'get', name, target],
  atftp: atftp(),
  'atftp with windows of 16': atftp('blksize 1468', 'windowsize 16'),
  'atftp with windows of 64': atftp('blksize 1428', 'windowsize 64', 'timeout 2'),
  'busybox tftp': (server, name, target) =>
    `busybox tftp -g -b 1432 -r ${name} -l`.split(' ').concat(target, server),
  curl: (server, name, target) => ['curl', '--silent', '--output', target, `tftp://${server}/${name}`],
};

/**
 * The error with which atftp gives up when it gets a second OACK. A server has to repeat its OACK when the acknowledgement is lost,
 * so the test starts atftp again after this error.
 */
const REPEATED_ANSWER = /unexpected OACK/;

async function fetchedPatiently(
  lab: TftpLab,
  client: Command,
  name: string,
  target: string,
): Promise<Buffer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await fetched(lab, client, name, target);
    } catch (error) {
      if (tries === 5 || !REPEATED_ANSWER.test(String(error))) throw error;
    }
  }
}

async function fetched(lab: TftpLab, client: Command, name: string, target: string): Promise<Buffer> {
  const path = place(target);
  await lab.run(...client(lab.server, name, path));
  return readFileSync(path);
}

for (const [title, client] of Object.entries(clients)) {
  test(`${title} reads files of up to 32 MiB`, { skip }, async () => {
    await using lab = await TftpLab.serving(served);
    for (const size of sizes) {
      // with any server, curl creates no file when the file on the server is empty
      if (size === 0 && title === 'curl') continue;
      const content = await fetched(lab, client, String(size), `${title}-${size}`);
      assert.ok(content.equals(readFileSync(join(served, String(size)))), `${size} bytes`);
    }
  });
}

test('100 clients at once read a file', { skip }, async () => {
  await using lab = await TftpLab.serving(served);
  const windows = clients['atftp with windows of 16'];
  assert.ok(windows);
  // on a machine with much to do, the first acknowledgement is late, as if it were lost
  const reads = Array.from({ length: 100 }, (_, at) =>
    fetchedPatiently(lab, windows, '173792', `parallel-${at}`),
  );
  for (const content of await Promise.all(reads)) assert.equal(content.length, 173_792);
});

for (const perMille of [5, 50, 100]) {
  for (const title of ['tftp-hpa', 'atftp with windows of 16', 'busybox tftp']) {
    test(`${title} reads a boot loader over a line that loses ${perMille / 10} %`, { skip }, async () => {
      await using lab = await TftpLab.serving(served);
      lab.lose(perMille);
      const client = clients[title];
      assert.ok(client);
      const content = await fetchedPatiently(lab, client, '173792', `lossy-${title}`);
      assert.ok(content.equals(readFileSync(join(served, '173792'))));
      const packets = lab.countPackets();
      assert.ok(packets < 1000, `${packets} packets for at most 340 blocks`);
    });
  }
}

test('a text that tftp-hpa reads as netascii arrives unchanged', { skip }, async () => {
  writeFileSync(join(served, 'text'), 'one\ntwo\r\nthree\r\n');
  await using lab = await TftpLab.serving(served);
  await lab.run('tftp', '-m', 'netascii', lab.server, '-c', 'get', 'text', place('text'));
  assert.equal(readFileSync(place('text'), 'utf8'), 'one\ntwo\r\nthree\r\n');
});

test('tftp-hpa shows that a file is not served, and cannot write one', { skip }, async () => {
  await using lab = await TftpLab.serving(served);
  const get = await lab.run('tftp', '-m', 'binary', lab.server, '-c', 'get', 'no.efi', place('none'));
  assert.match(get, /no\.efi is not served here/);
  const put = await lab.run('tftp', '-m', 'binary', lab.server, '-c', 'put', join(served, '1'), 'new');
  assert.match(put, /this server accepts no files/);
});

const FROM_PORT_0 = `
import socket, struct
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
request = b'\\0\\1' + b'513\\0octet\\0'
raw.sendto(struct.pack('!HHHH', 0, 69, 8 + len(request), 0) + request, ('10.77.0.1', 0))
`;

test('the server still serves after requests from port 0', { skip }, async () => {
  await using lab = await TftpLab.serving(served);
  for (let round = 0; round < 3; round += 1) await lab.run('python3', '-c', FROM_PORT_0);
  const client = clients['tftp-hpa'];
  assert.ok(client);
  assert.equal((await fetched(lab, client, '513', 'after-port-0')).length, 513);
});
