// Makes the command for a verb. The command can request the verb for many nodes, and can wait for the end of the work.
import { setTimeout } from 'node:timers/promises';
import { systemClock } from '../../../lib/clock.ts';
import { isJsonObject, type JsonObject } from '../../../model/json.ts';
import {
  type ApiClient,
  ApiRefusal,
  createApiClient,
  ENVIRONMENT_HELP,
  pathOfNode,
} from '../../api-client.ts';
import {
  type Command,
  type CommandContext,
  commandOf,
  FLAG,
  OUTPUT,
  TEXT,
  WrongArguments,
} from '../../command.ts';
import { exitCodeOfAll, exitCodes } from '../../exit-codes.ts';
import { cellText, formatted, OUTPUT_HELP, type OutputValues, tableOf } from '../../text-table.ts';
import { instanceIn } from './instance-options.ts';
import { ends, type NodeVerb } from './node-verbs.ts';
import { optionsOf, usageOf, verbBody, type VerbValues } from './verb-options.ts';
import { progressScreen } from './wait/progress-screen.ts';
import { watchNodes } from './wait/watch-nodes.ts';

interface Result extends JsonObject {
  readonly node: string;
  /** `accepted`: the work still goes on. */
  readonly outcome: 'accepted' | 'done' | 'failed' | 'refused';
  readonly note: string;
}

interface Asked {
  readonly node: string;
  /** Undefined when the request was refused. */
  readonly uuid: string | undefined;
  readonly result: Result;
  /** The exit code that the command would have for this node alone, unless the work on the node fails later. */
  readonly code: number;
}

const COLUMNS = ['node', 'outcome', 'note'];

/** How long to wait before the API is asked for events again. */
const AGAIN_MILLISECONDS = 2000;

/** `words`: the command's words after `node`. */
export function verbCommand(words: string, verb: NodeVerb): Command {
  return commandOf({
    usage: usageOf(words, verb, `${OUTPUT_HELP}\n${ENVIRONMENT_HELP}`),
    options: { ...optionsOf(verb), ...(ends(verb) && { wait: FLAG, timeout: TEXT }), ...OUTPUT },
    positionals: [],
    rest: 'NODE',
    async run({ values, rest: nodes }, context) {
      const given = values as VerbValues & OutputValues;
      if (given.timeout !== undefined && given.wait !== true)
        throw new WrongArguments('--timeout limits the wait: give --wait, too');
      const timeoutSeconds = secondsIn(given.timeout);
      const api = createApiClient(context.environment);
      const body = verbBody(verb, given);
      const names = [...new Set(nodes)];
      const instance = instanceIn(given);
      const asked: Asked[] = [];
      const print = (results: readonly Result[]) =>
        context.stdout.write(formatted(given, [...results], (all) => tableOf(COLUMNS, all)));
      try {
        for (const [index, node] of names.entries())
          asked.push(
            await ask(
              { api, verb, node, body: { ...body, ...instanceOf(instance, index + 1, names.length) } },
              names.length === 1,
            ),
          );
      } catch (error) {
        // the work on these nodes goes on, although the daemon does not answer any more
        if (asked.length > 0) print(asked.map(({ result }) => result));
        throw error;
      }
      const wait =
        given.wait === true ? await ended({ api, verb, asked, timeoutSeconds }, context) : undefined;
      const results = asked.map(({ uuid, result }) => wait?.results.get(uuid ?? '') ?? result);
      const codes = asked.map(({ code }, index) =>
        results[index]?.outcome === 'failed' ? exitCodes.failed : code,
      );
      print(results);
      return wait?.code ?? exitCodeOfAll(codes);
    },
  });
}

function secondsIn(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (seconds > 0 && seconds <= 1_000_000) return seconds;
  throw new WrongArguments(
    `--timeout ${JSON.stringify(text)}: expected a number of seconds above 0, at most 1000000`,
  );
}

interface Asking {
  readonly api: ApiClient;
  readonly verb: NodeVerb;
  readonly node: string;
  readonly body: JsonObject;
}

const instanceOf = (instance: JsonObject | undefined, number: number, machines: number): JsonObject =>
  instance === undefined ? {} : { instance: { ...instance, number, machines } };

/** `isAlone`: the command has only this node; a refusal is then thrown, and otherwise returned. Other errors are thrown. */
async function ask({ api, verb, node, body }: Asking, isAlone: boolean): Promise<Asked> {
  try {
    const { body: found } = await api.request('GET', `${pathOfNode(node)}?fields=uuid`);
    await api.request('PUT', `${pathOfNode(node)}/states/${verb.kind}`, body);
    const uuid = isJsonObject(found) ? cellText(found['uuid']) : node;
    return { node, uuid, result: { node, outcome: 'accepted', note: '' }, code: exitCodes.done };
  } catch (error) {
    if (isAlone || !(error instanceof ApiRefusal)) throw error;
    const { message: note, exitCode: code } = error;
    return { node, uuid: undefined, result: { node, outcome: 'refused', note }, code };
  }
}

interface Waiting {
  readonly api: ApiClient;
  readonly verb: NodeVerb;
  readonly asked: readonly Asked[];
  readonly timeoutSeconds: number | undefined;
}

/** `code` is undefined when the work on all nodes has ended. */
async function ended({ api, verb, asked, timeoutSeconds }: Waiting, { environment, stderr }: CommandContext) {
  const labels = new Map(
    asked.flatMap(({ node, uuid }) => (uuid === undefined ? [] : [[uuid, node] as const])),
  );
  const results = new Map<string, Result>();
  const screen = progressScreen(stderr, [...labels.values()], environment);
  const stop = new AbortController();
  const interrupt = () => stop.abort(exitCodes.interrupted);
  process.once('SIGINT', interrupt);
  const cancel =
    timeoutSeconds === undefined
      ? () => undefined
      : systemClock.after(timeoutSeconds * 1000, () => stop.abort(exitCodes.timeout));
  try {
    await watchNodes({
      api,
      pause: (signal) => setTimeout(AGAIN_MILLISECONDS, undefined, { signal }).catch(() => undefined),
      verb,
      nodes: [...labels.keys()],
      signal: stop.signal,
      show(uuid, progress) {
        const node = labels.get(uuid) ?? uuid;
        screen.show(node, progress);
        const { kind, text: note } = progress;
        results.set(uuid, { node, outcome: kind === 'works' ? 'accepted' : kind, note });
      },
      lost: (reason) => screen.say(`${reason} The work goes on; waiting for the API.`),
    });
  } finally {
    process.off('SIGINT', interrupt);
    cancel();
  }
  const open = [...labels].filter(([uuid]) => (results.get(uuid)?.outcome ?? 'accepted') === 'accepted');
  if (open.length === 0) return { results, code: undefined };
  const names = open.map(([, node]) => node).join(', ');
  screen.say(
    `The wait has ended, but the work goes on for ${names}. "ironic-edge node list" shows the state of each node.`,
  );
  return { results, code: stop.signal.reason as number };
}
