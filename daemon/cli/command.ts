// What every command of ironic-edge is given, and what it gives back.

export interface Output {
  write(text: string): unknown;
}

export interface CommandContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** `args` come after the command's name. The exit code: 0, 1 for what failed, 2 for wrong arguments. */
export type Command = (args: readonly string[], context: CommandContext) => number | Promise<number>;
