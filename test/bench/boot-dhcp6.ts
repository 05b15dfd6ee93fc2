// Measures how long it takes until a crowd of new machines has IPv6 addresses, next to Kea in the same run, both with leases on disk;
// perfdhcp is the crowd: `daemon/cli/node test/bench/boot-dhcp6.ts [ROUNDS]`. Prints times and ratios; asserts nothing.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DhcpServerProcess, WITH_SOCKETS } from '../fakes/boot/dhcp-server-process.ts';
import { NetworkSpace } from '../fakes/boot/network-space.ts';
import { settle } from '../fakes/dhcp6/dhcp6-network.ts';
import { type MeasuredServer, serverInLab } from './load/server-in-lab.ts';

const ROUNDS = Number(process.argv[2] ?? 3);
const MACHINES = [100, 1000, 3000];
const [SUBNET, FIRST, LAST] = ['2001:db8:99::/64', '2001:db8:99::1:0', '2001:db8:99::1:ffff'];

const own: MeasuredServer = {
  name: 'ironic-edge',
  async start(lab) {
    const daemon = new DhcpServerProcess(lab, [WITH_SOCKETS, 'dhcp-server', 'dhcp6-server', '--']);
    const subnet = `${SUBNET} range=${FIRST}-${LAST} interface=server`;
    await daemon.start({ subnet, known_machines_only: 'false' });
    return () => daemon[Symbol.asyncDispose]();
  },
};

const kea: MeasuredServer = {
  name: 'kea',
  async start(lab, folder) {
    const file = join(folder, 'kea.json');
    const settings = {
      'interfaces-config': { interfaces: ['server'] },
      'server-id': { type: 'LL', persist: false },
      'lease-database': { type: 'memfile', persist: true, name: join(folder, 'kea.csv') },
      subnet6: [{ subnet: SUBNET, interface: 'server', pools: [{ pool: `${FIRST} - ${LAST}` }] }],
      loggers: [{ name: 'kea-dhcp6', severity: 'INFO', output_options: [{ output: 'stderr' }] }],
    };
    writeFileSync(file, JSON.stringify({ Dhcp6: settings }));
    const environment = [`KEA_PIDFILE_DIR=${folder}`, `KEA_LOCKFILE_DIR=${folder}`];
    return serverInLab(lab, ['env', ...environment, 'kea-dhcp6', '-c', file], 'DHCP6_STARTED');
  },
};

/** Resolves with the seconds until all have an address; undefined if some have none. */
async function measure(rival: MeasuredServer, machines: number): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-dhcp6-'));
  await using lab = await NetworkSpace.start();
  settle(lab, 'server');
  lab.run('ip', '-6', 'address', 'add', '2001:db8:99::1/64', 'dev', 'server', 'nodad');
  await using crowd = await lab.host('10.99.0.2/24');
  settle(crowd, 'eth0');
  try {
    const end = await rival.start(lab, folder);
    const words = ['-6', '-l', 'eth0', '--scenario', 'avalanche', '-R', String(machines)];
    const begun = performance.now();
    const child = crowd.spawn('timeout', '120', 'perfdhcp', ...words);
    child.stderr.resume();
    const said = await text(child.stdout);
    const seconds = (performance.now() - begun) / 1000;
    await end();
    const served = [...said.matchAll(/received packets: (\d+)/g)].map(([, count]) => Number(count));
    return served.length === 2 && served.every((count) => count >= machines) ? seconds : undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

console.log(`load of the host: ${readFileSync('/proc/loadavg', 'utf8').trim()}`);
for (const machines of MACHINES) {
  const times = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round += 1)
    for (const rival of [own, kea]) {
      const seconds = await measure(rival, machines);
      times.set(rival.name, [...(times.get(rival.name) ?? []), seconds ?? Number.NaN]);
    }
  const [ours = Number.NaN, theirs = Number.NaN] = [own, kea].map(({ name }) =>
    median(times.get(name) ?? []),
  );
  console.log(
    `${machines} new machines at once: ${own.name} ${ours.toFixed(2)} s, ${kea.name} ${theirs.toFixed(2)} s, ratio ${(ours / theirs).toFixed(2)}`,
  );
}
