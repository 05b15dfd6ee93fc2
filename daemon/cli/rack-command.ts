// `ironic-edge rack N`: simulates machines to try a daemon with.
import { parseArgs } from 'node:util';
import { systemClock } from '../lib/clock.ts';
import { withoutTrailingSlashes } from '../lib/trailing-slashes.ts';
import type { CommandContext } from './command.ts';

const USAGE = `usage: ironic-edge rack N [--url URL] [--boot-seconds S] [--step-seconds S] [--plain-http]

Simulates N machines and enrols them with a running daemon as rack-001, rack-002 and so on, with one port each. Each
machine has a BMC that speaks a part of Redfish, boots when it is powered on, and runs a ramdisk's agent. The command
prints what the machines do until it is interrupted. Their nodes stay enrolled, and the next run reuses them.

  --url URL           URL of the daemon's API (default http://127.0.0.1:6385)
  --boot-seconds S    time from power on until the ramdisk runs (default 10)
  --step-seconds S    time the agent takes for each step (default 5)
  --plain-http        agents serve plain HTTP; the daemon then needs [agent] require_tls = false

The daemon needs the plugin that drives these machines, and must be allowed to call their agents on this host:

  IRONIC_PLUGINS__PATH=PLUGIN_PATH IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES=simulated \\
    IRONIC_AGENT__CALLBACK_NETWORKS=127.0.0.0/8 ironic-edge serve

OS_USERNAME and OS_PASSWORD are the credentials for the API.
`;

/** Resolves with the exit code when the process is interrupted. */
export async function rackCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { environment, stdout, stderr } = context;
  const { plugInRack, PLUGIN_PATH } = await import('../../test/fakes/machine/rack.ts');
  const usage = USAGE.replace('PLUGIN_PATH', PLUGIN_PATH);
  const request = parseRequest(args);
  if (request === undefined || request === 'help') {
    (request === 'help' ? stdout : stderr).write(usage);
    return request === 'help' ? 0 : 2;
  }
  const started = Date.now();
  const tell = (machine: string, what: string) =>
    stdout.write(`${((Date.now() - started) / 1000).toFixed(1).padStart(7)} ${machine} ${what}\n`);
  const { OS_USERNAME: user, OS_PASSWORD: password } = environment;
  const rack = await plugInRack({
    ...request,
    clock: systemClock,
    tell,
    ...(user !== undefined && {
      authorization: `Basic ${Buffer.from(`${user}:${password ?? ''}`).toString('base64')}`,
    }),
  });
  const interrupted = interruption();
  for (const { name, node, machine } of rack) tell(name, `is node ${node}, BMC ${machine.bmcUrl}`);
  await interrupted;
  for (const { machine } of rack) machine.unplug();
  return 0;
}

interface Request {
  readonly size: number;
  readonly url: string;
  readonly bootSeconds: number;
  readonly stepSeconds: number;
  readonly tls: boolean;
}

function parseRequest(args: readonly string[]): Request | 'help' | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        url: { type: 'string', default: 'http://127.0.0.1:6385' },
        'boot-seconds': { type: 'string', default: '10' },
        'step-seconds': { type: 'string', default: '5' },
        'plain-http': { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    });
    if (values.help) return 'help';
    const numbers = {
      size: numberIn(positionals.length === 1 ? positionals[0] : undefined),
      bootSeconds: numberIn(values['boot-seconds']),
      stepSeconds: numberIn(values['step-seconds']),
    };
    if (!Number.isInteger(numbers.size) || numbers.size < 1 || Object.values(numbers).some(Number.isNaN))
      return undefined;
    return { ...numbers, url: withoutTrailingSlashes(values.url), tls: !values['plain-http'] };
  } catch {
    return undefined;
  }
}

const numberIn = (text = '') => (/^\d{1,4}(\.\d+)?$/.test(text) ? Number(text) : Number.NaN);

// The machines' timers and servers do not keep the process alive, so an interval does
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
