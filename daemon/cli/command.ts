// How a command of ironic-edge, or a group of commands, is made from its usage, its arguments and a function.
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { nearestName } from '../config/nearest-name.ts';
import type { Output } from './output.ts';

export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
}

export interface Command {
  /**
   * `args` follow the command's name. Returns the exit code: 0, or another of `exitCodes`, such as 2 for wrong arguments. Most
   * failures are thrown instead; `exitCodeFor` gives their codes.
   */
  (args: readonly string[], context: CommandContext): Promise<number>;
  /** Returns what a shell may offer after `args`: names of commands, options, and names of arguments such as NODE. */
  readonly next: (args: readonly string[]) => Promise<readonly string[]>;
  readonly usage: string;
  /** The commands of a group, by name; loads them all. */
  readonly commands: () => Promise<Readonly<Record<string, Command>>>;
}

/** Imports a command when the function is called, so that no other command is loaded. */
export type LoadCommand = () => Promise<Command>;

/** An option without a value. */
export const FLAG = { type: 'boolean', default: false } as const;
/** An option with a value. */
export const TEXT = { type: 'string' } as const;
/** The options of a command that prints what `formatted` returns. */
export const OUTPUT = { format: TEXT, json: FLAG } as const;
const FORMATS = ['table', 'json', 'yaml'];
/** Further formats, for commands that print columns of records. */
const COLUMN_FORMATS = ['csv', 'value'];
const HELP = { help: { type: 'boolean', short: 'h' } } as const;

/** A name that more groups than this have is no hint. */
const MOST_MEANT = 3;

/** Thrown when the arguments of a command are wrong; the message says what was expected. */
export class WrongArguments extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;

interface Parsed<O extends Options> {
  args: string[];
  options: O;
  allowPositionals: true;
}

interface Given<O extends Options, P extends readonly string[]> {
  readonly values: ReturnType<typeof parseArgs<Parsed<O>>>['values'];
  readonly positionals: { readonly [Position in keyof P]: string };
  /** Empty for a command that has no argument `rest`. */
  readonly rest: readonly string[];
}

/**
 * Makes a command. `positionals` names the arguments that are not options; all of them are required. `rest` names an argument
 * that comes last and can be repeated; at least one is required unless `isRestOptional`. With --help the command prints its
 * usage. For wrong arguments it prints its usage and what is wrong, and returns 2.
 */
export function commandOf<const O extends Options, const P extends readonly string[]>(parts: {
  readonly usage: string;
  readonly options: O;
  readonly positionals: P;
  readonly rest?: string;
  readonly isRestOptional?: true;
  /** What a shell may offer for `rest`. */
  readonly offers?: readonly string[];
  readonly run: (given: Given<O, P>, context: CommandContext) => number | Promise<number>;
}): Command {
  const options = { ...parts.options, ...HELP };
  const run: Run = (args, context) =>
    explained(parts.usage, context, () => {
      const { values, positionals } = parsed(args, options, parts.rest);
      if ('help' in values) return 'help';
      const { length: fixed } = parts.positionals;
      refuseOtherThan(parts, positionals);
      if ('format' in values)
        refuseOtherFormat(values['format'], 'column' in options ? [...FORMATS, ...COLUMN_FORMATS] : FORMATS);
      return parts.run(
        { values, positionals, rest: positionals.slice(fixed) } as unknown as Given<O, P>,
        context,
      );
    });
  const next = (args: readonly string[]) => {
    const last = args.at(-1);
    const awaiting = Object.entries<Options[string]>(options).find(
      ([name, { type, short }]) => type === 'string' && (last === `--${name}` || last === `-${short}`),
    );
    if (awaiting !== undefined) return [awaiting[0].toUpperCase()];
    const { positionals } = parseArgs({ args: [...args], options, allowPositionals: true, strict: false });
    return [
      ...parts.positionals.slice(positionals.length),
      ...(parts.rest === undefined ? [] : [parts.rest]),
      ...(positionals.length < parts.positionals.length ? [] : (parts.offers ?? [])),
      ...Object.keys(options).map((name) => `--${name}`),
    ];
  };
  return Object.assign(run, {
    next: async (args: readonly string[]) => next(args),
    usage: parts.usage,
    commands: async () => ({}),
  });
}

