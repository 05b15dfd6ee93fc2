// The console interface `ipmitool-socat`: Serial over LAN through ipmitool. socat provides the terminal that ipmitool needs.
import {
  defineConsole,
  driverInfoInteger,
  driverInfoText,
  invalidDriverInfo,
  type SerialProgram,
  type Task,
} from '#plugin-api';
import { connectionProperties } from '../connection-properties.ts';
import { connectionOfTask, ipmitool } from '../ipmitool.ts';
import { ipmitoolArguments } from '../ipmitool-arguments.ts';
import { ipmiOptions } from '../options.ts';

/** ipmitool takes what follows this character at the beginning of a line as a command. */
const ESCAPE_CHARACTER = '\x1c';
/** The characters that arguments of ipmitool may contain: others can have a meaning in an address of socat. */
const PLAIN = /^[A-Za-z0-9_.:/@%=+-]+$/;

export const ipmitoolSocat = defineConsole({
  properties: {
    ...connectionProperties,
    ipmi_terminal_port: {
      description:
        'TCP port of the console, which needs no login. Default: one of [console] port_range; without that there is no port.',
    },
  },
  validate(task) {
    programOf(task);
  },
  async serialProgram(task) {
    await endSession(task);
    return programOf(task);
  },
  stopConsole: endSession,
});

/** Ends a session that may still be open: a BMC has only one session for Serial over LAN. */
async function endSession(task: Task): Promise<void> {
  await ipmitool(task, {
    operation: 'Ending the serial console',
    command: ['sol', 'deactivate'],
    confirmation: '',
    nothingToDo: 'already de-activated',
  });
}

function programOf(task: Task): SerialProgram {
  const { node } = task;
  const connection = connectionOfTask(task);
  if (connection.interface !== 'lanplus')
    throw invalidDriverInfo(node, 'ipmi_protocol_version', '2.0, because IPMI 1.5 has no serial console');
  if (connection.kgKey.length > 0)
    throw invalidDriverInfo(node, 'ipmi_hex_kg_key', 'no key: the serial console cannot log in with one');
  const [, ...given] = ipmitoolArguments(
    { connection, cipherSuite: connection.cipherSuites[0] },
    ipmiOptions(task),
    [],
  );
  if (!given.every((argument) => PLAIN.test(argument)))
    throw invalidDriverInfo(
      node,
      'ipmi_username',
      'letters, digits and _ . : / @ % = + - for a serial console',
    );
  return {
    command: 'socat',
    arguments: [
      '-',
      `EXEC:ipmitool ${[...given.map(escaped), '-e', ESCAPE_CHARACTER].join(' ')} sol activate,pty,setsid,ctty,raw,echo=0,stderr`,
    ],
    secret: connection.password === '' ? '\0' : connection.password,
    connectedBy: '[SOL Session operational.  Use \x1c? for help]\n',
    withheld: ESCAPE_CHARACTER,
    port: portOf(task),
  };
}

const escaped = (argument: string) => argument.replaceAll(':', String.raw`\:`);

function portOf({ node }: Task): number | null {
  if (driverInfoText(node, 'ipmi_terminal_port', '') === '') return null;
  return driverInfoInteger(node, 'ipmi_terminal_port', { minimum: 1, maximum: 65_535, otherwise: 1 });
}
