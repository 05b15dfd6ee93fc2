// The ironic-edge command.
import type { Command } from './command.ts';

const USAGE = `usage: ironic-edge COMMAND [OPTIONS]

  serve                         run the daemon
  config check|show|document    look at the configuration
  node list                     list the nodes of a running daemon
  audit                         show who changed what through the API
  clean-steps NODE              list what a node could be cleaned with
  plan NODE TARGET              tell which steps a provision request would run
  inspect reprocess|replay      run inspection hooks and rules again, on stored or saved data
  inventory save NODE           write what the last inspection of a node found
  rack N                        simulate N machines to try the daemon on; see rack --help
  plugin new|check|list         write a plugin, hold it against the contract, see what there is
  help                          this text
`;

/** Each loads what it needs and nothing else: the daemon starts with the first of them. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve-command.ts')).serveCommand,
  async config() {
    const { configCommand } = await import('./config-command.ts');
    const { findPlugins } = await import('../plugin-host/configured-plugins.ts');
    const { pluginSections } = await import('../plugin-host/discover.ts');
    const sections = pluginSections(findPlugins({ configFile: undefined, environment: {} }).plugins);
    return (args, context) => configCommand(args, { ...context, sections });
  },
  node: async () => (await import('./node-command.ts')).nodeCommand,
  audit: async () => (await import('./audit-command.ts')).auditCommand,
  'clean-steps': async () => (await import('./clean-steps-command.ts')).cleanStepsCommand,
  plan: async () => (await import('./plan-command.ts')).planCommand,
  inspect: async () => (await import('./inspect-command.ts')).inspectCommand,
  inventory: async () => (await import('./inventory-command.ts')).inventoryCommand,
  rack: async () => (await import('./rack-command.ts')).rackCommand,
  plugin: async () => (await import('./plugin-command.ts')).pluginCommand,
};

async function run([name = 'help', ...rest]: readonly string[]): Promise<number> {
  const { env: environment, stdout, stderr } = process;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (command !== undefined) return (await command())(rest, { environment, stdout, stderr });
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
