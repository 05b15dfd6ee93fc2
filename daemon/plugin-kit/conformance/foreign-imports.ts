// Notices when the code of a plugin imports a file outside its folder: a file of the daemon, which may change, or a file that is
// missing where the plugin is installed.
import { realpathSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isWithin } from './folder-problems.ts';

/**
 * Returns a list that is empty at first. From now on, when a file in the folder imports a file outside it, the list gets a
 * sentence; imports of `#plugin-api` are allowed. `folder`: the real path of the folder.
 */
export function watchImports(folder: string): readonly string[] {
  const problems = new Set<string>();
  const list: string[] = [];
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const from = pathOf(context.parentURL);
      const to = pathOf(resolved.url);
      if (from === undefined || to === undefined || specifier.startsWith('#plugin-api')) return resolved;
      if (!isWithin(folder, from) || isWithin(folder, to)) return resolved;
      const problem = `${from} imports ${specifier}, which is outside of the plugin's folder: ${to}. Copy what it needs into the folder, or take it from #plugin-api`;
      if (!problems.has(problem)) list.push(problem);
      problems.add(problem);
      return resolved;
    },
  });
  return list;
}

function pathOf(url: string | undefined): string | undefined {
  if (url?.startsWith('file:') !== true) return undefined;
  return realpathSync(fileURLToPath(url));
}
