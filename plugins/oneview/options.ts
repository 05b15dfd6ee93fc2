// The options of section `[oneview]`.
import { optionsIn } from '#plugin-api';
import manifest from './plugin.json' with { type: 'json' };

export const oneviewOptions = optionsIn(manifest, 'oneview');
