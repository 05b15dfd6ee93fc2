// The daemon's client of an agent, on a fake clock, for tests of what the client requests and how it handles the answers.
import type { TestContext } from 'node:test';
import { type AgentEvent, agentOf, type AgentSettings } from '../../../daemon/agent/agent.ts';
import type { Node } from '../../../daemon/model/records/node.ts';
import { fakeClock } from '../clock.ts';
import { type Answering, scriptedAgent } from './scripted-agent.ts';
import { fakeNode } from '../task.ts';

const settings: AgentSettings = {
  callback_networks: ['127.0.0.0/8'],
  verify_ca: 'True',
  tls_minimum_version: '1.3',
  command_timeout: 60,
  max_command_attempts: 3,
  command_wait_attempts: 100,
  command_wait_interval: 6,
};
export const TOKEN = 't'.repeat(43);

export function ask(
  url: string | undefined,
  { node = {}, own = {} }: { node?: Partial<Node>; own?: Partial<AgentSettings> } = {},
) {
  const clock = fakeClock();
  const events: AgentEvent[] = [];
  const stop = new AbortController();
  const known = {
    ...(url !== undefined && { agent_url: url }),
    agent_secret_token: TOKEN,
    ...node.driver_internal_info,
  };
  const agent = agentOf({
    node: fakeNode({ ...node, driver_internal_info: known }),
    ports: [],
    settings: { ...settings, ...own },
    clock,
    signal: stop.signal,
    record: (event) => void events.push(event),
  });
  return { agent, clock, stop, events };
}

export async function withAnswers(t: TestContext, answer: Answering, node: Partial<Node> = {}) {
  const server = await scriptedAgent(t, answer);
  return { ...ask(server.url, { node }), asked: server.asked };
}

export const command = (fields: object = {}) => ({
  id: 'c1',
  command_name: 'sync',
  command_status: 'RUNNING',
  command_error: null,
  command_result: null,
  ...fields,
});

export const pinned = (agent_verify_ca: string) => ({ node: { driver_internal_info: { agent_verify_ca } } });

/** Advances time, one `pause` after the other, until `promised` settles. */
export async function passing(promised: Promise<unknown>, pause: () => Promise<void>): Promise<void> {
  const state = { ended: false };
  const done = promised.finally(() => (state.ended = true));
  while (!state.ended) await pause();
  await done;
}

export const soon = () => new Promise<void>((resolve) => setImmediate(resolve));
