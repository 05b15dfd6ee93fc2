// The reference of all options: those of the core and of the in-tree plugins.
import { fileURLToPath } from 'node:url';
import { documentConfiguration } from '../config/document.ts';
import { discoverPlugins, pluginSections } from '../plugin-host/manifests/discover.ts';

const inTree = fileURLToPath(new URL('../../plugins', import.meta.url));

export const configurationPage = (): string =>
  documentConfiguration(pluginSections(discoverPlugins([inTree]).plugins));
