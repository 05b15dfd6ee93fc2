// What an agent's replies mean: the commands it tells of, and the reason it gives for a refusal.
import { jsonExcess } from '../lib/json-extent.ts';
import { isJsonObject } from '../model/json.ts';
import type { AgentCommand } from '../plugin-api/agent.ts';

const LARGEST_DEPTH = 100;

/** The JSON in a reply; undefined when it is none, or nested without end. */
export function readJson(bytes: Buffer): unknown {
  if (jsonExcess(bytes, LARGEST_DEPTH) !== undefined) return undefined;
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

const STATUSES: ReadonlyMap<unknown, AgentCommand['status']> = new Map([
  ['RUNNING', 'RUNNING'],
  ['SUCCEEDED', 'SUCCEEDED'],
  ['FAILED', 'FAILED'],
  ['VERSION_MISMATCH', 'VERSION_MISMATCH'],
  ['CLEAN_VERSION_MISMATCH', 'VERSION_MISMATCH'],
]);

/** Undefined when it is not a command. */
export function readCommand(value: unknown): AgentCommand | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, command_name: name, command_error: error, command_result: result } = value;
  const status = STATUSES.get(value['command_status']);
  if (typeof id !== 'string' || typeof name !== 'string' || status === undefined) return undefined;
  return { id, name, status, error: errorText(error), result: isJsonObject(result) ? result : {} };
}

/** Undefined when it is not a list of commands. */
export function readCommands(value: unknown): readonly AgentCommand[] | undefined {
  const list: unknown = isJsonObject(value) ? value['commands'] : undefined;
  if (!Array.isArray(list)) return undefined;
  const commands = list.map(readCommand).filter((command) => command !== undefined);
  return commands.length === list.length ? commands : undefined;
}

function errorText(error: unknown): string | null {
  if (!isJsonObject(error)) return typeof error === 'string' ? error : null;
  const texts = [error['details'], error['message'], error['type']];
  return (
    texts.find((text): text is string => typeof text === 'string' && text !== '') ?? JSON.stringify(error)
  );
}

/** Why the agent refused, in its own words as far as there are any. */
export function readRefusal(status: number, bytes: Buffer): string {
  const body = readJson(bytes);
  const sentence = isJsonObject(body) ? body['faultstring'] : undefined;
  return typeof sentence === 'string' && sentence !== ''
    ? sentence
    : `it answered with HTTP status ${status}`;
}
