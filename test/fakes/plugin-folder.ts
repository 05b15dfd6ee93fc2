// Plugins written by a test: folders with manifest and code in a search path that is removed after the test.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Text or a JSON value for each file path below the search path. */
export type PluginFiles = Readonly<Record<string, string | object>>;

/** Writes the files below a new search path and returns this path. */
export function pluginFolder(test: { after(end: () => void): void }, files: PluginFiles): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'ironic-edge-plugins-'));
  test.after(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(path.join(directory, name, '..'), { recursive: true });
    writeFileSync(
      path.join(directory, name),
      typeof content === 'string' ? content : JSON.stringify(content),
    );
  }
  return directory;
}

/** A manifest with the required fields. */
export const pluginManifest = <More extends object>(name: string, more: More = {} as More) => ({
  name,
  version: '1.0.0',
  pluginApi: '^1.0',
  summary: `The plugin ${name} of a test`,
  ...more,
});
