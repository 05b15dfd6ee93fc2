// The probe of BMCs: whether they answer on the network. It does not log in, and changes nothing on them.
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { lookup } from 'node:dns/promises';
import type { Node } from '../../model/records/node.ts';
import { givenBmcUrl } from '../bmc-url.ts';
import { type ProbeFinding, type Probe, unless } from '../probe.ts';

/** RMCP presence ping (ASF 2.0, section 3.2.4.2). */
const PING = Buffer.from('0600ff06000011be80000000', 'hex');
const ANSWER_MILLISECONDS = 2000;
const MOST_BMCS = 500;
const IPMI_PORT = 623;
const CANNOT_BE_MANAGED = 'the machine cannot be powered, booted or watched';

type Bmc = { readonly address: string } & (
  | { readonly kind: 'ipmi'; readonly port: number }
  | { readonly kind: 'tcp'; readonly port: number }
);

interface AskedBmc {
  readonly uuid: string;
  readonly name: string;
  readonly bmc: Bmc;
}

export const bmcProbes: readonly Probe[] = [
  {
    id: 'bmc-reachable',
    about: 'whether BMCs answer',
    async run({ read, signal }) {
      const nodes =
        read((tables) => tables.nodes.where({ sql: 'maintenance = 0 OR fault IS NOT NULL', values: [] })) ??
        [];
      const bmcs = nodes.flatMap((node) => {
        const bmc = bmcOf(node);
        return bmc === undefined ? [] : [{ uuid: node.uuid, name: node.name ?? node.uuid, bmc }];
      });
      const others = [...wrongPorts(nodes), ...notAsked(bmcs.length)];
      const asked = await Promise.all(
        bmcs.slice(0, MOST_BMCS).map(async (each) => ({ ...each, answers: await answers(each.bmc, signal) })),
      );
      const silent = asked.filter((each) => !each.answers);
      if (silent.length > 1 && silent.length === asked.length)
        return [
          ...others,
          {
            severity: 'error',
            saw: `none of ${silent.length} BMCs answers`,
            means: 'this host is cut off from the network of the BMCs',
            fix: `ip route get ${silent[0]?.bmc.address}; check cable, VLAN and firewall`,
          },
        ];
      return [...others, ...silent.map(silence)];
    },
  },
];

function bmcOf({ driver_info: info }: Node): Bmc | undefined {
  const { ipmi_address: ipmi, ipmi_port: port, redfish_address: redfish } = info;
  if (typeof redfish === 'string') {
    const url = givenBmcUrl(redfish);
    if (url === null) return undefined;
    const otherwise = url.protocol === 'http:' ? 80 : 443;
    return { kind: 'tcp', address: url.hostname, port: url.port === '' ? otherwise : Number(url.port) };
  }
  if (typeof ipmi !== 'string' || !isPort(port ?? IPMI_PORT)) return undefined;
  return { kind: 'ipmi', address: ipmi, port: Number(port ?? IPMI_PORT) };
}

const isPort = (value: unknown): boolean => /^[1-9]\d{0,4}$/.test(String(value)) && Number(value) <= 65_535;

const wrongPorts = (nodes: readonly Node[]): readonly ProbeFinding[] =>
  nodes
    .map(({ name, uuid, driver_info: info }) => ({
      label: name ?? uuid,
      port: info['ipmi_port'] ?? IPMI_PORT,
    }))
    .filter(({ port }) => !isPort(port))
    .map(({ label, port }) => ({
      severity: 'error',
      saw: `ipmi_port of ${label} is ${JSON.stringify(port)}, which is no UDP port`,
      means: CANNOT_BE_MANAGED,
      fix: `baremetal node set ${label} --driver-info ipmi_port=${IPMI_PORT}`,
    }));

const notAsked = (bmcs: number): readonly ProbeFinding[] =>
  unless(bmcs <= MOST_BMCS, () => ({
    severity: 'warning',
    saw: `only ${MOST_BMCS} of ${bmcs} BMCs were asked`,
    means: 'whether the others answer is not known',
    fix: 'baremetal node list --fault "power failure"',
  }));

const silence = ({ uuid, name, bmc }: AskedBmc): ProbeFinding => ({
  severity: 'error',
  saw: `the BMC ${bmc.address} of ${name} does not answer at ${bmc.kind === 'ipmi' ? 'UDP' : 'TCP'} port ${bmc.port}`,
  means: CANNOT_BE_MANAGED,
  fix: `ping -c3 ${bmc.address}; reset the BMC, or correct driver_info of ${name}`,
  node: uuid,
});

const answers = (bmc: Bmc, signal: AbortSignal): Promise<boolean> =>
  bmc.kind === 'ipmi' ? answersPing(bmc, signal) : accepts(bmc);

async function answersPing({ address, port }: Bmc, signal: AbortSignal): Promise<boolean> {
  const found = await lookup(address).catch(() => undefined);
  if (found === undefined) return false;
  return new Promise((resolve) => {
    const socket = createSocket(found.family === 6 ? 'udp6' : 'udp4');
    const end = (result: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.close();
      resolve(result);
    };
    const onAbort = () => end(false);
    const timer = setTimeout(() => end(false), ANSWER_MILLISECONDS);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.once('message', () => end(true));
    socket.once('error', () => end(false));
    socket.send(PING, port, found.address, (error) => {
      if (error !== null) end(false);
    });
  });
}

const accepts = ({ address, port }: Bmc): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: address.replace(/^\[(.*)\]$/, '$1'), port, timeout: ANSWER_MILLISECONDS });
    const end = (result: boolean) => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => end(true));
    socket.once('timeout', () => end(false));
    socket.once('error', () => end(false));
  });
