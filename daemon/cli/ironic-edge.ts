// The ironic-edge command.
import { pluginSections } from '../plugin-host/discover.ts';
import { findPlugins } from '../plugin-host/configured-plugins.ts';
import { cleanStepsCommand } from './clean-steps-command.ts';
import type { Command } from './command.ts';
import { configCommand } from './config-command.ts';
import { inspectCommand } from './inspect-command.ts';
import { inventoryCommand } from './inventory-command.ts';
import { nodeCommand } from './node-command.ts';
import { planCommand } from './plan-command.ts';
import { rackCommand } from './rack-command.ts';
import { serveCommand } from './serve-command.ts';

const USAGE = `usage: ironic-edge COMMAND [OPTIONS]

  serve                         run the daemon
  config check|show|document    look at the configuration
  node list                     list the nodes of a running daemon
  clean-steps NODE              list what a node could be cleaned with
  plan NODE TARGET              tell which steps a provision request would run
  inspect reprocess|replay      run inspection hooks and rules again, on stored or saved data
  inventory save NODE           write what the last inspection of a node found
  rack N                        simulate N machines to try the daemon on; see rack --help
  plugin new|check|list         write a plugin, hold it against the contract, see what there is
  help                          this text
`;

const commands: Readonly<Record<string, Command>> = {
  serve: serveCommand,
  config(args, context) {
    const sections = pluginSections(findPlugins({ configFile: undefined, environment: {} }).plugins);
    return configCommand(args, { ...context, sections });
  },
  node: nodeCommand,
  'clean-steps': cleanStepsCommand,
  plan: planCommand,
  inspect: inspectCommand,
  inventory: inventoryCommand,
  rack: rackCommand,
  async plugin(args, context) {
    const { pluginCommand } = await import('./plugin-command.ts');
    return pluginCommand(args, context);
  },
};

function run([name = 'help', ...rest]: readonly string[]): number | Promise<number> {
  const { env: environment, stdout, stderr } = process;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return command(rest, { environment, stdout, stderr });
  (name === 'help' ? stdout : stderr).write(USAGE);
  return name === 'help' ? 0 : 2;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`ironic-edge: ${reason}\n`);
  process.exitCode = 1;
}
