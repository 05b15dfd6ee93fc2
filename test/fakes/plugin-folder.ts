// Plugins that a test writes: folders with a manifest and code, below a search path that goes when the test ends.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Text, or what becomes JSON, by the path of the file below the search path. */
export type PluginFiles = Readonly<Record<string, string | object>>;

/** The search path with the files. */
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

/** A manifest with what every one must have. */
export const pluginManifest = <More extends object>(name: string, more: More = {} as More) => ({
  name,
  version: '1.0.0',
  pluginApi: '^1.0',
  summary: `The plugin ${name} of a test`,
  ...more,
});
