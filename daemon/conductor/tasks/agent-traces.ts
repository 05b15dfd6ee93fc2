// The fields of `driver_internal_info` that describe the ramdisk's agent, and removing them.
import type { Json } from '../../model/json.ts';
import type { Node, NodeChanges } from '../../model/records/node.ts';

const TRACES = [
  'agent_url',
  'agent_verify_ca',
  'agent_start_attempted',
  'agent_last_lookup',
  'agent_last_silence',
  // the cached steps themselves stay, so that they can be listed while no agent runs
  'agent_cached_deploy_steps_refreshed',
  'agent_cached_clean_steps_refreshed',
  'agent_cached_service_steps_refreshed',
  'hardware_manager_version',
];
const TOKEN = 'agent_secret_token';
/** Set when the token went into the boot media: it stays valid across reboots. */
const PREGENERATED = 'agent_secret_token_pregenerated';

/** Returns changes for a reboot, which ends the agent: they remove its traces, and its token unless pregenerated. */
export function withoutAgent(node: Node): NodeChanges {
  const keep = node.driver_internal_info[PREGENERATED] === true;
  return without(node, keep ? TRACES : [...TRACES, TOKEN]);
}

/** Returns changes for the start or end of a flow: they remove all traces of the agent and any token. */
export function withoutAgentAndToken(node: Node): NodeChanges {
  return without(node, [...TRACES, TOKEN, PREGENERATED]);
}

function without(node: Node, keys: readonly string[]): NodeChanges {
  const kept: Record<string, Json> = { ...node.driver_internal_info };
  for (const key of keys) delete kept[key];
  return { driver_internal_info: kept };
}
