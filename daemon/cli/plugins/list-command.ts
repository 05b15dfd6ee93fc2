// `ironic-edge plugin list`.
import { listPlugins } from '../../plugin-host/list-plugins.ts';
import { rehearseStart } from '../../plugin-host/rehearse-start.ts';
import { resolvePluginApi } from '../../plugin-host/resolve-plugin-api.ts';
import { commandOf, TEXT } from '../command.ts';
import { PLUGIN_USAGE as usage } from './plugin-usage.ts';

/** Returns the exit code 1 when the daemon cannot start with the plugins. */
export const list = commandOf({
  usage,
  options: { 'config-file': TEXT },
  positionals: [],
  async run({ values: { 'config-file': configFile } }, { environment, stdout, stderr }) {
    resolvePluginApi();
    const rehearsal = await rehearseStart({ configFile, environment });
    const { discovery } = rehearsal;
    stdout.write(listPlugins(discovery, rehearsal.kind === 'starts' ? rehearsal.registry : undefined));
    if (rehearsal.kind === 'starts') return 0;
    stderr.write(`the daemon cannot start with these plugins: ${rehearsal.reason}\n`);
    return 1;
  },
});
