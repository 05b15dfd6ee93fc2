// What a node remembers of the ramdisk's agent, and how it is forgotten.
import type { Json } from '../model/json.ts';
import type { Node, NodeChanges } from '../model/node.ts';

const TRACES = [
  'agent_url',
  'agent_verify_ca',
  'agent_start_attempted',
  'agent_last_lookup',
  'agent_last_silence',
  // the steps themselves stay, for those who ask what there is while no agent runs
  'agent_cached_deploy_steps_refreshed',
  'agent_cached_clean_steps_refreshed',
  'agent_cached_service_steps_refreshed',
  'hardware_manager_version',
];
const TOKEN = 'agent_secret_token';
/** Set when the token went into the boot media: it stays valid across reboots. */
const PREGENERATED = 'agent_secret_token_pregenerated';

/** The agent is gone with the next reboot: address, certificate and token no longer hold, but for a pregenerated token. */
export function withoutAgent(node: Node): NodeChanges {
  const keep = node.driver_internal_info[PREGENERATED] === true;
  return without(node, keep ? TRACES : [...TRACES, TOKEN]);
}

/** A new flow begins or one has ended: nothing of the agent is trusted any more. */
export function withoutAgentAndToken(node: Node): NodeChanges {
  return without(node, [...TRACES, TOKEN, PREGENERATED]);
}

function without(node: Node, keys: readonly string[]): NodeChanges {
  const kept: Record<string, Json> = { ...node.driver_internal_info };
  for (const key of keys) delete kept[key];
  return { driver_internal_info: kept };
}
