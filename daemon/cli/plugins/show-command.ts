// `ironic-edge plugin show TYPE`: prints the interfaces of a hardware type and the plugin that each comes from.
import { findPlugins } from '../../plugin-host/configured-plugins.ts';
import { showType } from '../../plugin-kit/tools/show-type.ts';
import { commandOf, TEXT } from '../command.ts';
import { PLUGIN_USAGE as usage } from './plugin-usage.ts';

export const show = commandOf({
  usage,
  options: { 'config-file': TEXT },
  positionals: ['TYPE'],
  run({ values: { 'config-file': configFile }, positionals: [type] }, { environment, stdout }) {
    stdout.write(showType(findPlugins({ configFile, environment }), type));
    return 0;
  },
});
