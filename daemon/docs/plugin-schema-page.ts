// The JSON Schema of plugin.json as a file, for editors.
import { manifestSchema } from '../plugin-host/manifests/manifest-schema.ts';

export const pluginSchemaPage = (): string =>
  `${JSON.stringify({ $schema: 'http://json-schema.org/draft-07/schema#', title: 'plugin.json of ironic-edge', ...manifestSchema }, null, 2)}\n`;
