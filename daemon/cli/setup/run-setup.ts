// The course of setup: questions, plan, changes, doctor, and what to do next.
import { isIPv6 } from 'node:net';
import { hostInUrl, isLoopback } from '../../lib/network/ip.ts';
import { type CommandContext, WrongArguments } from '../command.ts';
import { CommandFailure, exitCodes } from '../exit-codes.ts';
import { buildProgress } from '../agent-image/build-progress.ts';
import { type AnswerParts, type SetupAnswers, answersFrom, recorded } from './answers.ts';
import { apply, undoAll } from './apply.ts';
import { askerOf, type ReadLine } from './ask.ts';
import type { HostChange } from './change.ts';
import { type Host, outputOn } from './host/host.ts';
import { type Interface, networkOf } from './host/network.ts';
import { heldPorts, portHolder } from './host/ports.ts';
import { searchRivals } from './host/rivals.ts';
import { SetupJournal } from './journal.ts';
import { CONFIG_FILE, JOURNAL } from './paths.ts';
import { apiEnvironment } from './plan/images.ts';
import { type Plan, planFor } from './plan/plan.ts';
import type { SetupSetting } from './plan/plan-parts.ts';
import { DHCP_PORTS, dhcpSockets, hasService } from './plan/units.ts';

export interface SetupRequest {
  readonly host: Host;
  /** The values of options that answer a question, by their names. */
  readonly given: Readonly<Record<string, string | undefined>>;
  readonly isDryRun: boolean;
  readonly takesProposals: boolean;
  readonly opensFirewall: boolean;
  readonly readLine: ReadLine;
  /** Stops between two changes. */
  readonly signal: AbortSignal;
  readonly context: CommandContext;
}

/** Resolves with the exit code. */
export async function runSetup(request: SetupRequest): Promise<number> {
  const { host, context, isDryRun, signal } = request;
  const network = await networkOf(host);
  const journal = new SetupJournal(host.root + JOURNAL);
  const setting: SetupSetting = {
    host,
    journal,
    network,
    progress: buildProgress(context.stderr),
    group: await daemonsGroup(host),
    isService: await hasService(host),
  };
  const answers = await answersOf(request, setting);
  const plan = await planFor(setting, answers, request.opensFirewall);
  context.stdout.write(planText(plan));
  if (isDryRun) {
    if (!setting.isService) context.stdout.write(commandText(plan));
    return exitCodes.done;
  }
  if (plan.changes.length > 0) {
    await confirm(request, 'Make these changes');
    journal.answered(recorded(answers));
    await apply(plan.changes, journal, setting.progress, signal);
  }
  if (!setting.isService) {
    context.stdout.write(commandText(plan));
    return exitCodes.done;
  }
  context.stdout.write('\nironic-edge doctor:\n');
  const { doctorCommand } = await import('../host/doctor-command.ts');
  const code = await doctorCommand([], {
    ...context,
    environment: { ...context.environment, IRONIC_CONFIG_FILE: CONFIG_FILE },
  });
  context.stdout.write(nextText(plan, answers));
  return code;
}

/** Takes back what all runs have changed. */
export async function runUndo(
  request: Pick<SetupRequest, 'host' | 'takesProposals' | 'isDryRun' | 'readLine' | 'context'>,
): Promise<number> {
  const { host, context, isDryRun } = request;
  const journal = new SetupJournal(host.root + JOURNAL);
  if (journal.begun.length === 0) {
    journal.remove();
    context.stdout.write('Nothing to take back: setup has changed nothing on this host.\n');
    return exitCodes.done;
  }
  context.stdout.write(`To be taken back: ${journal.begun.toReversed().join(', ')}\n`);
  if (isDryRun) return exitCodes.done;
  await confirm(request, 'Take this back (the database, images and logs of the daemon stay)');
  await undoAll(host, journal, buildProgress(context.stderr));
  context.stdout.write(
    'What setup has changed is taken back, but for what is named above; the database, images and logs stay.\n',
  );
  return exitCodes.done;
}

async function answersOf(
  { host, given, takesProposals, readLine, context }: SetupRequest,
  { journal, network }: SetupSetting,
): Promise<SetupAnswers> {
  const parts: AnswerParts = {
    ask: askerOf({ given, takesProposals, readLine }),
    network,
    given,
    before: journal.answers,
    rivalsOn: async (at) => {
      const { rivals, finding } = await rivalsOn(host, at);
      context.stdout.write(`${finding}\n`);
      return rivals;
    },
  };
  return answersFrom(parts);
}

