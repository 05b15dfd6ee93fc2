// The options of section `[ipmi]`.
import { optionsIn } from '#plugin-api';
import manifest from './plugin.json' with { type: 'json' };

export const ipmiOptions = optionsIn(manifest, 'ipmi');
