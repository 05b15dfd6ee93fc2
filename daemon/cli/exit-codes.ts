// The exit codes of ironic-edge, and the exit code that each error leads to.
import { ConfigurationError } from '../config/configuration-error.ts';

export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  refused: 4,
  unreachable: 5,
  timeout: 6,
  configuration: 78,
  interrupted: 130,
} as const;

/** The exit codes, for the help of the program. */
export const EXIT_CODES_HELP = `exit codes:
  0    done
  1    failed; or there are findings, problems or differences; or several nodes or records ended differently
  2    wrong arguments
  3    the API does not know what the arguments name
  4    the API refused the request; for several nodes or records, all requests
  5    the API cannot be reached
  6    --timeout has passed
  76   serve: another host serves the records of this site
  78   the configuration is invalid
  130  interrupted
`;

/** An error that ends a command with a code of its own. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function exitCodeFor(error: unknown): number {
  if (error instanceof ConfigurationError) return exitCodes.configuration;
  return error instanceof CommandFailure ? error.exitCode : exitCodes.failed;
}

/**
 * The exit code of a command for several nodes or records. `codes`: the exit code that the command would have for each of them
 * alone. If these codes differ, the command has failed.
 */
export const exitCodeOfAll = (codes: readonly number[]): number => {
  const [first = exitCodes.done] = codes;
  return codes.every((code) => code === first) ? first : exitCodes.failed;
};
