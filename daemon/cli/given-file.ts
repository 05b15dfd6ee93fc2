// Reads files that arguments and environment variables name.
import { readFileSync } from 'node:fs';
import { parseYaml } from '../lib/files/read-yaml.ts';
import { reasonOf } from '../model/faults.ts';
import type { Json } from '../model/json.ts';

/** Reads a file; `-` stands for standard input. Throws an Error that names `argument` when the file cannot be read. */
export function readGivenFile(argument: string, file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new Error(
      `${argument} ${file} cannot be read: ${reasonOf(error)}. Name a file that you may read.`,
      {
        cause: error,
      },
    );
  }
}

/** Returns the value that `text` describes. Throws an Error that names `file` when the text is neither JSON nor YAML. */
export function givenValue(file: string, text: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    const place = file === '-' ? 'The standard input' : file;
    throw new Error(`${place} is neither JSON nor YAML: ${reasonOf(error)}`, { cause: error });
  }
}

/**
 * Reads JSON. `source`: a JSON file, - for standard input, or the JSON itself. `wanted`: what it must contain, for the message
 * when it is not JSON.
 */
export function givenJson(argument: string, source: string, wanted: string): Json {
  const isJson = source.trimStart().startsWith('[') || source.trimStart().startsWith('{');
  const text = isJson ? source : readGivenFile(argument, source).toString();
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    // JSON that is the argument itself is not repeated: it may be long
    const given = isJson ? argument : `${argument} ${source}`;
    throw new Error(`${given} is not JSON: ${reasonOf(error)}. Write ${wanted}.`, { cause: error });
  }
}
