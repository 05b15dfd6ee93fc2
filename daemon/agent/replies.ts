// Reads an agent's replies: the commands that they list, and the reason for a refusal.
import { boundedJson } from '../lib/json/json-text.ts';
import { isJsonObject } from '../model/json.ts';
import type { AgentCommand } from '../plugin-api/agent.ts';
import { remedyFor } from './remedies.ts';

const STATUSES: ReadonlyMap<unknown, AgentCommand['status']> = new Map([
  ['RUNNING', 'RUNNING'],
  ['SUCCEEDED', 'SUCCEEDED'],
  ['FAILED', 'FAILED'],
  ['VERSION_MISMATCH', 'VERSION_MISMATCH'],
  ['CLEAN_VERSION_MISMATCH', 'VERSION_MISMATCH'],
]);

/** Returns undefined when `value` is not a command. */
export function readCommand(value: unknown): AgentCommand | undefined {
  if (!isJsonObject(value)) return undefined;
  const { id, command_name: name, command_error: error, command_result: result } = value;
  const status = STATUSES.get(value['command_status']);
  if (typeof id !== 'string' || typeof name !== 'string' || status === undefined) return undefined;
  return { id, name, status, error: errorText(error), result: isJsonObject(result) ? result : {} };
}

/** Returns undefined when `value` is not a list of commands. */
export function readCommands(value: unknown): readonly AgentCommand[] | undefined {
  const list: unknown = isJsonObject(value) ? value['commands'] : undefined;
  if (!Array.isArray(list)) return undefined;
  const commands = list.map(readCommand).filter((command) => command !== undefined);
  return commands.length === list.length ? commands : undefined;
}

function errorText(error: unknown): string | null {
  if (!isJsonObject(error)) return typeof error === 'string' ? error : null;
  const texts = [error['details'], error['message'], error['type']];
  const text =
    texts.find((each): each is string => typeof each === 'string' && each !== '') ?? JSON.stringify(error);
  const remedy = remedyFor(error['type'], text);
  return remedy === undefined ? text : `${text}${text.endsWith('.') ? '' : '.'} ${remedy}`;
}

/** Returns why the agent refused: the `faultstring` of its reply, or else the HTTP status. */
export function readRefusal(status: number, bytes: Buffer): string {
  const body = boundedJson(bytes);
  const sentence = isJsonObject(body) ? body['faultstring'] : undefined;
  return typeof sentence === 'string' && sentence !== ''
    ? sentence
    : `it answered with HTTP status ${status}`;
}
