// The reference of all options: the core's and those of the plugins that come with the daemon.
import { fileURLToPath } from 'node:url';
import { documentConfiguration } from '../config/document.ts';
import { discoverPlugins, pluginSections } from '../plugin-host/discover.ts';

const inTree = fileURLToPath(new URL('../../plugins', import.meta.url));

export const configurationPage = (): string =>
  documentConfiguration(pluginSections(discoverPlugins([inTree]).plugins));
