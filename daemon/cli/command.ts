// The interface of the commands of ironic-edge.

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