interface RivalSearch {
  readonly rivals: readonly string[];
  /** What was found, or why nothing was searched, as a sentence. */
  readonly finding: string;
}

async function rivalsOn(host: Host, { name, address, hasLink }: Interface): Promise<RivalSearch> {
  const kind = isIPv6(address) ? 'dhcp6' : 'dhcp';
  const port = DHCP_PORTS[kind];
  const wanted = {
    protocol: 'udp',
    port,
    address: kind === 'dhcp' ? '0.0.0.0' : '[::]',
    device: name,
  } as const;
  const holder = portHolder(wanted, await heldPorts(host));
  if (holder !== undefined) return found(name, [`${holder.program} on this host`]);
  if (((await outputOn(host, 'ss', '-Hlnu', 'sport', '=', `:${port}`)) ?? '').trim() !== '')
    return {
      rivals: [],
      finding: 'The daemon runs, and its doctor says whether another DHCP server answers.',
    };
  if (!hasLink)
    return {
      rivals: [],
      finding: `${name} has no link: another DHCP server on its network is not found now.`,
    };
  return found(name, await searchRivals(host, name, kind));
}

const found = (name: string, rivals: readonly string[]): RivalSearch => ({
  rivals,
  finding:
    rivals.length === 0
      ? `No other DHCP server answers on ${name}.`
      : `A DHCP server answers on ${name}: ${rivals.join(', ')}.`,
});

/** The group of the daemon's user; that of root where the user does not exist. */
async function daemonsGroup(host: Host): Promise<number> {
  return Number((await outputOn(host, 'id', '--group', 'ironic-edge')) ?? 0);
}

async function confirm(
  { takesProposals, readLine }: Pick<SetupRequest, 'takesProposals' | 'readLine'>,
  question: string,
): Promise<void> {
  if (takesProposals) return;
  if (readLine === undefined)
    throw new WrongArguments(
      'there is no terminal to ask on whether to make these changes: add --yes, or --dry-run',
    );
  const answer = (await readLine(`${question}? [y/n]: `, false)).trim().toLowerCase();
  if (answer !== 'y' && answer !== 'yes') throw new CommandFailure('Nothing was changed.', exitCodes.failed);
}

const shown = ({ says, shows }: HostChange): string =>
  `- ${says}\n${shows.map((line) => `      ${line}`.trimEnd() + '\n').join('')}`;

function planText({ changes, notes }: Plan): string {
  const noted = notes.map((sentence) => `- note: ${sentence}\n`).join('');
  return changes.length === 0 ? `${noted}Nothing to change.\n` : `${changes.map(shown).join('')}${noted}`;
}

function commandText({ loaded }: Plan): string {
  const { tftp_server: tftp } = loaded.config;
  const dhcp = dhcpSockets(loaded.config);
  const sockets = [
    ...dhcp.map(({ kind, device }) => `${kind}-${device}`),
    ...new Set(dhcp.map(({ device }) => `ra-${device}`)),
    ...(tftp.enabled ? tftp.addresses.map((address) => `tftp=${hostInUrl(address)}:${tftp.port}`) : []),
  ];
  const serve = `ironic-edge serve --config-file ${CONFIG_FILE}`;
  return `The daemon is no service of systemd on this host. Start it as root:\n  ${sockets.length === 0 ? serve : `with-sockets ${sockets.join(' ')} -- ${serve}`}\n`;
}

function nextText(plan: Plan, { admin, address }: SetupAnswers): string {
  const environment = Object.entries(apiEnvironment(plan, admin)).map(([name, value]) => `${name}=${value}`);
  const { OS_ENDPOINT: endpoint = '' } = apiEnvironment(plan, admin);
  const isLocal = isLoopback(plan.loaded.config.api.host_ip);
  return `
Next:
  open ${endpoint}/ui/${isLocal ? ' on this host' : ''}, or in a shell: export ${environment.join(' ')} OS_PASSWORD=...
  ironic-edge node create driver=ipmi name=rack1-01 driver_info/ipmi_address=BMC driver_info/ipmi_username=USER driver_info/ipmi_password=... --provide   # the machine boots from ${address}, and its disks are erased
`;
}
