// `ironic-edge plugin`: creates, checks, ships and lists plugins.
import { existsSync } from 'node:fs';
import { isolatedCheck } from '../../plugin-host/conformance/isolated-check.ts';
import { runOwnTests } from '../../plugin-host/conformance/own-tests.ts';
import { findPlugins } from '../../plugin-host/configured-plugins.ts';
import { newPlugin } from '../../plugin-host/new-plugin.ts';
import { commandOf, groupOf, TEXT } from '../command.ts';
import { list } from './list-command.ts';
import { PLUGIN_USAGE as usage } from './plugin-usage.ts';
import { show } from './show-command.ts';
import { install, pack, reload, remove } from './ship-commands.ts';

/** Of the process in which a plugin is checked: the default of [plugins] memory_limit. */
const MEMORY_MEBIBYTES = 256;

const create = commandOf({
  usage,
  options: {},
  positionals: ['NAME'],
  run({ positionals: [name] }, { stdout }) {
    stdout.write(`${newPlugin(name, '.')}\nNext: ironic-edge plugin check ${name}\n`);
    return 0;
  },
});

/** Returns the exit code 1 for a plugin with problems. */
const check = commandOf({
  usage,
  options: { 'config-file': TEXT },
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

export const pluginCommand = groupOf(usage, {
  new: create,
  check,
  pack,
  install,
  remove,
  reload,
  list,
  show,
});
