// Makes `#plugin-api` resolve from any folder, so that a plugin needs no install step where it lies.
import { registerHooks } from 'node:module';

/** Call once in every thread that imports plugins. */
export function resolvePluginApi(): void {
  const url = new URL('../plugin-api/index.ts', import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      specifier === '#plugin-api' ? { url, shortCircuit: true } : nextResolve(specifier, context),
  });
}
