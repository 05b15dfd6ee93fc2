// Client of the agent in a machine's ramdisk, over HTTP(S): starts commands, polls them and reads their results.
import { type Clock, sleep } from '../lib/clock.ts';
import { Fault, fault, reasonOf } from '../model/faults.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Node } from '../model/records/node.ts';
import type { Port } from '../model/records/port.ts';
import { maskSecrets } from '../model/secrets.ts';
import type { Agent, AgentCommand, AgentPhase } from '../plugin-api/agent.ts';
import { addressRule, guardedRoute } from '../lib/network/address-rule.ts';
import { HttpClient } from '../lib/http-client/http-client.ts';
import { failureReason, HttpFailure } from '../lib/http-client/http-failure.ts';
import type { HttpReply } from '../lib/http-client/send-request.ts';
import { boundedJson } from '../lib/json/json-text.ts';
import { readCommand, readCommands, readRefusal } from './replies.ts';
import { trustIn, type TrustSettings } from './trust.ts';

/** Options of the configuration section `agent`; times in seconds. */
export interface AgentSettings extends TrustSettings {
  readonly callback_networks: readonly string[];
  readonly command_timeout: number;
  readonly max_command_attempts: number;
  readonly command_wait_attempts: number;
  readonly command_wait_interval: number;
}

export interface AgentSurroundings {
  readonly node: Node;
  readonly ports: readonly Port[];
  readonly settings: AgentSettings;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly record: (event: AgentEvent) => void;
}

/** The start, the end or the failure of a command, for the timeline of the machine. */
export interface AgentEvent {
  /** What happened, such as `its agent ended deploy.get_deploy_steps`, where `its` refers to the machine. */
  readonly text: string;
  readonly failed?: true;
}

/** Returns a client of the agent that sent the node's last heartbeat. */
export function agentOf(surroundings: AgentSurroundings): Agent {
  return new NodeAgent(surroundings);
}

const LISTING = 'the request for the list of its commands';

interface AgentRequest {
  /** Sent with POST; without it the request is a GET. */
  readonly body?: string;
  /** How long the agent may take to answer. Not set: [agent] command_timeout. */
  readonly timeoutSeconds?: number;
}

class NodeAgent implements Agent {
  readonly #node: Node;
  readonly #ports: readonly Port[];
  readonly #settings: AgentSettings;
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #record: AgentSurroundings['record'];

  constructor({ node, ports, settings, clock, signal, record }: AgentSurroundings) {
    this.#node = node;
    this.#ports = ports;
    this.#settings = settings;
    this.#clock = clock;
    this.#signal = signal;
    this.#record = record;
  }

  start(command: string, parameters: JsonObject): Promise<AgentCommand> {
    return this.#start(command, parameters, command);
  }

