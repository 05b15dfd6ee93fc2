// The hidden folder `.editor` of a plugin, in which editors and the TypeScript compiler find the plugin API. It contains paths of
// this machine, so it is neither packed nor kept in Git.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pluginApiUrls } from '../../plugin-host/resolve-plugin-api.ts';

const SCHEMA = fileURLToPath(new URL('../../plugin-host/manifests/plugin.schema.json', import.meta.url));

const settings = {
  compilerOptions: {
    paths: Object.fromEntries(
      Object.entries(pluginApiUrls).map(([name, url]) => [name, [fileURLToPath(url)]]),
    ),
    typeRoots: [fileURLToPath(new URL('../../../node_modules/@types', import.meta.url))],
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
    '// Written by "ironic-edge plugin new" and "plugin check", with the paths of the daemon whose command ran last.\n';
  writeFileSync(path.join(folder, 'tsconfig.json'), `${why}${JSON.stringify(settings, null, 2)}\n`);
}
