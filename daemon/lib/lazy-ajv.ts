// ajv, loaded when the first schema is compiled: it takes a tenth of the daemon's start, which needs none.
import { createRequire } from 'node:module';
import type { Ajv, Options } from 'ajv';

const require = createRequire(import.meta.url);

/** Schemas are the program's own: that they are valid JSON Schema is a matter of its tests, not of each start. */
export function createAjv(options: Options): Ajv {
  const { Ajv: Loaded } = require('ajv') as { readonly Ajv: new (options: Options) => Ajv };
  return new Loaded({ meta: false, validateSchema: false, code: { optimize: false }, ...options });
}
