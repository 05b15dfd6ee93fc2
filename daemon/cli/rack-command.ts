// `ironic-edge rack N`: simulates machines to try a daemon with.
import { type Clock, systemClock } from '../lib/clock.ts';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.ts';
import { commandOf, FLAG, TEXT, WrongArguments } from './command.ts';

const USAGE = `usage: ironic-edge rack N [--url URL] [--boot-seconds S] [--step-seconds S] [--fetch-images] [--plain-http] [--redfish SHAPE | --ipmi | --oneview [--appliance-port P]] [--boot-url URL]

Simulates N machines and enrols them with a running daemon as rack-001, rack-002 and so on, with one port each. Each machine
has a BMC that speaks a part of Redfish. When powered on, a machine boots and runs a ramdisk's agent. Until interrupted, the
command prints what the machines do. Their nodes stay enrolled, and the next run reuses the nodes.

  --url URL           URL of the daemon's API (default http://127.0.0.1:6385)
  --boot-seconds S    time from power on until the ramdisk runs (default 10)
  --step-seconds S    time the agent takes for each step (default 5)
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
  --boot-url URL      with --oneview, --redfish and --ipmi: the daemon's boot HTTP server, from which the machines boot
                      (default http://127.0.0.1:8080)

The daemon must have the hardware type of these machines enabled, and be allowed to call their agents on this host:

  IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES=simulated IRONIC_AGENT__CALLBACK_NETWORKS=127.0.0.0/8 ironic-edge serve

OS_USERNAME and OS_PASSWORD are the credentials for the API.
`;

/** Resolves when the process is interrupted. */
export const rackCommand = commandOf({
  usage: USAGE,
  options: {
    url: { ...TEXT, default: 'http://127.0.0.1:6385' },
    'boot-seconds': { ...TEXT, default: '10' },
    'step-seconds': { ...TEXT, default: '5' },
    redfish: TEXT,
    'plain-http': FLAG,
    'fetch-images': FLAG,
    ipmi: FLAG,
    oneview: FLAG,
    'appliance-port': { ...TEXT, default: '8443' },
    'boot-url': { ...TEXT, default: 'http://127.0.0.1:8080' },
  },
  positionals: ['N'],
  async run({ values, positionals: [count] }, { environment, stdout }) {
    const size = sizeFrom(count);
    const bootSeconds = secondsFrom('--boot-seconds', values['boot-seconds']);
    const stepSeconds = secondsFrom('--step-seconds', values['step-seconds']);
    const started = Date.now();
    const tell = (machine: string, what: string) =>
      stdout.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(7)} ${machine} ${what}\n`);
    const { OS_USERNAME: user, OS_PASSWORD: password = '' } = environment;
    const settings = {
      size,
      bootSeconds,
      stepSeconds,
      fetchesImages: values['fetch-images'],
      url: withoutTrailingSlashes(values.url),
      tls: !values['plain-http'],
      clock: systemClock,
      tell,
      ...(user !== undefined && {
        authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
      }),
    };
    const rack = await rackOf(values, settings);
    const interrupted = interruption();
    for (const { name, node, machine } of rack) tell(name, `is node ${node}, BMC ${machine.bmcUrl}`);
    await interrupted;
    for (const { machine } of rack) machine.unplug();
    return 0;
  },
});

interface RackSettings {
  readonly size: number;
  readonly bootSeconds: number;
  readonly stepSeconds: number;
  readonly fetchesImages: boolean;
  readonly url: string;
  readonly tls: boolean;
  readonly clock: Clock;
  readonly tell: (machine: string, what: string) => void;
  readonly authorization?: string;
}

interface Wanted {
  readonly redfish?: string | undefined;
  readonly ipmi?: boolean | undefined;
  readonly oneview?: boolean | undefined;
  readonly 'appliance-port': string;
  readonly 'boot-url': string;
}

function refuseSeveralKinds({ redfish, ipmi, oneview }: Wanted): void {
  if ([redfish, ipmi, oneview].filter((each) => each !== undefined && each !== false).length > 1)
    throw new WrongArguments('give only one of --redfish, --ipmi and --oneview');
}

async function rackOf(wanted: Wanted, settings: RackSettings): Promise<readonly PluggedIn[]> {
  const bootUrl = withoutTrailingSlashes(wanted['boot-url']);
  refuseSeveralKinds(wanted);
  if (wanted.redfish !== undefined) return redfishRack(wanted.redfish, { ...settings, bootUrl });
  if (wanted.ipmi === true)
    return (await import('../simulator/ipmi/rack.ts')).plugInIpmiRack({ ...settings, bootUrl });
  if (wanted.oneview !== true) return (await import('../simulator/rack.ts')).plugInRack(settings);
  const { plugInWithAppliance } = await import('../simulator/oneview/machines.ts');
  return plugInWithAppliance({
    ...settings,
    appliancePort: portFrom(wanted['appliance-port']),
    bootUrl,
  });
}

interface PluggedIn {
  readonly name: string;
  readonly node: string;
  readonly machine: { readonly bmcUrl: string; unplug(): void };
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

function portFrom(text: string): number {
  if (/^\d{1,5}$/.test(text) && Number(text) < 65_536) return Number(text);
  throw new WrongArguments(`--appliance-port ${JSON.stringify(text)}: expected a port from 0 to 65535`);
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
