// The agent in a stepping machine's ramdisk: sends heartbeats and ends commands on a test's request.
import assert from 'node:assert/strict';
import { isJsonObject, type Json, type JsonObject } from '../../../daemon/model/json.ts';
import type { Ending } from '../daemon/in-process-daemon.ts';
import { answerJson, scriptedAgent } from './scripted-agent.ts';
import type { SteppingSession } from './stepping-session.ts';

export interface SteppingAgent {
  /** The commands of all boots in order, such as `get_clean_steps` and `execute_clean_step erase_devices`. */
  readonly asked: readonly string[];
  /** The parameters of the last command. */
  readonly parameters: JsonObject;
  /** The steps that it reports for each phase. */
  readonly steps: Record<'clean' | 'deploy' | 'service', readonly JsonObject[]>;
  /** The reported version of its hardware managers. Steps with another version are refused. */
  version: string;
  /** Refuses steps of any version. */
  stubborn: boolean;
  /** Refuses every command as if another one were running. */
  busy: boolean;
  /** The daemon that it uses from now on. */
  session: SteppingSession;
  /** Boots the ramdisk and looks up the node. The agent forgets its earlier commands; `asked` keeps them. */
  boot(): Promise<void>;
  /** Sends a heartbeat and waits for the resulting work. */
  beat(): Promise<void>;
  /** Stops answering at its address. */
  unplug(): void;
  /** Ends the running command. */
  end(status?: 'SUCCEEDED' | 'FAILED', reason?: string): void;
}

interface Command {
  readonly id: string;
  readonly command_name: string;
  readonly params: JsonObject;
  command_status: string;
  command_error: Json;
  command_result: Json;
}

export async function steppingAgent(
  test: Ending,
  session: SteppingSession,
  node: string,
): Promise<SteppingAgent> {
  const asked: string[] = [];
  let commands: Command[] = [];
  let token: unknown;
  let unplugged = false;
  let parameters: JsonObject = {};
  const agent = await scriptedAgent(test, ({ method, body }, response) => {
    if (unplugged) return void response.destroy();
    if (method === 'GET') return answerJson(response, { commands: commands.map(shown) });
    if (self.busy) return answerJson(response, { faultstring: 'Agent is busy: executing command x' }, 409);
    assert.ok(isJsonObject(body));
    const command = commandOf(body, commands.length);
    parameters = command.params;
    asked.push(`${command.command_name}${stepOf(command) === '' ? '' : ` ${stepOf(command)}`}`);
    begin(command);
    commands.push(command);
    return answerJson(response, shown(command));
  });
  const begin = (command: Command) => {
    const [verb, phase] = command.command_name.split('_');
    const version = { stepping: self.version };
    if (verb === 'collect') finish(command, { system_logs: '' });
    if (verb === 'get')
      finish(command, {
        [`${phase}_steps`]: { Stepping: self.steps[phase as 'clean'] },
        hardware_manager_version: version,
      });
    if (
      verb === 'execute' &&
      (self.stubborn || JSON.stringify(command.params[`${phase}_version`]) !== JSON.stringify(version))
    )
      command.command_status = phase === 'clean' ? 'CLEAN_VERSION_MISMATCH' : 'VERSION_MISMATCH';
  };
  const self: SteppingAgent = {
    asked,
    get parameters() {
      return parameters;
    },
    steps: { clean: [], deploy: [], service: [] },
    version: '1.0',
    stubborn: false,
    session,
    busy: false,
    async boot() {
      commands = [];
      const { status, body } = await self.session.request('GET', `/v1/lookup?node_uuid=${node}`);
      assert.equal(status, 200);
      const given = (body['config'] as JsonObject)['agent_token'];
      if (given !== '******') token = given;
    },
    async beat() {
      const body = { callback_url: agent.url, agent_token: token, agent_version: '12.0.0' };
      const answer = await self.session.request('POST', `/v1/heartbeat/${node}`, { body, version: 68 });
      assert.equal(answer.status, 202, answer.text);
      await self.session.idle();
    },
    unplug() {
      unplugged = true;
    },
    end(status = 'SUCCEEDED', reason) {
      const command = commands.at(-1);
      assert.equal(command?.command_status, 'RUNNING');
      const phase = command.command_name.split('_')[1];
      finish(command, { [`${phase}_result`]: null, [`${phase}_step`]: command.params['step'] ?? null });
      command.command_status = status;
      if (status === 'FAILED')
        command.command_error = {
          type: 'CommandExecutionError',
          code: 500,
          message: 'failed',
          details: reason ?? '',
        };
    },
  };
  return self;
}

function commandOf(body: JsonObject, count: number): Command {
  const [, name = ''] = textOf(body['name']).split('.');
  return {
    id: String(count),
    command_name: name,
    params: body['params'] as JsonObject,
    command_status: 'RUNNING',
    command_error: null,
    command_result: null,
  };
}

function finish(command: Command, result: JsonObject): void {
  command.command_status = 'SUCCEEDED';
  command.command_result = result;
}

const shown = (command: Command) => ({ ...command, params: undefined });

const stepOf = ({ params }: Command): string =>
  isJsonObject(params['step']) ? textOf(params['step']['step']) : '';

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '');

/** The step `interface.step` as agents report it. */
export const offer = (name: string, priority: number, more: JsonObject = {}): JsonObject => ({
  interface: name.split('.')[0] ?? '',
  step: name.split('.')[1] ?? '',
  priority,
  reboot_requested: false,
  abortable: true,
  ...more,
});