  /** `name`: the command's name in the timeline. */
  #start(command: string, parameters: JsonObject, name: string): Promise<AgentCommand> {
    return this.#recorded(this.#post(command, parameters), ['began', 'begin', name]);
  }

  async #recorded<T>(
    work: Promise<T>,
    [past, verb, name]: readonly [past: string, verb: string, name: string],
  ): Promise<T> {
    try {
      const result = await work;
      this.#record({ text: `its agent ${past} ${name}` });
      return result;
    } catch (error) {
      this.#record({ text: `its agent did not ${verb} ${name}: ${reasonOf(error)}`, failed: true });
      throw error;
    }
  }

  async #post(command: string, parameters: JsonObject): Promise<AgentCommand> {
    const body = JSON.stringify({ name: command, params: parameters });
    for (let attempt = 1; ; attempt += 1) {
      try {
        return this.#command(command, await this.#exchange(command, 'commands/?wait=false', { body }));
      } catch (error) {
        if (!isUnreachable(error)) throw error;
        // the agent may have received the request although its reply was lost
        const running = await this.#running(command);
        if (running !== undefined) return running;
        if (attempt >= this.#settings.max_command_attempts) throw error;
      }
    }
  }

  async run(command: string, parameters: JsonObject): Promise<AgentCommand> {
    const begun = await this.start(command, parameters);
    return this.#recorded(this.#ended(command, begun), ['ended', 'end', command]);
  }

  async #ended(command: string, begun: AgentCommand): Promise<AgentCommand> {
    const { command_wait_attempts: attempts, command_wait_interval: interval } = this.#settings;
    const ended = await this.end(begun, attempts * interval);
    if (ended === undefined)
      throw this.#failed(
        command,
        `it is still running after ${attempts * interval} s ([agent] command_wait_attempts)`,
      );
    if (ended.status !== 'SUCCEEDED')
      throw this.#failed(command, ended.error ?? `it ended as ${ended.status} without a reason`);
    return ended;
  }

  /**
   * Resolves with the ended command; undefined if no reply within `withinSeconds` says that it has ended. The agent delays its
   * reply until the command ends. An agent that replies earlier or cannot be reached is asked again after a pause.
   */
  async end(command: AgentCommand, withinSeconds: number): Promise<AgentCommand | undefined> {
    const asked = `the request for the end of ${command.name}`;
    const { command_wait_interval: interval, max_command_attempts: attempts } = this.#settings;
    const path = `commands/${encodeURIComponent(command.id)}?wait=true`;
    if (command.status !== 'RUNNING') return command;
    const until = this.#clock.monotonic() + withinSeconds * 1000;
    const left = () => until - this.#clock.monotonic();
    for (let silences = 0; left() > 0;) {
      try {
        const timeoutSeconds = left() / 1000;
        const last = this.#command(asked, await this.#exchange(asked, path, { timeoutSeconds }));
        if (last.status !== 'RUNNING') return last;
        silences = 0;
      } catch (error) {
        silences += 1;
        if (!isUnreachable(error) || (silences >= attempts && left() > 0)) throw error;
      }
      await sleep(this.#clock, Math.min(interval * 1000, Math.max(left(), 0)), this.#signal);
    }
    return undefined;
  }

  async commands(): Promise<readonly AgentCommand[]> {
    return this.#commandsIn(await this.#get(LISTING, 'commands/'));
  }

  #commandsIn(reply: HttpReply): readonly AgentCommand[] {
    const commands = readCommands(boundedJson(reply.bytes));
    if (commands === undefined) throw this.#failed(LISTING, 'its reply is not a list of commands');
    return commands;
  }

  startStep(phase: AgentPhase, step: JsonObject): Promise<AgentCommand> {
    const parameters = {
      step,
      ...this.#machine(phase),
      [`${phase}_version`]: this.#node.driver_internal_info.hardware_manager_version ?? null,
    };
    const name = [step['interface'], step['step']].filter((word) => typeof word === 'string').join('.');
    return this.#start(`${phase}.execute_${phase}_step`, parameters, `${phase} step ${name}`);
  }

  async getSteps(phase: AgentPhase): Promise<JsonObject> {
    return (await this.run(`${phase}.get_${phase}_steps`, this.#machine(phase))).result;
  }

  /** Returns the node and its ports with secrets masked, except that deployment gets the config drive unmasked. */
  #machine(phase: AgentPhase): JsonObject {
    const { configdrive } = this.#node.instance_info;
    const node = maskSecrets<JsonObject>(this.#node);
    const instance_info =
      phase === 'deploy' && configdrive !== undefined
        ? { ...maskSecrets(this.#node.instance_info), configdrive }
        : node['instance_info'];
    return { node: { ...node, instance_info: instance_info ?? {} }, ports: maskSecrets<Json>(this.#ports) };
  }

  /**
   * Returns the agent's newest command if that command has this name and still runs. Otherwise, and when the request for the
   * list of commands fails, returns undefined. Throws AgentFailed when the reply is no list of commands: then nobody knows.
   */
  async #running(command: string): Promise<AgentCommand | undefined> {
    const bare = command.slice(command.indexOf('.') + 1);
    const reply = await this.#exchange(command, 'commands/').catch((error: unknown) => {
      if (error instanceof Fault) return undefined;
      throw error;
    });
    const last = reply && this.#commandsIn(reply).at(-1);
    return last?.name === bare && last.status === 'RUNNING' ? last : undefined;
  }

  async #get(asked: string, path: string): Promise<HttpReply> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#exchange(asked, path);
      } catch (error) {
        if (!isUnreachable(error) || attempt >= this.#settings.max_command_attempts) throw error;
      }
    }
  }

  #command(asked: string, reply: HttpReply): AgentCommand {
    const command = readCommand(boundedJson(reply.bytes));
    if (command === undefined) throw this.#failed(asked, 'its reply is not a command');
    return command;
  }

  /** Resolves with a 2xx reply. Throws AgentUnreachable, AgentBusy or AgentFailed; the last two name the request with `asked`. */
  async #exchange(asked: string, path: string, request: AgentRequest = {}): Promise<HttpReply> {
    const reply = await this.#reply(path, request);
    if (reply.status >= 200 && reply.status < 300) return reply;
    const reason = readRefusal(reply.status, reply.bytes);
    if (reply.status === 409 || /agent is busy/i.test(reason))
      throw fault('AgentBusy', { node: this.#node.uuid, command: asked, reason });
    const remedy = remedyForStatus(reply.status);
    throw this.#failed(asked, remedy === undefined ? reason : `${reason.replace(/\.$/, '')}. ${remedy}`);
  }

  async #reply(path: string, { body, timeoutSeconds }: AgentRequest): Promise<HttpReply> {
    const { agent_url: address, agent_secret_token: token } = this.#node.driver_internal_info;
    if (address === undefined) throw this.#unreachable('an unknown address', 'it has sent no heartbeat');
    const url = new URL(`${address.replace(/\/$/, '')}/v1/${path}`);
    if (token !== undefined) url.searchParams.set('agent_token', token);
    try {
      const client = new HttpClient({
        url: url.href,
        tls: await trustIn(this.#node, this.#settings),
        route: guardedRoute(addressRule(this.#settings.callback_networks), '[agent] callback_networks'),
        clock: this.#clock,
      });
      return await client.send({
        url: url.href,
        ...(body !== undefined && { method: 'POST', body }),
        timeoutSeconds: timeoutSeconds ?? this.#settings.command_timeout,
        signal: this.#signal,
      });
    } catch (error) {
      this.#signal.throwIfAborted();
      throw this.#unreachable(address, failureReason(error) + clockHint(error), error);
    }
  }

  #unreachable(url: string, reason: string, cause?: unknown): Fault {
    return fault('AgentUnreachable', { node: this.#node.uuid, url, reason }, { cause });
  }

  #failed(command: string, reason: string): Fault {
    return fault('AgentFailed', { node: this.#node.uuid, command, reason });
  }
}

const isUnreachable = (error: unknown) => error instanceof Fault && error.code === 'AgentUnreachable';

function remedyForStatus(status: number): string | undefined {
  if (status === 401) return 'Its token is not the one issued for the node: boot its ramdisk again.';
  // when an agent cannot serialize the error of a command, every request for the list of its commands fails until it restarts
  if (status === 500) return 'Boot its ramdisk again if this persists.';
  return undefined;
}

/**
 * A hint for a certificate whose dates are wrong: the agent makes its certificate when it starts, by the clock of the ramdisk.
 */
function clockHint(error: unknown): string {
  const code: unknown = error instanceof HttpFailure ? Reflect.get(Object(error.cause), 'code') : undefined;
  if (code !== 'CERT_HAS_EXPIRED' && code !== 'CERT_NOT_YET_VALID') return '';
  return "; compare the clocks of this host and of the ramdisk, and set the machine's clock or the kernel parameter ipa-ntp-server";
}
