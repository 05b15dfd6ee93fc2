// Imports a file of a plugin. An error names the file; if they are known, also the line, the column and what to write instead.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { nearestName } from '../config/nearest-name.ts';
import { placeIn } from '../lib/json/json-places.ts';
import { examinable, Fault, reasonOf } from '../model/faults.ts';

const OWN_CODE = new URL('../', import.meta.url).href;

/**
 * Throws an Error whose message begins with as much of `FILE:LINE:COLUMN: ` as is known. A Fault is thrown unchanged, and so is
 * anything that is not an Error.
 */
export async function importPlugin(url: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(url)) as Readonly<Record<string, unknown>>;
  } catch (thrown) {
    const error = examinable(thrown);
    if (error instanceof Fault || !(error instanceof Error)) throw error;
    const place = shownPlace(error) ?? framePlace(error) ?? importPlace(error) ?? fileURLToPath(url);
    const hint = await hintFor(error);
    const told = new Error(`${place}: ${firstSentence(error)}${hint === undefined ? '' : `. ${hint}`}`, {
      cause: error,
    });
    told.stack = `${told.message}\n${error.stack}`;
    throw told;
  }
}

/** The error's message without a final full stop, and without the importing file, which `importPlugin` puts first. */
const firstSentence = (error: Error): string => {
  const [sentence = ''] = reasonOf(error).split(' imported from /');
  return sentence.endsWith('.') ? sentence.slice(0, -1) : sentence;
};

/**
 * Node.js begins the stack of a syntax error with `FILE:LINE` and the text of the line; marks below this text show the column if
 * it is known.
 */
function shownPlace({ stack = '' }: Error): string | undefined {
  const lines = stack.split('\n', 5);
  const [head = ''] = lines;
  if (!/^(?:file:\/\/)?\/.*:\d+$/.test(head)) return undefined;
  const place = head.startsWith('file:') ? pathIn(head) : head;
  const marks = lines.slice(1).find((line) => line.trim() !== '' && line.replaceAll('^', '').trim() === '');
  return marks === undefined ? place : `${place}:${marks.indexOf('^') + 1}`;
}

/** The place of the innermost stack frame outside the daemon's own code: `    at f (file:///FILE:LINE:COLUMN)`. */
function framePlace({ stack = '' }: Error): string | undefined {
  const frames = stack.split('\n').flatMap((line) => {
    const start = line.startsWith('    at ') ? line.indexOf('file:///') : -1;
    return start === -1 || line.startsWith(OWN_CODE, start) ? [] : [line.slice(start).replace(')', '')];
  });
  return frames[0] && pathIn(frames[0]);
}

/** `FILE:LINE:COLUMN` of a `file:` URL with line and column. */
function pathIn(place: string): string {
  const [scheme, path = '', ...numbers] = place.split(':');
  return [fileURLToPath(`${scheme}:${path}`), ...numbers].join(':');
}

/** Returns what could not be found and the file that imports it, if the message names both; undefined otherwise. */
function missingIn(error: Error): { readonly missing: string; readonly importer: string } | undefined {
  const [, missing, between, importer] = error.message.split(/'| imported from /);
  return missing === undefined || between !== '' || importer === undefined
    ? undefined
    : { missing, importer };
}

/** The place of the import that could not be resolved. */
function importPlace(error: Error): string | undefined {
  const found = missingIn(error);
  if (found === undefined || !existsSync(found.importer)) return undefined;
  const { missing, importer } = found;
  const text = readFileSync(importer, 'utf8');
  // quotes and line ends divide the text into pieces, and the name in the import is one piece
  const specifier = text
    .split(/['"`\n]/)
    .find((piece) => piece === missing || join(dirname(importer), piece) === missing);
  return specifier === undefined ? importer : placeIn(importer, text, text.indexOf(specifier));
}

async function hintFor(error: Error): Promise<string | undefined> {
  const code = String(Reflect.get(error, 'code'));
  if (code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') return strippingHint(error.message);
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_UNSUPPORTED_DIR_IMPORT') return resolutionHint(error);
  if (code === 'ERR_IMPORT_ATTRIBUTE_MISSING') return `Write: with { type: 'json' } after the import`;
  const [, name] = error.message.split("does not provide an export named '");
  return name === undefined ? undefined : exportHint(error.message, name.replace("'", ''));
}

function strippingHint(message: string): string {
  const why = 'Types are removed, not compiled';
  if (message.includes('enum'))
    return `${why}: write a union of string literals ('on' | 'off') or a constant object`;
  if (message.includes('parameter property'))
    return `${why}: declare the field in the class, and assign it in the constructor`;
  return message.includes('namespace') ? `${why}: export the members of the namespace from the file` : why;
}

function resolutionHint(error: Error): string | undefined {
  const { missing = '' } = missingIn(error) ?? {};
  if (!missing.startsWith('/'))
    return 'A plugin may import #plugin-api, modules of Node.js (node:fs), files of its folder and packages in its node_modules';
  const stem = missing.replace(/\.[jt]s$/, '');
  const meant = ['.ts', '.js', '.mjs', '/index.ts'].find((ending) => existsSync(`${stem}${ending}`));
  if (meant !== undefined) return `Write the whole name of the file: ${basename(stem)}${meant}`;
  const folder = dirname(missing);
  const nearest = existsSync(folder) ? nearestName(basename(missing), readdirSync(folder)) : undefined;
  return nearest && `Did you mean ${nearest}?`;
}

async function exportHint(message: string, name: string): Promise<string> {
  const asType = `If ${name} is a type, write: type ${name}`;
  if (!message.includes("'#plugin-api'")) return asType;
  const nearest = nearestName(name, Object.keys(await import('../plugin-api/index.ts')));
  return nearest === undefined ? asType : `Did you mean ${nearest}? ${asType}`;
}
