// `ironic-edge rack N`: simulates machines to try a daemon with.
import { rmSync, writeFileSync } from 'node:fs';
import { type Clock, systemClock } from '../lib/clock.ts';
import type { HttpClientSettings } from '../lib/http-client/http-client.ts';
import { ipv4Text, netmask, parseIpv4 } from '../lib/network/ipv4.ts';
import { visibleLine } from '../lib/plain-text.ts';
import { withoutTrailingSlashes } from '../lib/network/ip.ts';
import { apiServer, ENVIRONMENT_HELP } from './api-client.ts';
import { commandOf, FLAG, TEXT, WrongArguments } from './command.ts';

const USAGE = `usage: ironic-edge rack N [--post-seconds S] [--boot-seconds S] [--step-seconds S] [--boots-port P]
                          [--fetch-images] [--plain-http]
                          [--redfish SHAPE | --ipmi | --oneview [--appliance-port P] |
                           --factory [--bmc-network CIDR] [--dhcp SERVER] [--list FILE]] [--boot-url URL]

Simulates N machines and enrols them with a running daemon as rack-001, rack-002 and so on, with one port each. Each machine
has a BMC that speaks a part of Redfish. When powered on, a machine boots and runs a ramdisk's agent. Until interrupted, the
command prints what the machines do. Their nodes stay enrolled, and the next run reuses the nodes.

  --post-seconds S    time that the firmware takes at each power-on and reset before anything boots (default 0)
  --boot-seconds S    time from then until the ramdisk runs (default 10)
  --step-seconds S    time the agent takes for each step (default 5)
  --boots-port P      an HTTP server at this port of 127.0.0.1 answers with the firmware boots of each machine so far, and what
                      became of each: ramdisk, disk, or nothing, as long as the firmware is at work
  --fetch-images      agents download the images of instances and verify them, as real agents do; otherwise the images need
                      not exist
  --redfish SHAPE     machines with a complete Redfish BMC, enrolled as redfish-001 and so on with the hardware type
                      redfish; they boot CD images and over the network. SHAPE: plain, dell9, dell10, hpe, supermicro,
                      lenovo, openbmc, ami, or all for each in turn
  --ipmi              machines with an IPMI BMC, the program ipmi_sim (Debian: openipmi), enrolled as ipmi-001 and so on with
                      the hardware type ipmi; they boot over the network
  --plain-http        agents serve plain HTTP; the daemon then needs [agent] require_tls = false
  --oneview           the machines are servers behind an HPE OneView appliance, which is simulated too and has the same
                      address in every run; they are enrolled as blade-001 and so on
  --appliance-port P  the TCP port of the appliance (default 8443)
  --factory           machines as they come from the factory: not enrolled, each with a Redfish BMC of another kind, at an
                      address of its own (port 443, which needs root), and with a password of its own
  --bmc-network CIDR  the IPv4 network with the addresses of these BMCs (default 127.64.0.0/16)
  --dhcp SERVER       these BMCs get their addresses from the DHCP server at this IPv4 address, through a relay at the first
                      address of the BMC network (port 67, which needs root); FILE then names no addresses
  --list FILE         where their serial numbers and logins are written, as a list of expected machines (default
                      factory.csv)
  --boot-url URL      with --oneview, --redfish, --ipmi and --factory: the daemon's boot HTTP server, from which the machines boot
                      (default http://127.0.0.1:8080)

The daemon must have the hardware type of these machines enabled, and be allowed to call their agents on this host:

  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES=simulated IRONIC_AGENT__CALLBACK_NETWORKS=127.0.0.0/8 ironic-edge serve

${ENVIRONMENT_HELP}
The machines' agents reach the daemon at OS_ENDPOINT, too, which must be a URL here.
`;

