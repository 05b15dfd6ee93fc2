// The ironic-edge command.
import type { Command } from './command.ts';

const USAGE = `usage: ironic-edge COMMAND [OPTIONS]

  serve                         run the daemon
  config check|show|document    check, show or document the configuration
  node list                     list the nodes of a running daemon
  node timeline NODE            print what was seen of a machine's boot; --follow goes on
  node unknown                  list machines that were seen and are not nodes
  audit                         show who changed what through the API
  clean-steps NODE              list a node's clean steps
  plan NODE TARGET              show the steps a provision request would run
  inspect reprocess|replay      run inspection hooks and rules again, on stored or saved data
  inventory save NODE           print or save the inventory of a node's last inspection
  rack N                        simulate N machines to try the daemon with; see rack --help
  plugin new|check|list         create a plugin, check one against the contract, list plugins
  help                          print this text
`;

/** Imported on demand: the daemon runs as `serve` and must not load the other commands. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => (await import('./serve-command.ts')).serveCommand,
  async config() {
    const { configCommand } = await import('./config-command.ts');
    const { findPlugins } = await import('../plugin-host/configured-plugins.ts');
    const { pluginSections } = await import('../plugin-host/manifests/discover.ts');
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
