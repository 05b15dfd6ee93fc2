// The ironic-pxe-filter command.
import { parseArgs } from 'node:util';
import { readConfig } from '../daemon/config/read-config.ts';
import { openReader } from '../daemon/db/read-only.ts';
import { systemClock } from '../daemon/lib/clock.ts';
import { createLogger } from '../daemon/lib/logger.ts';
import { visibleText } from '../daemon/lib/plain-text.ts';
import { reasonOf } from '../daemon/model/faults.ts';
import { PxeFilter } from './filter.ts';
import { HostsDirectory } from './hosts-directory.ts';
import { type FilterParts, purge } from './synchronise.ts';
import { FILTER_USAGE } from './usage.ts';

const HELP = new Set(['help', '--help', '-h']);

async function run([command = 'help', ...rest]: readonly string[]): Promise<number> {
  if (command === 'serve') await serve(prepare(rest));
  else if (command === 'purge') purgeOnce(prepare(rest));
  else {
    const isHelp = HELP.has(command);
    (isHelp ? process.stdout : process.stderr).write(FILTER_USAGE);
    return isHelp ? 0 : 2;
  }
  return 0;
}

class WrongArguments extends Error {}

function configFileOf(args: readonly string[]): string | undefined {
  try {
    return parseArgs({ args: [...args], options: { 'config-file': { type: 'string' } } }).values[
      'config-file'
    ];
  } catch (error) {
    throw new WrongArguments(`${reasonOf(error)}\n\n${FILTER_USAGE}`);
  }
}

function prepare(args: readonly string[]): FilterParts {
  const request = {
    configFile: configFileOf(args),
    environment: process.env,
    sections: [],
    // the daemon reads the same file; it knows the plugins' options and warns of unknown ones
    ownSections: ['pxe_filter'],
  };
  const { config, warnings } = readConfig(request);
  const log = createLogger({ level: config.DEFAULT.debug ? 'debug' : 'info', mask: (fields) => fields });
  for (const warning of warnings) log.warn({ warning }, 'configuration');
  const { dhcp_hostsdir } = config.pxe_filter;
  if (dhcp_hostsdir === null) {
    throw new Error(
      '[pxe_filter] dhcp_hostsdir is not set: set it to the directory named by dhcp-hostsdir in the dnsmasq configuration.',
    );
  }
  return { config, log, hosts: new HostsDirectory(dhcp_hostsdir) };
}

async function serve(parts: FilterParts): Promise<void> {
  const told = Promise.withResolvers<void>();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => told.resolve());
  // it reads nothing but the configuration, which it reads at its start
  process.on('SIGHUP', () =>
    parts.log.info({}, 'nothing to reload: restart the filter after a change of its configuration'),
  );
  const filter = new PxeFilter({ ...parts, clock: systemClock });
  // keeps the process alive while there is no database to watch
  const alive = setInterval(() => {}, 2 ** 30);
  parts.log.info({ hosts: parts.hosts.path, database: parts.config.database.path }, 'ready');
  await told.promise;
  clearInterval(alive);
  filter.stop();
  parts.log.info({}, 'stopped');
}

function purgeOnce(parts: FilterParts): void {
  const reader = openReader(parts.config.database.path);
  try {
    parts.hosts.read();
    purge(parts, reader);
  } finally {
    reader.close();
  }
}

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`ironic-pxe-filter: ${visibleText(reasonOf(error))}\n`);
  process.exitCode = error instanceof WrongArguments ? 2 : 1;
}
