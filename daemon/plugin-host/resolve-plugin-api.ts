// Makes plugins load from any folder: resolves `#plugin-api`, and treats their files as ES modules regardless of any
// package.json above them.
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The names that plugins import, each with the URL of the file it stands for. */
export const pluginApiUrls: Readonly<Record<string, string>> = {
  '#plugin-api': new URL('../plugin-api/index.ts', import.meta.url).href,
  '#plugin-api/rehearsal': new URL('../plugin-kit/rehearsal.ts', import.meta.url).href,
  '#plugin-api/redfish': new URL('../../plugins/redfish/client.ts', import.meta.url).href,
  '#plugin-api/fake-redfish': new URL('../simulator/redfish/fake-redfish.ts', import.meta.url).href,
  '#plugin-api/ipmi': new URL('../../plugins/ipmi/client.ts', import.meta.url).href,
  '#plugin-api/fake-ipmi': new URL('../simulator/ipmi/ipmi-sim.ts', import.meta.url).href,
};

/** Call once in every thread that imports plugins. */
export function resolvePluginApi(): void {
  // URLs of the plugins' files: entry points, which are imported by URL, and the files that they import by relative path
  const ofPlugins = new Set<string | undefined>();
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const api = pluginApiUrls[specifier];
      if (api !== undefined) return { url: api, shortCircuit: true };
      const resolved = nextResolve(specifier, context);
      if (specifier.startsWith('file:') || (specifier.startsWith('.') && ofPlugins.has(context.parentURL)))
        ofPlugins.add(resolved.url);
      return resolved;
    },
    load(url, context, nextLoad) {
      const extension = /\.(ts|js)$/.exec(url)?.[1];
      if (extension === undefined || !ofPlugins.has(url)) return nextLoad(url, context);
      if (extension === 'js') return nextLoad(url, { ...context, format: 'module' });
      if (!url.includes('/node_modules/')) return nextLoad(url, { ...context, format: 'module-typescript' });
      // Node.js does not strip types below node_modules
      const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));
      return { format: 'module', source, shortCircuit: true };
    },
  });
}