/** Resolves when the process is interrupted. */
export const rackCommand = commandOf({
  usage: USAGE,
  options: {
    'post-seconds': { ...TEXT, default: '0' },
    'boots-port': TEXT,
    'boot-seconds': { ...TEXT, default: '10' },
    'step-seconds': { ...TEXT, default: '5' },
    redfish: TEXT,
    'plain-http': FLAG,
    'fetch-images': FLAG,
    ipmi: FLAG,
    oneview: FLAG,
    'appliance-port': { ...TEXT, default: '8443' },
    factory: FLAG,
    'bmc-network': { ...TEXT, default: '127.64.0.0/16' },
    dhcp: TEXT,
    list: { ...TEXT, default: 'factory.csv' },
    'boot-url': { ...TEXT, default: 'http://127.0.0.1:8080' },
  },
  positionals: ['N'],
  async run({ values, positionals: [count] }, { environment, stdout }) {
    const size = sizeFrom(count);
    const postSeconds = secondsFrom('--post-seconds', values['post-seconds']);
    const bootSeconds = secondsFrom('--boot-seconds', values['boot-seconds']);
    const stepSeconds = secondsFrom('--step-seconds', values['step-seconds']);
    const started = Date.now();
    const tell = (machine: string, what: string) =>
      stdout.write(
        `${((Date.now() - started) / 1000).toFixed(1).padStart(7)} ${machine} ${visibleLine(what)}\n`,
      );
    const { url, route, ...access } = apiServer(environment).settings;
    if (route !== undefined)
      throw new WrongArguments(
        "OS_ENDPOINT is a socket: expected a URL such as http://127.0.0.1:6385, which the machines' agents can reach",
      );
    const settings = {
      size,
      postSeconds,
      bootSeconds,
      stepSeconds,
      fetchesImages: values['fetch-images'],
      url,
      access,
      tls: !values['plain-http'],
      clock: systemClock,
      tell,
    };
    const bootsPort = values['boots-port'];
    const port = bootsPort === undefined ? undefined : portFrom('--boots-port', bootsPort);
    const rack = await rackOf(values, settings);
    const counts = port === undefined ? undefined : await serveBoots(rack, port);
    const interrupted = interruption();
    for (const { name, node, machine } of rack) {
      const place = `BMC ${machine.bmcUrl}`;
      tell(name, node === undefined ? `has the ${place}` : `is node ${node}, ${place}`);
    }
    await interrupted;
    counts?.close();
    for (const { machine } of rack) machine.unplug();
    return 0;
  },
});

interface RackSettings {
  readonly size: number;
  readonly postSeconds: number;
  readonly bootSeconds: number;
  readonly stepSeconds: number;
  readonly fetchesImages: boolean;
  readonly url: string;
  readonly access: Pick<HttpClientSettings, 'login' | 'tls'>;
  readonly tls: boolean;
  readonly clock: Clock;
  readonly tell: (machine: string, what: string) => void;
}

interface Wanted {
  readonly redfish?: string | undefined;
  readonly ipmi?: boolean | undefined;
  readonly oneview?: boolean | undefined;
  readonly factory?: boolean | undefined;
  readonly 'bmc-network': string;
  readonly dhcp?: string | undefined;
  readonly list: string;
  readonly 'appliance-port': string;
  readonly 'boot-url': string;
}

function refuseContradictions({ redfish, ipmi, oneview, factory, dhcp }: Wanted): void {
  if ([redfish, ipmi, oneview, factory].filter((each) => each !== undefined && each !== false).length > 1)
    throw new WrongArguments('give only one of --redfish, --ipmi, --oneview and --factory');
  if (dhcp !== undefined && factory !== true)
    throw new WrongArguments('--dhcp: only machines of --factory use DHCP');
}

async function rackOf(wanted: Wanted, settings: RackSettings): Promise<readonly PluggedIn[]> {
  const bootUrl = withoutTrailingSlashes(wanted['boot-url']);
  refuseContradictions(wanted);
  if (wanted.factory === true) return factoryRack(wanted, { ...settings, bootUrl });
  if (wanted.redfish !== undefined) return redfishRack(wanted.redfish, { ...settings, bootUrl });
  if (wanted.ipmi === true)
    return (await import('../simulator/ipmi/rack.ts')).plugInIpmiRack({ ...settings, bootUrl });
  if (wanted.oneview !== true) return (await import('../simulator/rack.ts')).plugInRack(settings);
  const { plugInWithAppliance } = await import('../simulator/oneview/machines.ts');
  return plugInWithAppliance({
    ...settings,
    appliancePort: portFrom('--appliance-port', wanted['appliance-port']),
    bootUrl,
  });
}

