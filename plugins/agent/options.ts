// The options of the plugin's sections.
import { optionsIn } from '#plugin-api';
import manifest from './plugin.json' with { type: 'json' };

export const agentOptions = optionsIn(manifest, 'agent');
export const ansibleOptions = optionsIn(manifest, 'ansible');
export const anacondaOptions = optionsIn(manifest, 'anaconda');
export const deployOptions = optionsIn(manifest, 'deploy');
export const inspectorOptions = optionsIn(manifest, 'inspector');