/** Makes a command whose first argument is the name of one of `commands`. */
export function groupOf(usage: string, commands: Readonly<Record<string, Command | LoadCommand>>): Command {
  const named = async (name: string): Promise<Command | undefined> => {
    const found = Object.hasOwn(commands, name) ? commands[name] : undefined;
    return found === undefined || 'next' in found ? found : found();
  };
  const run: Run = ([name, ...args], context) =>
    explained(usage, context, async () => {
      if (name === 'help' || name === '--help' || name === '-h') return 'help';
      const command = name === undefined ? undefined : await named(name);
      if (command !== undefined) return command(args, context);
      const names = Object.keys(commands);
      if (name === undefined)
        throw new WrongArguments(`no command is given: expected one of ${names.join(', ')}`);
      const near = nearestName(name, names);
      const meant = near === undefined ? await wordsBelow(name) : [near];
      const hint =
        meant.length === 0 || meant.length > MOST_MEANT
          ? `: expected one of ${names.join(', ')}`
          : `; did you mean ${meant.map((words) => JSON.stringify(words)).join(' or ')}?`;
      throw new WrongArguments(`there is no command ${JSON.stringify(name)}${hint}`);
    });
  const next: Command['next'] = async ([name, ...args]) => {
    if (name === undefined) return [...Object.keys(commands), '--help'];
    return (await named(name))?.next(args) ?? [];
  };
  /** The words of the commands of this name in groups of this group. */
  const wordsBelow = async (name: string) => {
    const groups = await Promise.all(
      Object.entries(await all()).map(async ([word, group]) => ({ word, below: await group.commands() })),
    );
    return groups.filter(({ below }) => Object.hasOwn(below, name)).map(({ word }) => `${word} ${name}`);
  };
  const all = async () => {
    const names = Object.keys(commands);
    const loaded = await Promise.all(names.map(async (name) => [name, await named(name)] as const));
    return Object.fromEntries(loaded) as Readonly<Record<string, Command>>;
  };
  return Object.assign(run, { next, usage, commands: all });
}

/** Returns the usage of a group, with a line for each of its commands. `abouts`: what each command does, by its name. */
export function groupUsage(words: string, abouts: Readonly<Record<string, string>>): string {
  const names = Object.keys(abouts);
  const width = Math.max(...names.map((name) => name.length));
  const lines = names.map((name) => `  ${name.padEnd(width)}  ${abouts[name] ?? ''}\n`);
  return `usage: ironic-edge ${words} COMMAND [OPTIONS]\n\n${lines.join('')}\n"ironic-edge ${words} COMMAND --help" describes a command.\n`;
}

/** The first lines of a usage, which show how the command is called. */
export const synopsisOf = (usage: string): string => `${usage.trimEnd().split('\n\n', 1)[0]}\n`;

type Run = (...given: Parameters<Command>) => Promise<number>;

async function explained(
  usage: string,
  { stdout, stderr }: CommandContext,
  run: () => number | 'help' | Promise<number | 'help'>,
): Promise<number> {
  try {
    const outcome = await run();
    if (outcome !== 'help') return outcome;
    stdout.write(usage);
    return 0;
  } catch (error) {
    if (!isAboutArguments(error)) throw error;
    stderr.write(`${synopsisOf(usage)}\nironic-edge: ${error.message}\nAdd --help for an explanation.\n`);
    return 2;
  }
}

function parsed(args: readonly string[], options: Options, rest: string | undefined) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'))
      throw error;
    const option = /'--?([^']*)'/.exec(error.message)?.[1] ?? '';
    const names = Object.keys(options);
    const meant = optionMeantBy(option, names);
    const field = rest === 'FIELD=VALUE' ? `; fields are given without --, as in ${option}=VALUE` : '';
    const hint = meant === undefined ? `; options are --${names.join(', --')}` : `; did you mean --${meant}?`;
    throw new WrongArguments(`there is no option --${option}${field}${hint}`);
  }
}

/** Returns the option whose name is nearest, or one that shares a word, as `clean-steps` does with `steps`. */
function optionMeantBy(given: string, names: readonly string[]): string | undefined {
  const words = new Set(given.split('-'));
  return nearestName(given, names) ?? names.find((name) => name.split('-').some((word) => words.has(word)));
}

interface Expected {
  readonly positionals: readonly string[];
  readonly rest?: string;
  readonly isRestOptional?: boolean;
}

function refuseOtherThan(
  { positionals: expected, rest, isRestOptional = rest === undefined }: Expected,
  given: readonly string[],
): void {
  const missing = [...expected, ...(isRestOptional ? [] : [rest])][given.length];
  if (missing !== undefined) throw new WrongArguments(`${missing} is missing`);
  const surplus = given[expected.length];
  if (surplus !== undefined && rest === undefined)
    throw new WrongArguments(
      `unexpected argument ${JSON.stringify(surplus)}; leave it out, or quote a value that has spaces`,
    );
}

function refuseOtherFormat(given: unknown, formats: readonly string[]): void {
  if (!formats.includes(String(given)))
    throw new WrongArguments(`--format ${JSON.stringify(given)}: expected one of ${formats.join(', ')}`);
}

const isAboutArguments = (error: unknown): error is Error =>
  error instanceof WrongArguments ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
