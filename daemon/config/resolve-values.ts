// Turns the options' texts into values: replaces references to other options, then parses and validates.
import { MASK } from '../model/secrets.ts';
import { interpolate } from './interpolate.ts';
import { allowedValues, parseValue, valueText, whatIsWrong } from './option-value.ts';
import { allOptions, findOption, isSecretOption, label, type Option, type Options } from './options.ts';
import type { OptionValue } from './section-schema.ts';
import { type Setting, sourceText } from './settings.ts';

export interface Resolved {
  readonly values: ReadonlyMap<Option, OptionValue>;
  /** One sentence for each option without a valid value. */
  readonly problems: readonly string[];
}

type Outcome =
  | { readonly kind: 'value'; readonly value: OptionValue }
  | { readonly kind: 'problem'; readonly problem: string };

/** `$option` without a section is an option of the same section, or else of DEFAULT. Default values may contain references too. */
export function resolveValues(
  options: Options,
  settings: ReadonlyMap<Option, Setting>,
  workingDirectory: string,
): Resolved {
  const outcomes = new Map<Option, Outcome>();

  /** `path`: the chain of references that led to this option. */
  const resolve = (option: Option, path: readonly Option[]): Outcome => {
    const outcome = outcomes.get(option) ?? evaluate(option, [...path, option]);
    outcomes.set(option, outcome);
    return outcome;
  };

  const evaluate = (option: Option, path: readonly Option[]): Outcome => {
    const raw = settings.get(option)?.text ?? valueText(option.schema.default ?? null);
    const problem = (expected: string): Outcome => ({
      kind: 'problem',
      problem: describeProblem(option, settings.get(option), raw, expected),
    });
    try {
      const text = interpolate(raw, (reference) => textOf(option, reference, path));
      const value = parseValue(option.schema, text, workingDirectory);
      if (value !== undefined) return { kind: 'value', value };
      const wrong = whatIsWrong(option.schema, text);
      return problem(`${allowedValues(option.schema)}${wrong === undefined ? '' : `; but ${wrong}`}`);
    } catch (error) {
      if (error instanceof UnusableReference) return problem(error.message);
      throw error;
    }
  };

  const textOf = (from: Option, reference: string, path: readonly Option[]): string => {
    const option = referenced(options, from, reference);
    if (option === undefined) {
      const name = isSecretOption(from) ? MASK : reference;
      throw new UnusableReference(`"${name}" to be the name of an option; write $$ for a dollar sign`);
    }
    if (path.includes(option)) {
      throw new UnusableReference(`no circle of references: ${[...path, option].map(label).join(' -> ')}`);
    }
    const outcome = resolve(option, path);
    if (outcome.kind === 'problem') throw new UnusableReference(`${label(option)} to be usable`);
    return valueText(outcome.value);
  };

  const resolved = allOptions(options).map((option) => ({ option, outcome: resolve(option, []) }));
  return {
    values: new Map(
      resolved.flatMap(({ option, outcome }) =>
        outcome.kind === 'value' ? [[option, outcome.value] as const] : [],
      ),
    ),
    problems: resolved.flatMap(({ outcome }) => (outcome.kind === 'problem' ? [outcome.problem] : [])),
  };
}

class UnusableReference extends Error {}

function referenced(options: Options, from: Option, reference: string): Option | undefined {
  const dot = reference.indexOf('.');
  if (dot >= 0) return findOption(options, reference.slice(0, dot), reference.slice(dot + 1));
  return findOption(options, from.section, reference) ?? findOption(options, 'DEFAULT', reference);
}

function describeProblem(
  option: Option,
  setting: Setting | undefined,
  raw: string,
  expected: string,
): string {
  const where = setting === undefined ? `default of ${option.declaredBy}` : sourceText(setting.source);
  const value = isSecretOption(option) ? MASK : raw;
  return `${where}: ${label(option)} = ${JSON.stringify(value)}: expected ${expected}`;
}
