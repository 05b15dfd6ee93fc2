// The options of the plugin in section `[inspector]`.
import { optionsIn } from '#plugin-api';
import manifest from './plugin.json' with { type: 'json' };

export const options = optionsIn(manifest, 'inspector');
