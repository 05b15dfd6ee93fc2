// What every ironic-edge command receives and returns, and how one that takes arguments is made.

export interface Output {
  write(text: string): unknown;
}

export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** `args` follow the command's name. Returns the exit code: 0, 1 for a failure, 2 for wrong arguments. */
export type Command = (args: readonly string[], context: CommandContext) => number | Promise<number>;

/**
 * Makes a command. `parse` reads its arguments; when it returns undefined, or node's parseArgs rejects them, the command
 * prints `usage` and returns 2.
 */
export const commandOf =
  <Request>(
    usage: string,
    parse: (args: readonly string[]) => Request | undefined,
    run: (request: Request, context: CommandContext) => number | Promise<number>,
  ): Command =>
  (args, context) => {
    const request = accepted(() => parse(args));
    if (request !== undefined) return run(request, context);
    context.stderr.write(usage);
    return 2;
  };

function accepted<Request>(parse: () => Request | undefined): Request | undefined {
  try {
    return parse();
  } catch (error) {
    const isRejection =
      error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS');
    if (!isRejection) throw error;
    return undefined;
  }
}
