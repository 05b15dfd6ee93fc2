// Runs a command of ironic-edge in this process and captures its output.
import type { CommandContext } from '../../../daemon/cli/command.ts';

/** `run` starts the command with the given context. */
export async function runCommand(
  run: (context: CommandContext) => Promise<number>,
  environment: CommandContext['environment'] = {},
): Promise<{ readonly code: number; readonly out: string; readonly errors: string }> {
  const out: string[] = [];
  const errors: string[] = [];
  const code = await run({
    environment,
    stdout: { write: (text) => out.push(text) },
    stderr: { write: (text) => errors.push(text) },
  });
  return { code, out: out.join(''), errors: errors.join('') };
}
