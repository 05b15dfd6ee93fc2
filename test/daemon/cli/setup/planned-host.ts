// A host for `ironic-edge setup` with what its plan is made from, and the plan.
import { networkOf } from '../../../../daemon/cli/setup/host/network.ts';
import type { SetupAnswers } from '../../../../daemon/cli/setup/answers.ts';
import { apply, undoAll } from '../../../../daemon/cli/setup/apply.ts';
import type { Progress } from '../../../../daemon/cli/setup/change.ts';
import { planFor } from '../../../../daemon/cli/setup/plan/plan.ts';
import type { FakeHost, Programs } from './fake-host.ts';

const progress: Progress = { say: () => undefined, doing: () => undefined };
const answers: SetupAnswers = {
  interface: 'br0',
  address: '10.0.0.1',
  subnet: '10.0.0.0/24',
  dhcp: 'own',
  range: '10.0.0.50-10.0.0.99',
  admin: 'admin',
  password: 'correct horse',
  apiAddress: '127.0.0.1',
  tls: undefined,
  keepsRamdisk: true,
  images: [],
  ramdisk: 'none',
};

/** A Debian with systemd, on which all packages are installed. */
export const DEBIAN: Programs = {
  'ip -json address': JSON.stringify([
    {
      ifname: 'br0',
      link_type: 'ether',
      flags: ['LOWER_UP'],
      addr_info: [{ family: 'inet', local: '10.0.0.1', prefixlen: 24 }],
    },
  ]),
  'ip -json': '[]',
  'dpkg-query': ['ipmitool', 'qemu-utils', 'xorriso', 'ipxe', 'shim-signed', 'radvd']
    .map((name) => `ii ${name}\n`)
    .join(''),
  'systemctl cat': '',
  'systemctl stop': '',
  'systemctl enable': '',
  'systemctl disable': '',
  'systemctl start': '',
  'systemctl restart': '',
};

export async function planned(host: FakeHost, given: Partial<SetupAnswers> = {}, opensFirewall = true) {
  const setting = { host, progress, group: 0, isService: true, network: await networkOf(host) };
  const journal = host.journal();
  const plan = await planFor({ ...setting, journal }, { ...answers, ...given }, opensFirewall);
  return {
    plan,
    ids: plan.changes.map(({ id }) => id),
    shows: (id: string) => plan.changes.find((change) => change.id === id)?.shows.join('\n') ?? '',
    apply: () => apply(plan.changes, journal, progress, new AbortController().signal),
  };
}

export const undo = (host: FakeHost) => undoAll(host, host.journal(), progress);
/** The commands of systemctl that change something. */
export const systemctl = (host: FakeHost) =>
  host.ran.filter((line) => /^systemctl (?:stop|start|restart|enable|disable)/.test(line));

export const inputChain = (family: string, table: string) => ({
  chain: { family, table, name: 'input', hook: 'input', policy: 'drop' },
});
