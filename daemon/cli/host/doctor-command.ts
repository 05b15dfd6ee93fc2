// `ironic-edge doctor`: finds faults of this host and its machines, and prints for each what to do.
import { systemClock } from '../../lib/clock.ts';
import { visibleLine } from '../../lib/plain-text.ts';
import type { DoctorFinding } from '../../model/doctor/doctor-finding.ts';
import { reasonOf } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import { readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';
import { type CommandContext, commandOf, FLAG, OUTPUT, WrongArguments } from '../command.ts';
import { formatted, OUTPUT_HELP } from '../text-table.ts';

const USAGE = `usage: ironic-edge doctor [--only PROBE,...] [--list] [--all] [--format FORMAT] [--config-file FILE]

Looks at this host, the configuration, the database and the BMCs of nodes, and prints what is wrong, what that means, and what
to do: a command that repairs it or shows its cause, or a line for the configuration file. Works with and without a running
daemon, and changes nothing. Run it as the daemon's user or as root.

  --only PROBE,...   only these probes
  --list             list the probes
  --all              also name the probes that found nothing
${OUTPUT_HELP}  --config-file FILE as for serve

exit code: 0 all is well, 1 there are findings, 2 wrong arguments, 78 the configuration is invalid
`;

const INVALID_CONFIGURATION = 78;

export const doctorCommand = commandOf({
  usage: USAGE,
  options: {
    only: { type: 'string', default: '' },
    list: FLAG,
    all: FLAG,
    ...OUTPUT,
    'config-file': { type: 'string' },
  },
  positionals: [],
  async run(
    { values: { only, list, all, 'config-file': configFile, ...output } },
    { environment, stdout, stderr },
  ) {
    const { examine, probes } = await import('../../doctor/examine.ts');
    if (list) {
      stdout.write(probes.map(({ id, about }) => `${id.padEnd(20)} ${about}\n`).join(''));
      return 0;
    }
    const chosen = only.split(',').filter((id) => id !== '');
    const unknown = chosen.find((id) => probes.every((probe) => probe.id !== id));
    if (unknown !== undefined)
      throw new WrongArguments(
        `--only: there is no probe ${JSON.stringify(unknown)}; --list shows the probes`,
      );
    const loaded = configuration(configFile, { environment, stderr });
    if (loaded === undefined) return INVALID_CONFIGURATION;
    const examined = await examine({ ...loaded, setAside: loaded.discovery.setAside }, chosen, systemClock);
    const findings = examined.filter(({ severity }) => severity !== 'none');
    const shown = all ? [...findings, ...examined.filter(({ severity }) => severity === 'none')] : findings;
    stdout.write(formatted(output, shown.map(asJson), () => textOf(shown, examined.length)));
    return findings.length === 0 ? 0 : 1;
  },
});

const asJson = (finding: DoctorFinding): JsonObject => ({ ...finding });

/** `probes`: how many there are, if they all found nothing. */
function textOf(shown: readonly DoctorFinding[], probes: number): string {
  if (shown.length === 0) return `${probes} probes: all is well\n`;
  return shown
    .map((finding) =>
      linesOf(finding)
        .map((line) => `${visibleLine(line)}\n`)
        .join(''),
    )
    .join('\n');
}

const linesOf = ({ probe, about, severity, saw, means, fix }: DoctorFinding): readonly string[] =>
  severity === 'none'
    ? [`nothing found: ${about}`, `  probe: ${probe}`]
    : [`${severity}: ${saw}`, `  means: ${means}`, `  fix:   ${fix}`, `  probe: ${probe}`];

/** Returns undefined if the configuration is invalid; the reason has then been printed to stderr. */
function configuration(
  configFile: string | undefined,
  { environment, stderr }: Pick<CommandContext, 'environment' | 'stderr'>,
) {
  try {
    return readConfigWithPlugins({ configFile, environment });
  } catch (error) {
    stderr.write(
      `error: ${reasonOf(error)}\n  means: the daemon does not start\n  fix:   correct it, then: ironic-edge config check${configFile === undefined ? '' : ` --config-file ${configFile}`}\n`,
    );
    return undefined;
  }
}
