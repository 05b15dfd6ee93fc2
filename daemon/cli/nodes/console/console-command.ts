// `ironic-edge node console`: attaches the terminal to a machine's serial console, or prints what was shown on it.
import { isJsonObject } from '../../../model/json.ts';
import { createApiClient, ENVIRONMENT_HELP, pathOfNode } from '../../api-client.ts';
import { openApiSocket } from '../../api-socket.ts';
import { type CommandContext, commandOf, FLAG, WrongArguments } from '../../command.ts';
import { holdSession } from './console-session.ts';

const USAGE = `usage: ironic-edge node console NODE [--read-only | --take-over]
       ironic-edge node console NODE --log

Attaches this terminal to the serial console of a machine. Everything that is typed goes to the machine, except these keys at the
start of a line: "~." detaches, "~?" shows help, "~~" types a "~". Without a terminal, the end of the input detaches. Enable the
console first: "baremetal node console enable NODE".

  --read-only  only look, until Ctrl-C detaches; several clients can do so at once
  --take-over  type in place of the client that types now
  --log        print what the machine last showed, without terminal escape sequences

${ENVIRONMENT_HELP}`;

export const consoleCommand = commandOf({
  usage: USAGE,
  options: { log: FLAG, 'read-only': FLAG, 'take-over': FLAG },
  positionals: ['NODE'],
  run({ values, positionals: [node] }, context) {
    const { log, 'read-only': readOnly, 'take-over': takeOver } = values;
    if ([log, readOnly, takeOver].filter(Boolean).length > 1)
      throw new WrongArguments('expected at most one of --log, --read-only and --take-over');
    const path = `${pathOfNode(node)}/states/console`;
    if (log) return printLog(node, `${path}/log`, context);
    return attach(`${path}/socket?read_only=${readOnly}&take_over=${takeOver}`, !readOnly, context);
  },
});

async function attach(
  path: string,
  isTyping: boolean,
  { environment, stderr }: CommandContext,
): Promise<number> {
  const socket = await openApiSocket(environment, path);
  const { stdin: input, stdout: output } = process;
  if (input.isTTY)
    stderr.write(`Attached. ${isTyping ? '"~." detaches, "~?" shows help' : 'Ctrl-C detaches'}.\n`);
  return holdSession(socket, { input, output, notes: stderr }, isTyping);
}

async function printLog(
  node: string,
  path: string,
  { environment, stdout, stderr }: CommandContext,
): Promise<number> {
  const { body } = await createApiClient(environment).request('GET', path);
  const log = isJsonObject(body) && typeof body['log'] === 'string' ? body['log'] : '';
  if (log === '')
    stderr.write(`Nothing was shown on the console of ${node} while the console was enabled.\n`);
  else stdout.write(log);
  return 0;
}
