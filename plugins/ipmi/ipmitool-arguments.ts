// Builds the argument list of one run of ipmitool.
import type { IpmiConnection } from './connection.ts';
import type { ipmiOptions } from './options.ts';

/** The file descriptor from which ipmitool reads the password. */
export const PASSWORD_DESCRIPTOR = 3;
/** The file descriptor from which `ipmitool exec` reads its commands. */
export const SCRIPT_DESCRIPTOR = 4;

/**
 * Used where [ipmi] min_command_interval is 0: the time between two transmissions of a request, and between two commands to a BMC
 * that did not answer lately.
 */
export const INTERVAL_SECONDS = 5;

interface Session {
  readonly connection: IpmiConnection;
  /** Undefined: ipmitool negotiates a cipher suite. */
  readonly cipherSuite: string | undefined;
}

/** `command`: ipmitool's command and its arguments, such as `['power', 'status']`. */
export function ipmitoolArguments(
  { connection, cipherSuite }: Session,
  {
    command_retry_timeout,
    min_command_interval,
  }: Pick<ReturnType<typeof ipmiOptions>, 'command_retry_timeout' | 'min_command_interval'>,
  command: readonly string[],
): readonly string[] {
  const interval = min_command_interval === 0 ? INTERVAL_SECONDS : min_command_interval;
  const options = {
    '-I': connection.interface,
    '-H': connection.host,
    '-p': String(connection.port),
    '-L': connection.privilegeLevel,
    '-U': connection.username === '' ? undefined : connection.username,
    '-C': cipherSuite,
    '-R': String(Math.max(1, Math.floor(command_retry_timeout / interval))),
    '-N': String(interval),
    '-f': `/dev/fd/${PASSWORD_DESCRIPTOR}`,
  };
  return [
    // one -v prints why a login failed; a second -v would print session keys
    '-v',
    ...Object.entries(options).flatMap(([option, value]) => (value === undefined ? [] : [option, value])),
    ...connection.bridging,
    // -Y makes ipmitool read the Kg key from its standard input
    ...(connection.kgKey.length === 0 ? [] : ['-Y']),
    ...command,
  ];
}
