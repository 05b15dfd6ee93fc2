// Checks one step, periodic work or vendor method of an interface without calling its code.
import { isJsonObject } from '../../model/json.ts';
import { provisionStates } from '../../model/states/provision-states.ts';
import { stepPhases } from '../../model/steps/step-phases.ts';
import { httpVerbs } from '../../plugin-api/index.ts';
import { isInterval, isSeconds } from '../../plugin-api/contract/intervals.ts';

type Declared = Readonly<Record<string, unknown>>;
/** A requirement, and the problem to report when it is not met. */
type Rule = readonly [holds: boolean, problem: string];

const broken = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(([holds, problem]) => (holds ? [] : [problem]));

const isText = (value: unknown) => typeof value === 'string' && value !== '';
const isFunction = (value: unknown) => typeof value === 'function';
const absentOr = (value: unknown, ...allowed: readonly unknown[]) =>
  value === undefined || allowed.includes(value);
const isName = (name: string) => /^[A-Za-z][\w-]{0,63}$/.test(name);
const described = ({ description }: Declared): Rule => [isText(description), 'has no description'];
const named = (name: string): Rule => [
  isName(name),
  'has a name that is not a letter followed by at most 63 letters, digits, _ and -',
];

export function stepProblems(name: string, step: Declared): readonly string[] {
  const { priorities, abortable, requiresRamdisk, destroys, run, poll, report } = step;
  return broken([
    named(name),
    described(step),
    [
      isJsonObject(priorities) && Object.entries(priorities).every(isPriority),
      `has priorities that are not integers of at least 0, keyed by phase (${stepPhases.join(', ')})`,
    ],
    [absentOr(abortable, true, false), 'has an abortable that is neither true nor false'],
    [absentOr(requiresRamdisk, false), 'has a requiresRamdisk that is not false'],
    [destroys === undefined || isText(destroys), 'has a destroys that is not a non-empty string'],
    [areArguments(step['arguments']), 'has an argument without a description'],
    [isFunction(run), 'lacks the function run'],
    [report === undefined || isFunction(report), 'has a report that is not a function'],
    [
      poll === undefined || isPoll(poll),
      'has a poll that lacks intervalSeconds (from 1 to 2,000,000) or the function check',
    ],
  ]);
}

const isPriority = ([phase, priority]: [string, unknown]) =>
  (stepPhases as readonly string[]).includes(phase) && Number.isInteger(priority) && Number(priority) >= 0;

const areArguments = (all: unknown) =>
  all === undefined ||
  (isJsonObject(all) &&
    Object.values<unknown>(all).every((one) => isJsonObject(one) && isText(one['description'])));

const isPoll = (poll: unknown) =>
  isJsonObject(poll) &&
  isSeconds(poll['intervalSeconds']) &&
  poll['intervalSeconds'] > 0 &&
  isFunction(poll['check']);

export function periodicProblems(name: string, work: Declared): readonly string[] {
  return broken([
    named(name),
    described(work),
    [
      isInterval(work['interval']),
      'has an interval that is neither 0, nor a number of seconds from 1 to 2,000,000, nor { section, option }',
    ],
    [isFunction(work['run']), 'lacks the function run'],
    [work['concerns'] === undefined || isFunction(work['concerns']), 'has a concerns that is not a function'],
    [absentOr(work['locks'], false), 'has a locks that is not false'],
    [
      work['nodes'] === undefined || isSelection(work['nodes']),
      'has nodes that are not { states, maintenance, internalInfo }',
    ],
  ]);
}

function isSelection(nodes: unknown): boolean {
  if (!isJsonObject(nodes)) return false;
  const { states, maintenance, internalInfo, ...others } = nodes;
  const areStates = Array.isArray(states) && states.every((state) => isState(state));
  return (
    Object.keys(others).length === 0 &&
    (states === undefined || areStates) &&
    absentOr(maintenance, true, false, 'any') &&
    (internalInfo === undefined || isText(internalInfo))
  );
}

const isState = (state: unknown) => (provisionStates as readonly unknown[]).includes(state);

export function vendorMethodProblems(name: string, method: Declared): readonly string[] {
  const { httpMethods, runs, validate, call } = method;
  return broken([
    named(name),
    described(method),
    [
      Array.isArray(httpMethods) && httpMethods.length > 0 && httpMethods.every(isVerb),
      `has httpMethods that are not a list of at least one of ${httpVerbs.join(', ')}`,
    ],
    [runs === 'wait' || runs === 'background', 'has a runs that is neither wait nor background'],
    [validate === undefined || isFunction(validate), 'has a validate that is not a function'],
    [isFunction(call), 'lacks the function call'],
  ]);
}

const isVerb = (verb: unknown) => (httpVerbs as readonly unknown[]).includes(verb);
