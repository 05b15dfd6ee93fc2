// Reads the steps of a provision request from an option.
import type { Json } from '../../model/json.ts';
import { givenJson } from '../given-file.ts';

/** Returns the name of the field that holds the steps in the body of a provision request. */
export const stepsArgument = (target: string) =>
  target === 'clean' || target === 'service' ? `${target}_steps` : 'deploy_steps';

/** `source`: a JSON file, - for standard input, or the JSON itself. */
export const stepsFrom = (option: string, source: string): Json =>
  givenJson(option, source, 'a list of steps, each with interface, step and args');
