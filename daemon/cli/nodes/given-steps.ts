// Reads the steps of a provision request from an argument.
import { reasonOf } from '../../model/faults.ts';
import type { Json } from '../../model/json.ts';
import { readGivenFile } from '../given-file.ts';

/** The argument of a provision request that takes the steps. */
export const stepsArgument = (target: string) =>
  target === 'clean' || target === 'service' ? `${target}_steps` : 'deploy_steps';

/** `source`: a JSON file, - for standard input, or the JSON itself. */
export function stepsFrom(source: string): Json {
  const text = source.trimStart().startsWith('[') ? source : readGivenFile('--steps', source).toString();
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    throw new Error(
      `--steps ${source} is not JSON: ${reasonOf(error)}. Write a list of steps, each with interface, step and args.`,
      { cause: error },
    );
  }
}
