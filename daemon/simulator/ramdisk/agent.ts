// The agent's command API: requires the agent's token, runs one command at a time, and records all commands in order.
import { randomUUID } from 'node:crypto';
import { type Clock, sleep } from '../../lib/clock.ts';
import { imageFailure } from './fetch-image.ts';
import { isJsonObject, type Json, type JsonObject } from '../../model/json.ts';
import {
  AgentError,
  commandKinds,
  type CommandKind,
  requestedStepName,
  type RamdiskSurroundings,
  versionMismatch,
} from './commands.ts';
import type { ServedRequest, ServedReply } from '../server.ts';
import type { Troubles } from '../troubles.ts';

interface Command {
  readonly id: string;
  readonly command_name: string;
  command_status: 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CLEAN_VERSION_MISMATCH';
  command_error: JsonObject | null;
  command_result: Json;
}

interface AgentSettings {
  readonly token: string;
  readonly surroundings: RamdiskSurroundings;
  readonly troubles: Troubles;
  readonly clock: Clock;
  /** Aborts when the agent stops. */
  readonly gone: AbortSignal;
  /** Called when an asynchronous command has ended. */
  readonly ended: (command: string) => void;
}

const COMMANDS = '/v1/commands';

export class SimulatedAgent {
  readonly #settings: AgentSettings;
  readonly #commands: Command[] = [];
  /** How many requests wait for the end of a command. */
  heldReplies = 0;
  /** For each asynchronous command, by its ID: a promise that resolves when the command has ended or the agent has stopped. */
  readonly #ends = new Map<string, Promise<void>>();

  constructor(settings: AgentSettings) {
    this.#settings = settings;
  }

  async answer(question: ServedRequest): Promise<ServedReply> {
    const { token, troubles } = this.#settings;
    if (troubles.garbage !== undefined) return troubles.garbage;
    if (question.query.get('agent_token') !== (troubles.foreignToken ?? token))
      return refusal(401, '401 Unauthorized: Token invalid.');
    if (!question.path.startsWith(COMMANDS)) return refusal(404, 'Not found');
    if (question.method === 'POST') return this.#begin(question.body);
    const id = question.path.slice(COMMANDS.length).replaceAll('/', '');
    if (id === '') return { status: 200, body: { commands: this.#commands } };
    if (question.query.get('wait') === 'true') await this.#held(this.#ends.get(id));
    return this.#one(id);
  }

  async #held(end: Promise<void> | undefined): Promise<void> {
    this.heldReplies += 1;
    await end;
    this.heldReplies -= 1;
  }

  #one(id: string): ServedReply {
    const command = this.#commands.find((each) => each.id === id);
    if (command !== undefined) return { status: 200, body: command };
    return refusal(404, `Not found: Command Result with id ${id} not found.`);
  }

  #begin(body: unknown): ServedReply {
    const name = isJsonObject(body) ? body['name'] : undefined;
    const parameters = isJsonObject(body) ? body['params'] : undefined;
    if (typeof name !== 'string' || !isJsonObject(parameters)) return refusal(400, 'Missing name or params');
    const running = this.#commands.find(({ command_status: status }) => status === 'RUNNING');
    if (running !== undefined || this.#settings.troubles.busy)
      return refusal(409, `Agent is busy: executing command ${running?.command_name ?? 'another'}`);
    const kind = commandKinds.get(name);
    if (kind === undefined) return unknown(name);
    return { status: 200, body: this.#run(name, kind, parameters) };
  }

  #run(name: string, kind: CommandKind, parameters: JsonObject): Command {
    const command: Command = {
      id: randomUUID(),
      command_name: name.split('.')[1] ?? '',
      command_status: 'RUNNING',
      command_error: null,
      command_result: null,
    };
    this.#commands.push(command);
    const mismatch = versionMismatch(this.#settings.surroundings, name, parameters);
    if (mismatch !== undefined) {
      command.command_status = 'CLEAN_VERSION_MISMATCH';
      command.command_error = mismatch;
    } else if (kind.synchronous === true) this.#end(command, kind, parameters);
    else this.#ends.set(command.id, this.#later(command, kind, parameters));
    return { ...command };
  }

  async #later(command: Command, kind: CommandKind, parameters: JsonObject): Promise<void> {
    const { surroundings, troubles, clock, gone, ended } = this.#settings;
    const step = requestedStepName(parameters);
    try {
      await sleep(clock, kind.seconds(surroundings) * 1000, gone);
    } catch {
      return;
    }
    if (troubles.deadlySteps.has(step)) return surroundings.endAgent();
    if (troubles.hangingSteps.has(step)) return aborted(gone);
    const failure =
      step === 'write_image' && surroundings.fetchesImages ? await imageFailure(parameters, gone) : undefined;
    this.#end(command, kind, parameters, failure);
    ended(`${command.command_name}${step === '' ? '' : ` ${step}`}: ${command.command_status}`);
  }

  #end(command: Command, { run }: CommandKind, parameters: JsonObject, reason?: string): void {
    const { surroundings, troubles } = this.#settings;
    try {
      const failure = troubles.failingSteps.get(requestedStepName(parameters)) ?? reason;
      if (failure !== undefined)
        throw new AgentError('CommandExecutionError', 'Command execution failed', failure);
      command.command_result = run(surroundings, parameters);
      command.command_status = 'SUCCEEDED';
    } catch (error) {
      if (!(error instanceof AgentError)) throw error;
      const { type, message, details } = error;
      command.command_status = 'FAILED';
      command.command_error = { type, code: 500, message, details };
    }
  }
}

/** Resolves when `signal` aborts. */
const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

function unknown(name: string): ServedReply {
  const [extension = '', command = ''] = name.split('.');
  const known = [...commandKinds.keys()].some((each) => each.startsWith(`${extension}.`));
  if (!known) return refusal(404, `Not found: Extension with id ${extension} not found.`);
  return refusal(400, `Invalid command: Unknown command: ${command}`);
}

const refusal = (status: number, faultstring: string): ServedReply => ({
  status,
  body: { faultcode: status < 500 ? 'Client' : 'Server', faultstring },
});
