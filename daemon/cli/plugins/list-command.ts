// `ironic-edge plugin list`: lists the configured plugins, and the health of the processes of out-of-tree plugins.
import { listPlugins } from '../../plugin-kit/tools/list-plugins.ts';
import type { Discovery } from '../../plugin-host/manifests/discover.ts';
import { isUnused, nextSteps } from '../../plugin-kit/tools/next-steps.ts';
import { type ConfigRequest, readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';
import { rehearseStart } from '../../plugin-kit/shipping/rehearse-start.ts';
import { resolvePluginApi } from '../../plugin-host/resolve-plugin-api.ts';
import { reasonOf } from '../../model/faults.ts';
import { createApiClient } from '../api-client.ts';
import { type CommandContext, commandOf, TEXT } from '../command.ts';
import { cellText } from '../text-table.ts';
import { PLUGIN_USAGE as usage } from './plugin-usage.ts';

/** Resolves to exit code 1 when the daemon cannot start with the plugins, or starts without something that is enabled. */
export const listCommand = commandOf({
  usage,
  options: { 'config-file': TEXT },
  positionals: [],
  async run({ values: { 'config-file': configFile } }, { environment, stdout, stderr }) {
    resolvePluginApi();
    const rehearsal = await rehearseStart({ configFile, environment });
    const { discovery } = rehearsal;
    stdout.write(listPlugins(discovery, rehearsal.kind === 'starts' ? rehearsal.registry : undefined));
    stdout.write(unusedOnes(discovery, { configFile, environment }));
    stdout.write(await healthOf(discovery, environment));
    if (rehearsal.kind === 'fails')
      stderr.write(`the daemon cannot start with these plugins: ${rehearsal.reason}\n`);
    else if (rehearsal.flaw !== undefined)
      stderr.write(`the daemon starts without something that its configuration names: ${rehearsal.flaw}\n`);
    else return 0;
    return 1;
  },
});

/** Returns, for each out-of-tree plugin of which nothing is enabled, what to do to use it. */
function unusedOnes({ plugins }: Discovery, request: ConfigRequest): string {
  const loaded = readConfigWithPlugins(request);
  return plugins
    .filter((plugin) => !plugin.isInTree && isUnused(plugin, loaded))
    .map((plugin) => `\n${plugin.manifest.name} is not used. ${nextSteps(plugin, loaded, false)}`)
    .join('');
}

/** Returns the health of the processes of out-of-tree plugins, as the running daemon reports it. */
async function healthOf({ plugins }: Discovery, environment: CommandContext['environment']): Promise<string> {
  const foreign = new Set(plugins.filter(({ isInTree }) => !isInTree).map(({ manifest }) => manifest.name));
  if (foreign.size === 0) return '';
  try {
    const live = await createApiClient(environment).list('/v1/plugins', 'plugins');
    const lines = live
      .filter(({ name }) => foreign.has(cellText(name)))
      .map(({ name, version, process, ends, last_end: last }) => {
        const ended = ends === 0 ? '' : `, ended ${cellText(ends)} times, last because ${cellText(last)}`;
        return `  ${cellText(name)} ${cellText(version)}: process ${cellText(process)}${ended}\n`;
      });
    return `\nin the running daemon:\n${lines.join('')}`;
  } catch (error) {
    return `\nin the running daemon: not known (${reasonOf(error)})\n`;
  }
}
