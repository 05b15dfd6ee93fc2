// The options of section `[redfish]`.
import { optionsIn } from '#plugin-api';
import manifest from './plugin.json' with { type: 'json' };

export const redfishOptions = optionsIn(manifest, 'redfish');
