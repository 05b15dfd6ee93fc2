// Loads ajv when the first schema is compiled: loading takes a tenth of the start time, and starting needs no schema.
import { createRequire } from 'node:module';
import type { Ajv, Options } from 'ajv';

export type { Ajv, ErrorObject, ValidateFunction } from 'ajv';

const require = createRequire(import.meta.url);

/** Does not check by default that schemas are valid JSON Schema: they are part of the program, and tests check them. */
export function createAjv(options: Options): Ajv {
  const { Ajv: Loaded } = require('ajv') as { readonly Ajv: new (options: Options) => Ajv };
  return new Loaded({ meta: false, validateSchema: false, code: { optimize: false }, ...options });
}
