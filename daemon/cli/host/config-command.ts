// `ironic-edge config check|show|document`: checks, shows or documents the configuration.
import { documentConfiguration } from '../../config/document.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { showConfiguration } from '../../config/show.ts';
import { findPlugins, readConfigWithPlugins } from '../../plugin-host/configured-plugins.ts';
import { pluginSections } from '../../plugin-host/manifests/admit-plugins.ts';
import { commandOf, groupOf, TEXT } from '../command.ts';

const USAGE = `usage: ironic-edge config check|show|document [--config-file FILE]

  check     report errors in the configuration
  show      print every value in effect and its source, secrets masked
  document  print a reference of all options as Markdown, with those of plugins in [plugins] path of FILE

  --config-file FILE as for serve
`;

const OPTIONS = { 'config-file': TEXT } as const;

/** Makes a command that reads the configuration and prints what `toText` makes of it. */
const reading = (toText: (loaded: LoadedConfig) => string) =>
  commandOf({
    usage: USAGE,
    options: OPTIONS,
    positionals: [],
    run({ values: { 'config-file': configFile } }, { environment, stdout, stderr }) {
      const loaded = readConfigWithPlugins({ configFile, environment });
      for (const warning of loaded.warnings) stderr.write(`warning: ${warning}\n`);
      stdout.write(toText(loaded));
      return 0;
    },
  });

export const configCommand = groupOf(USAGE, {
  check: reading(({ file }) => `${file ?? 'environment and defaults (no configuration file)'}: valid\n`),
  show: reading(showConfiguration),
  document: commandOf({
    usage: USAGE,
    options: OPTIONS,
    positionals: [],
    run({ values: { 'config-file': configFile } }, { stdout }) {
      const { plugins } = findPlugins({ configFile, environment: {} });
      stdout.write(documentConfiguration(pluginSections(plugins)));
      return 0;
    },
  }),
});
