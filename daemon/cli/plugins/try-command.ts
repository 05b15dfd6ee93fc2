// `ironic-edge plugin try`: calls one operation of a plugin on a real machine, without a daemon. A file describes the node.
import { systemClock } from '../../lib/clock.ts';
import { silentLog } from '../../lib/logger.ts';
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import { reasonOf } from '../../model/faults.ts';
import { tryOperation } from '../../plugin-kit/tools/try-operation.ts';
import { commandOf, TEXT, WrongArguments } from '../command.ts';
import { readGivenFile } from '../given-file.ts';
import { PLUGIN_USAGE as usage } from './plugin-usage.ts';

/** Resolves to exit code 1 when the operation fails. */
export const tryOut = commandOf({
  usage,
  options: { arguments: { ...TEXT, default: '[]' }, 'config-file': TEXT },
  positionals: ['FOLDER', 'NODE_JSON', 'OPERATION'],
  async run({ values, positionals: [folder, file, operation] }, { environment, stdout, stderr }) {
    const node = parsed(`NODE_JSON ${file}`, readGivenFile('NODE_JSON', file).toString());
    const given = parsed('--arguments', values.arguments);
    if (!isJsonObject(node) || typeof node['driver'] !== 'string')
      throw new WrongArguments(`NODE_JSON ${file}: expected an object with at least the text "driver"`);
    if (!Array.isArray(given))
      throw new WrongArguments(`--arguments: expected a JSON list, such as ["power on", 60]`);
    const request = { configFile: values['config-file'], environment };
    const what = { folder, node: node as JsonObject & { readonly driver: string }, operation, given };
    try {
      const { result, done } = await tryOperation(what, request, { clock: systemClock, log: silentLog });
      for (const line of done) stdout.write(`task: ${line}\n`);
      stdout.write(`${JSON.stringify(result ?? null, null, 2)}\n`);
      return 0;
    } catch (error) {
      stderr.write(`${operation} failed: ${reasonOf(error)}\n`);
      return 1;
    }
  },
});

function parsed(what: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new WrongArguments(`${what} is not JSON: ${reasonOf(error)}`);
  }
}
