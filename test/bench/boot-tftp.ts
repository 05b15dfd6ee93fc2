// Measures throughput, CPU time and packets of the TFTP server next to dnsmasq, tftpd-hpa, atftpd and the npm package tftp.
// The same client reads from each in turn. Prints medians and ratios; asserts nothing. Arguments: [MEGABYTES [ROUNDS]]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { TftpLab } from '../fakes/boot/tftp-lab.ts';
import { cpuSeconds, familyOf } from './load/process-costs.ts';

const [megabytes, rounds] = [Number(process.argv[2] ?? 50), Number(process.argv[3] ?? 3)];
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? NaN;
const folder = mkdtempSync(join(tmpdir(), 'bench-tftp-'));
const fakes = join(import.meta.dirname, '../fakes/boot');

// unpacked, not installed, because these two packages exclude each other
for (const name of ['atftpd', 'tftpd-hpa']) {
  execFileSync('apt-get', ['download', '-qq', name], { cwd: folder, stdio: 'ignore' });
  execFileSync('sh', ['-c', `dpkg -x ${name}_*.deb ${name}`], { cwd: folder });
}
const served = join(folder, 'served');
execFileSync('mkdir', [served]);
writeFileSync(join(served, 'large'), Buffer.alloc(megabytes * 1_000_000, 'bench'));
writeFileSync(join(served, 'loader'), Buffer.alloc(300_000, 'bench'));

const LISTEN = '10.77.0.1';
// servers that print nothing are started by a shell that prints a line
const begun = (line: string) => ['sh', '-c', `echo begins; exec ${line}`];
const servers: Readonly<Record<string, readonly string[]>> = {
  daemon: [process.execPath, join(fakes, 'serve-tftp.ts'), served, '69', LISTEN],
  dnsmasq: begun(
    `dnsmasq --no-daemon --conf-file=/dev/null --port=0 --enable-tftp --tftp-root=${served} --listen-address=${LISTEN} --bind-interfaces --user=root`,
  ),
  'tftpd-hpa': begun(
    `${folder}/tftpd-hpa/usr/sbin/in.tftpd --foreground --listen --address ${LISTEN}:69 --user root --secure ${served}`,
  ),
  atftpd: begun(
    `${folder}/atftpd/usr/sbin/atftpd --daemon --no-fork --port 69 --bind-address ${LISTEN} --user root.root --logfile /dev/null ${served}`,
  ),
  'npm tftp': [process.execPath, join(fakes, 'serve-npm-tftp.ts'), served, '69', LISTEN],
};

interface Measured {
  readonly seconds: number;
  readonly cpu: number;
  readonly packets: number;
}

async function read(command: readonly string[], file: string, options: readonly string[], perMille: number) {
  await using lab = await TftpLab.open();
  const { pid = 0 } = await lab.serve(command, /begins|10\.77/);
  await new Promise((resolve) => setTimeout(resolve, 300));
  lab.lose(perMille);
  lab.countPackets();
  const target = join(folder, 'target');
  const client = ['atftp', ...options.flatMap((option) => ['--option', option])];
  const from = performance.now();
  const run = lab.run(...client, '--get', '--remote-file', file, '--local-file', target, LISTEN);
  const isRead = await run
    .then(() => statSync(target).size === statSync(join(served, file)).size)
    .catch(() => false);
  const seconds = isRead ? (performance.now() - from) / 1000 : NaN;
  return {
    seconds,
    cpu: await cpuSeconds(await familyOf(pid)),
    packets: lab.countPackets(),
  } satisfies Measured;
}

async function compare(title: string, file: string, options: readonly string[], perMille = 0): Promise<void> {
  const gigabits = (statSync(join(served, file)).size * 8) / 1e9;
  const results = new Map<string, Measured[]>(Object.keys(servers).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, command] of Object.entries(servers))
      results.get(name)?.push(await read(command, file, options, perMille));
  const own = results.get('daemon') ?? [];
  console.log(title);
  for (const [name, measured] of results) {
    const ratio = median(measured.map(({ seconds }, at) => seconds / (own[at]?.seconds ?? NaN)));
    const of = (key: keyof Measured) => median(measured.map((each) => each[key]));
    console.log(
      `  ${name.padEnd(10)} ${of('seconds').toFixed(2)} s (${(gigabits / of('seconds')).toFixed(2)} Gbit/s), ${of('cpu').toFixed(2)} s CPU, ${of('packets')} packets; the daemon is ${ratio.toFixed(2)} times as fast`,
    );
  }
}

try {
  for (const [block, window] of [
    [512, 1],
    [1468, 1],
    [1468, 4],
    [1468, 16],
  ] as const)
    await compare(`${megabytes} MB in blocks of ${block}, windows of ${window}`, 'large', [
      `blksize ${block}`,
      `windowsize ${window}`,
    ]);
  for (const perMille of [5, 50])
    for (const window of [1, 16])
      await compare(
        `300 kB over a line that loses ${perMille / 10} %, windows of ${window}`,
        'loader',
        ['blksize 1468', `windowsize ${window}`, 'timeout 1'],
        perMille,
      );
} finally {
  rmSync(folder, { recursive: true });
}