interface PluggedIn {
  readonly name: string;
  /** Undefined when the machine is not enrolled. */
  readonly node?: string;
  readonly machine: { readonly bmcUrl: string; readonly boots: readonly string[]; unplug(): void };
}

async function serveBoots(rack: readonly PluggedIn[], port: number): Promise<{ close(): void }> {
  const { serve } = await import('../simulator/server.ts');
  const bootsOf = () => Object.fromEntries(rack.map(({ name, machine }) => [name, machine.boots]));
  return serve(async () => ({ status: 200, body: bootsOf() }), { port });
}

async function redfishRack(
  wanted: string,
  settings: RackSettings & { readonly bootUrl: string },
): Promise<readonly PluggedIn[]> {
  const { plugInRedfishRack, rackShapes } = await import('../simulator/redfish-rack.ts');
  const shape = rackShapes.find((each) => each === wanted);
  if (shape !== undefined) return plugInRedfishRack({ ...settings, shape });
  throw new WrongArguments(`--redfish ${JSON.stringify(wanted)}: expected one of ${rackShapes.join(', ')}`);
}

async function factoryRack(
  { 'bmc-network': network, dhcp, list }: Wanted,
  settings: RackSettings & { readonly bootUrl: string },
): Promise<readonly PluggedIn[]> {
  const addresses = firstAddresses(network, settings.size);
  if (dhcp !== undefined && parseIpv4(dhcp) === undefined)
    throw new WrongArguments(`--dhcp ${JSON.stringify(dhcp)}: expected an IPv4 address, such as 127.0.0.1`);
  const { expectedMachines, plugInFactoryRack } = await import('../simulator/factory-rack.ts');
  const { DhcpRelay } = await import('../simulator/dhcp-relay.ts');
  const [first = ''] = addresses;
  using relay =
    dhcp === undefined
      ? undefined
      : await DhcpRelay.open({ address: first, server: dhcp, clock: settings.clock });
  const rack = await plugInFactoryRack({
    ...settings,
    addressOf: (number, bmc) => relay?.lease(bmc) ?? addresses[number - 1] ?? '',
  });
  // the list holds passwords
  rmSync(list, { force: true });
  writeFileSync(list, expectedMachines(rack, { withAddresses: dhcp === undefined }), { mode: 0o600 });
  return rack;
}

/** The addresses after the first one of the network, which names it, and without the last one. */
function firstAddresses(network: string, size: number): readonly string[] {
  const [text = '', prefix = ''] = network.split('/');
  const first = parseIpv4(text);
  const mask = netmask(Number(prefix));
  const isNetwork =
    /^(?:[89]|[12]\d|30)$/.test(prefix) && first !== undefined && (first & mask) >>> 0 === first;
  if (!isNetwork || size > 2 ** (32 - Number(prefix)) - 2)
    throw new WrongArguments(
      `--bmc-network ${JSON.stringify(network)}: expected an IPv4 network with at least ${size} addresses, such as 127.64.0.0/16`,
    );
  return Array.from({ length: size }, (_, index) => ipv4Text(first + index + 1));
}

function portFrom(option: string, text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new WrongArguments(`${option} ${JSON.stringify(text)}: expected a port from 0 to 65535`);
}

function sizeFrom(text: string): number {
  if (/^[1-9]\d{0,3}$/.test(text)) return Number(text);
  throw new WrongArguments(`N ${JSON.stringify(text)}: expected a number of machines from 1 to 9999`);
}

function secondsFrom(option: string, text: string): number {
  if (/^\d{1,4}(\.\d+)?$/.test(text)) return Number(text);
  throw new WrongArguments(`${option} ${JSON.stringify(text)}: expected seconds from 0 to 9999, such as 2.5`);
}

// an interval keeps the process alive, because the timers and servers of the machines do not
function interruption(): Promise<void> {
  const alive = setInterval(() => undefined, 3_600_000);
  return new Promise((resolve) => {
    const end = () => {
      clearInterval(alive);
      resolve();
    };
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
  });
}
