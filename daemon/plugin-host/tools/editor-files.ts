// What editors and the TypeScript compiler read to find the plugin API: the hidden folder `.editor` of a plugin. It names
// paths of this machine, so it is neither packed nor kept in Git.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const SCHEMA = path.join(ROOT, 'daemon/plugin-host/manifests/plugin.schema.json');

const settings = {
  compilerOptions: {
    paths: {
      '#plugin-api': [path.join(ROOT, 'daemon/plugin-api/index.ts')],
      '#plugin-api/rehearsal': [path.join(ROOT, 'daemon/plugin-api/rehearsal.ts')],
      '#plugin-api/redfish': [path.join(ROOT, 'plugins/redfish/client.ts')],
      '#plugin-api/fake-redfish': [path.join(ROOT, 'daemon/simulator/redfish/fake-redfish.ts')],
    },
    typeRoots: [path.join(ROOT, 'node_modules/@types')],
    types: ['node'],
  },
};

/** Writes the folder anew, for this daemon. */
export function writeEditorFiles(pluginFolder: string): void {
  const folder = path.join(pluginFolder, '.editor');
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, '.gitignore'), '*\n');
  copyFileSync(SCHEMA, path.join(folder, 'plugin.schema.json'));
  const why =
    '// Written by "ironic-edge plugin new" and, for the daemon that it belongs to, by "plugin check".\n';
  writeFileSync(path.join(folder, 'tsconfig.json'), `${why}${JSON.stringify(settings, null, 2)}\n`);
}
