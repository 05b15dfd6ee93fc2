// The ironic-edge command.
import { pluginSections } from '../plugin-host/discover.ts';
import { findPlugins } from '../plugin-host/configured-plugins.ts';
import { configCommand } from './config-command.ts';
import { nodeCommand } from './node-command.ts';
import { serveCommand } from './serve-command.ts';

const USAGE = `usage: ironic-edge COMMAND [OPTIONS]

  serve                         run the daemon
  config check|show|document    look at the configuration
  node list                     list the nodes of a running daemon
  help                          this text
`;

async function run([command = 'help', ...rest]: readonly string[]): Promise<number> {
  const { env: environment, stdout, stderr } = process;
  if (command === 'serve') return serveCommand(rest, { environment, stderr });
  if (command === 'config') {
    const sections = pluginSections(findPlugins({ configFile: undefined, environment: {} }).plugins);
    return configCommand(rest, { environment, stdout, stderr, sections });
  }
  if (command === 'node') return nodeCommand(rest, { environment, stdout, stderr });
  (command === 'help' ? stdout : stderr).write(USAGE);
  return command === 'help' ? 0 : 2;
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  process.stderr.write(`ironic-edge: ${reason}\n`);
  process.exitCode = 1;
}
