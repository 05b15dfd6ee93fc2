// How a command of ironic-edge, or a group of commands, is made from its usage, its arguments and a function.
import { parseArgs, type ParseArgsConfig } from 'node:util';

export interface Output {
  write(text: string): unknown;
}

export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** `args` follow the command's name. Returns the exit code: 0, 1 for a failure, 2 for wrong arguments. */
export type Command = (args: readonly string[], context: CommandContext) => Promise<number>;

/** An option without a value. */
export const FLAG = { type: 'boolean', default: false } as const;
/** An option with a value. */
export const TEXT = { type: 'string' } as const;
const HELP = { help: { type: 'boolean', short: 'h' } } as const;

/** Thrown by a command whose arguments have wrong values; the message says what was expected. */
export class WrongArguments extends Error {}

type Options = NonNullable<ParseArgsConfig['options']>;

interface Parsed<O extends Options> {
  args: string[];
  options: O;
  allowPositionals: true;
}

export interface Given<O extends Options, P extends readonly string[]> {
  readonly values: ReturnType<typeof parseArgs<Parsed<O>>>['values'];
  readonly positionals: { readonly [Position in keyof P]: string };
}

/**
 * Makes a command. `positionals` names the arguments that are not options, all of them required. With --help the
 * command prints its usage; for wrong arguments it also says what is wrong, and returns 2.
 */
export const commandOf =
  <const O extends Options, const P extends readonly string[]>(parts: {
    readonly usage: string;
    readonly options: O;
    readonly positionals: P;
    readonly run: (given: Given<O, P>, context: CommandContext) => number | Promise<number>;
  }): Command =>
  (args, context) =>
    explained(parts.usage, context, () => {
      const { values, positionals } = parseArgs({
        args: [...args],
        options: { ...parts.options, ...HELP },
        allowPositionals: true,
      });
      if ('help' in values) return 'help';
      refuseOtherThan(parts.positionals, positionals);
      return parts.run({ values, positionals } as unknown as Given<O, P>, context);
    });

/** Makes a command whose first argument names one of `commands`. */
export const groupOf =
  (usage: string, commands: Readonly<Record<string, Command>>): Command =>
  ([name, ...args], context) =>
    explained(usage, context, () => {
      if (name === 'help' || name === '--help' || name === '-h') return 'help';
      const command = name !== undefined && Object.hasOwn(commands, name) ? commands[name] : undefined;
      if (command !== undefined) return command(args, context);
      const found =
        name === undefined ? 'no command is given' : `there is no command ${JSON.stringify(name)}`;
      throw new WrongArguments(`${found}: expected one of ${Object.keys(commands).join(', ')}`);
    });

async function explained(
  usage: string,
  { stdout, stderr }: CommandContext,
  run: () => number | 'help' | Promise<number>,
): Promise<number> {
  try {
    const outcome = await run();
    if (outcome !== 'help') return outcome;
    stdout.write(usage);
    return 0;
  } catch (error) {
    if (!isAboutArguments(error)) throw error;
    stderr.write(`${usage}\nironic-edge: ${error.message}\n`);
    return 2;
  }
}

function refuseOtherThan(expected: readonly string[], given: readonly string[]): void {
  const missing = expected[given.length];
  if (missing !== undefined) throw new WrongArguments(`${missing} is missing`);
  const surplus = given[expected.length];
  if (surplus !== undefined)
    throw new WrongArguments(
      `unexpected argument ${JSON.stringify(surplus)}; leave it out, or quote a value that has spaces`,
    );
}

const isAboutArguments = (error: unknown): error is Error =>
  error instanceof WrongArguments ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
