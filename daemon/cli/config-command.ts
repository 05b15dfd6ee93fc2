// `ironic-edge config check|show|document`: checks, shows or documents the configuration.
import { parseArgs } from 'node:util';
import { ConfigurationError } from '../config/configuration-error.ts';
import { documentConfiguration } from '../config/document.ts';
import type { SectionSource } from '../config/options.ts';
import { readConfig } from '../config/read-config.ts';
import { showConfiguration } from '../config/show.ts';
import type { CommandContext } from './command.ts';

const USAGE = `usage: ironic-edge config check|show|document [--config-file FILE]

  check     report errors in the configuration
  show      print every value in effect and its source, secrets masked
  document  print a reference of all options as Markdown
`;

/** Returns the exit code: 0, 1 for a configuration that cannot be used, 2 for wrong arguments. */
export function configCommand(
  args: readonly string[],
  context: CommandContext & {
    /** The sections that plugins declare. */
    readonly sections: readonly SectionSource[];
  },
): number {
  const { environment, stdout, stderr, sections } = context;
  const request = parseRequest(args);
  if (request === undefined) {
    stderr.write(USAGE);
    return 2;
  }
  try {
    if (request.action === 'document') {
      stdout.write(documentConfiguration(sections));
      return 0;
    }
    const loaded = readConfig({ configFile: request.configFile, environment, sections });
    for (const warning of loaded.warnings) stderr.write(`warning: ${warning}\n`);
    const check = `${loaded.file ?? 'environment and defaults (no configuration file)'}: valid\n`;
    stdout.write(request.action === 'show' ? showConfiguration(loaded) : check);
    return 0;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    stderr.write(`${error.message}\n`);
    return 1;
  }
}

const ACTIONS = ['check', 'show', 'document'] as const;

interface Request {
  readonly action: (typeof ACTIONS)[number];
  readonly configFile: string | undefined;
}

function parseRequest(args: readonly string[]): Request | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: { 'config-file': { type: 'string' } },
      allowPositionals: true,
    });
    const action = ACTIONS.find((name) => positionals.length === 1 && name === positionals[0]);
    return action && { action, configFile: values['config-file'] };
  } catch {
    return undefined;
  }
}
