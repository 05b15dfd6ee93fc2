// Measures how many new machines per second get an address, next to dnsmasq and Kea in the same run, all with leases on
// disk: `daemon/cli/node test/bench/boot-dhcp.ts [ROUNDS]`. Prints rates and ratios; asserts nothing.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { DhcpServerProcess } from '../fakes/boot/dhcp-server-process.ts';
import { NetworkSpace } from '../fakes/boot/network-space.ts';
import { type MeasuredServer, serverInLab } from './load/server-in-lab.ts';

const ROUNDS = Number(process.argv[2] ?? 3);
const MACHINES = [100, 1000, 3000];
const OUTSTANDING = 32;
const NODE = join(import.meta.dirname, '../../daemon/cli/node');
const CLIENTS = join(import.meta.dirname, 'load/dhcp-clients.ts');
const RANGE = { first: '10.99.1.0', last: '10.99.60.255' };

const own: MeasuredServer = {
  name: 'ironic-edge',
  async start(lab) {
    const daemon = new DhcpServerProcess(lab);
    const subnet = `10.99.0.0/16 range=${RANGE.first}-${RANGE.last} interface=server`;
    await daemon.start({ subnet, known_machines_only: 'false' });
    return () => daemon[Symbol.asyncDispose]();
  },
};

const dnsmasq: MeasuredServer = {
  name: 'dnsmasq',
  async start(lab, folder) {
    const range = `--dhcp-range=${RANGE.first},${RANGE.last},255.255.0.0,1h`;
    const leases = [`--dhcp-leasefile=${join(folder, 'leases')}`, '--dhcp-lease-max=20000', '--no-ping'];
    const words = [
      '--no-daemon',
      '--conf-file=/dev/null',
      '--port=0',
      '--interface=server',
      '--bind-interfaces',
    ];
    return serverInLab(
      lab,
      ['dnsmasq', ...words, range, ...leases, '--dhcp-authoritative'],
      'bound exclusively',
    );
  },
};

const kea: MeasuredServer = {
  name: 'kea',
  async start(lab, folder) {
    const file = join(folder, 'kea.json');
    const settings = {
      'interfaces-config': { interfaces: ['server'], 'dhcp-socket-type': 'udp' },
      'lease-database': { type: 'memfile', persist: true, name: join(folder, 'kea.csv') },
      subnet4: [{ subnet: '10.99.0.0/16', pools: [{ pool: `${RANGE.first} - ${RANGE.last}` }] }],
      loggers: [{ name: 'kea-dhcp4', severity: 'INFO', output_options: [{ output: 'stderr' }] }],
    };
    writeFileSync(file, JSON.stringify({ Dhcp4: settings }));
    const environment = [`KEA_PIDFILE_DIR=${folder}`, `KEA_LOCKFILE_DIR=${folder}`];
    return serverInLab(lab, ['env', ...environment, 'kea-dhcp4', '-c', file], 'DHCP4_STARTED');
  },
};

interface Measured {
  readonly seconds: number;
  readonly served: number;
  readonly repeated: number;
}

async function measure(rival: MeasuredServer, machines: number, seed: number): Promise<Measured | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-dhcp-'));
  await using lab = await NetworkSpace.start();
  lab.run('ip', 'address', 'add', '10.99.0.1/16', 'dev', 'server');
  lab.run('ip', 'address', 'delete', '10.99.0.1/24', 'dev', 'server');
  await using relay = await lab.host('10.99.255.1/16');
  try {
    const end = await rival.start(lab, folder);
    const words = ['10.99.255.1', '10.99.0.1', machines, OUTSTANDING, seed].map(String);
    const child = relay.spawn('timeout', '120', NODE, CLIENTS, ...words);
    child.stderr.pipe(process.stderr);
    const said = await text(child.stdout);
    await end();
    return said === '' ? undefined : (JSON.parse(said) as Measured);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

console.log(
  `load of the host: ${readFileSync('/proc/loadavg', 'utf8').trim()}; ${OUTSTANDING} machines ask at a time`,
);
for (const machines of MACHINES) {
  const rates = new Map<string, number[]>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const rival of [own, dnsmasq, kea]) {
      const measured = await measure(rival, machines, round + 1).catch((error: unknown) => {
        console.log(`${rival.name}: ${String(error).slice(0, 300)}`);
        return undefined;
      });
      const all = rates.get(rival.name) ?? [];
      rates.set(rival.name, [
        ...all,
        measured === undefined ? Number.NaN : measured.served / measured.seconds,
      ]);
    }
  }
  const ours = rates.get(own.name) ?? [];
  const parts = [...rates].map(([name, rounds]) => {
    // rounds that failed count for nothing
    const values = rounds.filter(Number.isFinite);
    const ratios = ours.map((rate, index) => rate / (rounds[index] ?? Number.NaN)).filter(Number.isFinite);
    const range = `${Math.min(...values).toFixed(0)}-${Math.max(...values).toFixed(0)}`;
    return `${name} ${median(values).toFixed(0)}/s (${range})${name === own.name ? '' : `, ratio ${median(ratios).toFixed(2)}`}`;
  });
  console.log(`${machines} new machines: ${parts.join('; ')}`);
}
