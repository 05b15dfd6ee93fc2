// `ironic-edge plugin new|check|list`: tools for authors of plugins.
import { existsSync } from 'node:fs';
import { systemClock } from '../lib/clock.ts';
import { silentLog } from '../lib/logger.ts';
import { reasonOf } from '../model/faults.ts';
import { isolatedCheck } from '../plugin-host/conformance/isolated-check.ts';
import { runOwnTests } from '../plugin-host/conformance/own-tests.ts';
import { findPlugins, readConfigWithPlugins } from '../plugin-host/configured-plugins.ts';
import { listPlugins } from '../plugin-host/list-plugins.ts';
import { newPlugin } from '../plugin-host/new-plugin.ts';
import { PluginProcesses } from '../plugin-host/isolation/plugin-processes.ts';
import { loadRegistry } from '../plugin-host/registry.ts';
import { resolvePluginApi } from '../plugin-host/resolve-plugin-api.ts';
import { commandOf, groupOf, TEXT } from './command.ts';

const USAGE = `usage: ironic-edge plugin new NAME
       ironic-edge plugin check FOLDER [--config-file FILE]
       ironic-edge plugin list [--config-file FILE]

  new     create the folder NAME with a working plugin and its tests
  check   load the plugin in FOLDER as the daemon does, check it against the contract, and run its own tests
  list    list the plugins, what they provide and what is loaded, and the folders set aside with the reason

  --config-file FILE as for serve
`;

const OPTIONS = { 'config-file': TEXT } as const;

/** Of the process in which a plugin is checked: the default of [plugins] memory_limit. */
const MEMORY_MEBIBYTES = 256;

const create = commandOf({
  usage: USAGE,
  options: {},
  positionals: ['NAME'],
  run({ positionals: [name] }, { stdout }) {
    stdout.write(`${newPlugin(name, '.')}\nNext: ironic-edge plugin check ${name}\n`);
    return 0;
  },
});

/** Returns the exit code 1 for a plugin with problems. */
const check = commandOf({
  usage: USAGE,
  options: OPTIONS,
  positionals: ['FOLDER'],
  async run({ values: { 'config-file': configFile }, positionals: [folder] }, { environment, stdout }) {
    if (!existsSync(folder))
      throw new Error(
        `there is no folder ${folder}. Name the folder of a plugin; "ironic-edge plugin new" creates one.`,
      );
    const others = findPlugins({ configFile, environment }).plugins;
    const findings = await isolatedCheck({ folder, others }, MEMORY_MEBIBYTES, (text) => stdout.write(text));
    for (const { subject, problems } of findings) {
      stdout.write(`${problems.length === 0 ? 'ok     ' : 'wrong  '} ${subject}\n`);
      for (const problem of problems) stdout.write(`         ${problem}\n`);
    }
    const wrong = findings.filter(({ problems }) => problems.length > 0).length;
    if (wrong > 0) return 1;
    const tests = await runOwnTests(folder);
    stdout.write(tests.report);
    return tests.passed ? 0 : 1;
  },
});

/** Returns the exit code 1 when the daemon cannot start with the plugins. */
const list = commandOf({
  usage: USAGE,
  options: OPTIONS,
  positionals: [],
  async run({ values: { 'config-file': configFile } }, { environment, stdout, stderr }) {
    resolvePluginApi();
    const { config, values, discovery } = readConfigWithPlugins({ configFile, environment });
    const processes = new PluginProcesses({
      configuration: values,
      memoryMebibytes: config.plugins.memory_limit,
      clock: systemClock,
      // the list shows why a plugin cannot be loaded; what else its process does is of no interest
      log: silentLog,
    });
    try {
      const registry = await loadRegistry(discovery, config, systemClock, processes);
      stdout.write(listPlugins(discovery, registry));
      return 0;
    } catch (error) {
      stdout.write(listPlugins(discovery, undefined));
      stderr.write(`the daemon cannot start with these plugins: ${reasonOf(error)}\n`);
      return 1;
    } finally {
      processes.close();
    }
  },
});

export const pluginCommand = groupOf(USAGE, { new: create, check, list });
