// Reports the first flaw of a plugin.json with line and column. The message about an unknown key suggests the known key with the
// most similar name, or lists the known keys if none is similar.
import { nearestName } from '../../config/nearest-name.ts';
import type { SectionSchemas } from '../../config/section-schema.ts';
import { offsetOfFlaw, inPointer, placeIn, placeOf } from '../../lib/json/json-places.ts';
import { createAjv, type ErrorObject } from '../../lib/json/lazy-ajv.ts';
import { reasonOf } from '../../model/faults.ts';
import { manifestSchema } from './manifest-schema.ts';

/** A flaw, and the JSON pointer to its place. */
interface Flaw {
  readonly pointer: string;
  readonly sentence: string;
}

/** Returns the parsed text. Throws an Error that names file, line and column if the text is not JSON. */
export function parsedManifest(file: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    const place = placeIn(file, text, offsetOfFlaw(text, error));
    throw new Error(`${place}: cannot be read: ${reasonOf(error)}`, { cause: error });
  }
}

/** Returns a function that checks a manifest, and throws an Error with file, line and column of the first flaw. */
export function manifestCheck(): (manifest: unknown, file: string, text: string) => void {
  const ajv = createAjv({ allErrors: false, verbose: true });
  const isManifest = ajv.compile(manifestSchema);
  return (manifest, file, text) => {
    const flaw = isManifest(manifest) ? optionFlaw(manifest) : schemaFlaw(isManifest.errors?.[0]);
    if (flaw === undefined) return;
    throw new Error(`${placeIn(file, text, placeOf(text, flaw.pointer))}: ${flaw.sentence}`);
  };
}

function schemaFlaw(error: ErrorObject | undefined): Flaw {
  const { instancePath: pointer = '', keyword, message = 'is no plugin.json', propertyName } = error ?? {};
  const subject = pointer === '' ? 'the manifest' : pointer.slice(1).replaceAll('/', '.');
  if (error?.keyword === 'additionalProperties') return unknownKey(pointer, subject, error);
  if (propertyName !== undefined)
    return {
      pointer: `${pointer}/${inPointer(propertyName)}`,
      sentence: `${subject}: "${propertyName}" is no name; ${NAME}`,
    };
  if (keyword !== 'pattern') return { pointer, sentence: `${subject} ${message}` };
  return { pointer, sentence: `${subject} is ${JSON.stringify(error?.data)}; ${expectedAt(pointer)}` };
}

function unknownKey(pointer: string, subject: string, { params, parentSchema }: ErrorObject): Flaw {
  const { additionalProperty: key } = params as { readonly additionalProperty: string };
  const known = Object.keys((parentSchema?.['properties'] ?? {}) as object);
  const nearest = nearestName(key, known);
  const meant = nearest === undefined ? `known are ${known.join(', ')}` : `did you mean "${nearest}"?`;
  return {
    pointer: `${pointer}/${inPointer(key)}`,
    sentence: `${subject} has the unknown key "${key}"; ${meant}`,
  };
}

const NAME = 'expected lower-case letters, digits, "-" and "_"';

/** Returns what is expected at the pointer, in words: a regular expression would not help the author of a plugin. */
function expectedAt(pointer: string): string {
  if (pointer.startsWith('/entryPoints/'))
    return 'expected a file of this folder that ends with .ts, .js or .mjs and the name of an export, as in "./power.ts:acmePower"';
  if (pointer === '/pluginApi') return 'expected a range as in "^1.0"';
  return pointer === '/version' ? 'expected a version as in "1.2.0"' : NAME;
}

/**
 * Returns the flaw of the first option that lacks a default it needs: the default determines the option's type in the plugin's
 * code. Only an option of type string may have no default; its value is null until it is set.
 */
function optionFlaw(manifest: unknown): Flaw | undefined {
  const { configuration = {} } = manifest as { readonly configuration?: SectionSchemas };
  const options = Object.entries(configuration).flatMap(([section, { properties }]) =>
    Object.entries(properties).map(([name, schema]) => ({ section, name, schema })),
  );
  const flawed = options.find(({ schema }) => schema.type !== 'string' && schema.default === undefined);
  return (
    flawed && {
      pointer: `/configuration/${flawed.section}/properties/${flawed.name}`,
      sentence: `the option [${flawed.section}] ${flawed.name} needs a default; only an option of type string may lack it`,
    }
  );
}
