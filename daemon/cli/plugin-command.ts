// `ironic-edge plugin new|check|list`: tools for authors of plugins.
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { systemClock } from '../lib/clock.ts';
import { reasonOf } from '../model/faults.ts';
import { checkPlugin } from '../plugin-host/conformance/check-plugin.ts';
import { runOwnTests } from '../plugin-host/conformance/own-tests.ts';
import { type ConfigRequest, findPlugins, readConfigWithPlugins } from '../plugin-host/configured-plugins.ts';
import { listPlugins } from '../plugin-host/list-plugins.ts';
import { newPlugin } from '../plugin-host/new-plugin.ts';
import { loadRegistry } from '../plugin-host/registry.ts';
import { resolvePluginApi } from '../plugin-host/resolve-plugin-api.ts';
import type { CommandContext } from './command.ts';

const USAGE = `usage: ironic-edge plugin new NAME | check FOLDER | list   [--config-file FILE]

  new     create the folder NAME with a working plugin and its tests
  check   load the plugin in FOLDER as the daemon does, check it against the contract, and run its own tests
  list    list the plugins, what they provide, what of it is loaded, and which are set aside and why
`;

/** Returns the exit code: 0, 1 for a plugin or configuration with problems, 2 for wrong arguments. */
export async function pluginCommand(args: readonly string[], context: CommandContext): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { 'config-file': { type: 'string' } },
    allowPositionals: true,
  });
  const request = { configFile: values['config-file'], environment: context.environment };
  const [action, subject, ...rest] = positionals;
  if (rest.length === 0 && subject !== undefined && action === 'new') return create(subject, context);
  if (rest.length === 0 && subject !== undefined && action === 'check')
    return check(subject, request, context);
  if (subject === undefined && action === 'list') return list(request, context);
  context.stderr.write(USAGE);
  return 2;
}

/** How long to wait for failures of work that an operation left running. */
const STRAYS_MILLISECONDS = 100;

function create(name: string, { stdout }: CommandContext): number {
  const folder = newPlugin(name, '.');
  stdout.write(`${folder}\nNext: ironic-edge plugin check ${name}\n`);
  return 0;
}

async function check(folder: string, request: ConfigRequest, { stdout }: CommandContext): Promise<number> {
  resolvePluginApi();
  const strays: string[] = [];
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error: unknown) => strays.push(reasonOf(error)));
  const checked = await checkPlugin(folder, findPlugins(request).plugins);
  await setTimeout(STRAYS_MILLISECONDS);
  const findings = [...checked, { subject: 'nothing fails outside of an operation', problems: strays }];
  for (const { subject, problems } of findings) {
    stdout.write(`${problems.length === 0 ? 'ok     ' : 'wrong  '} ${subject}\n`);
    for (const problem of problems) stdout.write(`         ${problem}\n`);
  }
  const wrong = findings.filter(({ problems }) => problems.length > 0).length;
  if (wrong > 0) return 1;
  const tests = await runOwnTests(folder);
  stdout.write(tests.report);
  return tests.passed ? 0 : 1;
}

async function list(request: ConfigRequest, { stdout, stderr }: CommandContext): Promise<number> {
  resolvePluginApi();
  const { config, discovery } = readConfigWithPlugins(request);
  try {
    stdout.write(listPlugins(discovery, await loadRegistry(discovery, config, systemClock)));
    return 0;
  } catch (error) {
    stdout.write(listPlugins(discovery, undefined));
    stderr.write(`the daemon cannot start with these plugins: ${reasonOf(error)}\n`);
    return 1;
  }
}
