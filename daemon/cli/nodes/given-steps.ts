// Reads the steps of a provision request from the option --steps.
import type { Json } from '../../model/json.ts';
import { givenJson } from '../given-file.ts';

/** Returns the name of the field that holds the steps in the body of a provision request. */
export const stepsArgument = (target: string) =>
  target === 'clean' || target === 'service' ? `${target}_steps` : 'deploy_steps';

/** `source`: a JSON file, - for standard input, or the JSON itself. */
export const stepsFrom = (source: string): Json =>
  givenJson('--steps', source, 'a list of steps, each with interface, step and args');
