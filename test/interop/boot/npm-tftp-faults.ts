// Shows what faulty packets and a lack of file descriptors do to the TFTP server of the npm package tftp 0.1.2, and what they do to
// the daemon's server. Run it with `daemon/cli/node test/interop/boot/npm-tftp-faults.ts`.
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { acknowledgement, readByTftp, readRequest, TftpPeer } from '../../fakes/boot/tftp-peer.ts';

const SERVER = '127.0.0.1:6969';
const SIZE = 300_000;
const QUIET_MILLISECONDS = 2000;

/** Does something that may crash the server. Resolves to a description of what the server did, if it still runs. */
type Fault = (server: ChildProcess) => Promise<string>;

const LIMIT_MILLISECONDS = 30_000;

const pause = (milliseconds = QUIET_MILLISECONDS) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, milliseconds).unref();
  });

/** Acknowledges each block once, and the tenth one twice. */
async function repeatedAcknowledgement(): Promise<string> {
  using peer = await TftpPeer.open(SERVER);
  let packets = 1;
  let { bytes, from } = await peer.ask(readRequest('file', ['blksize', 1468]));
  peer.send(acknowledgement(0), from);
  for (let expected = 1; ; packets += 1) {
    ({ bytes, from } = await peer.next());
    if (bytes.readUInt16BE(0) === 5) return `${packets} packets, then: ${bytes.toString('utf8', 4)}`;
    if (bytes.readUInt16BE(2) !== expected) continue;
    peer.send(acknowledgement(expected), from);
    if (expected === 10) peer.send(acknowledgement(expected), from);
    expected += 1;
    if (bytes.length < 1472) break;
  }
  await pause();
  return `${packets + 1 + peer.waiting.length} packets for ${Math.floor(SIZE / 1468) + 1} blocks`;
}

async function shortDatagram(): Promise<string> {
  using peer = await TftpPeer.open(SERVER);
  const { from } = await peer.ask(readRequest('file'));
  peer.send(Buffer.alloc(1), from);
  await pause();
  return 'goes on';
}

const FROM_PORT_0 = `
import socket, struct
raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_UDP)
request = b'\\0\\1' + b'missing\\0octet\\0'
raw.sendto(struct.pack('!HHHH', 0, 6969, 8 + len(request), 0) + request, ('127.0.0.1', 0))
`;

async function portZero(): Promise<string> {
  execFileSync('python3', ['-c', FROM_PORT_0]);
  await pause();
  return 'goes on';
}

async function fewDescriptors({ pid }: ChildProcess): Promise<string> {
  execFileSync('prlimit', ['--pid', String(pid), '--nofile=64']);
  const peers = await Promise.all(Array.from({ length: 150 }, () => TftpPeer.open(SERVER)));
  for (const peer of peers) peer.send(readRequest('file'));
  await pause();
  const answered = peers.filter(({ waiting }) => waiting.length > 0).length;
  for (const peer of peers) peer[Symbol.dispose]();
  await pause();
  return `${answered} of ${peers.length} clients are answered`;
}

const faults: Readonly<Record<string, Fault>> = {
  'one acknowledgement is repeated': repeatedAcknowledgement,
  'a datagram of one byte to the port of a transfer': shortDatagram,
  'a request from port 0': portZero,
  '150 clients at 64 descriptors': fewDescriptors,
};

async function outcome(program: string, folder: string, fault: Fault): Promise<string> {
  const path = join(import.meta.dirname, '../../fakes/boot', program);
  const server = spawn(process.execPath, [path, folder, '6969', '127.0.0.1'], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const errors: string[] = [];
  createInterface({ input: server.stderr }).on('line', (line) => errors.push(line));
  const ended = once(server, 'exit').then(() => `ENDS: ${errors.find((line) => /Error/.test(line))}`);
  try {
    await once(createInterface({ input: server.stdout }), 'line');
    const late = pause(LIMIT_MILLISECONDS).then(() => 'the exchange is not over after 30 s');
    const told = await Promise.race([fault(server), ended, late]);
    if (server.exitCode !== null) return told;
    return (await readByTftp(SERVER, 'file')).length === SIZE ? told : `${told}, and then serves no more`;
  } finally {
    server.kill();
    await ended;
  }
}

async function main(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tftp-faults-'));
  writeFileSync(join(folder, 'file'), Buffer.alloc(SIZE));
  try {
    for (const [title, fault] of Object.entries(faults)) {
      console.log(title);
      console.log(`  npm tftp    ${await outcome('serve-npm-tftp.ts', folder, fault)}`);
      console.log(`  the daemon  ${await outcome('serve-tftp.ts', folder, fault)}`);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs this program in a network namespace of its own, where it may send from port 0 without being root. */
function runInside(): void {
  const start = 'ip link set lo up && exec "$@"';
  const command = [process.execPath, import.meta.filename, 'inside'];
  const words = ['--map-root-user', '--net', 'sh', '-c', start, 'sh', ...command];
  process.exitCode = spawnSync('unshare', words, { stdio: 'inherit' }).status ?? 1;
}

if (process.argv[2] === 'inside') await main();
else runInside();
