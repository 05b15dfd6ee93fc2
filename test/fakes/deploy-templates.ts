// Deploy templates, and nodes whose instances request the traits that select these templates.
import assert from 'node:assert/strict';
import type { Json } from '../../daemon/model/json.ts';
import type { SteppingSession } from './machines/stepping-session.ts';

/** Creates a deploy template. */
export async function template(daemon: SteppingSession, name: string, steps: readonly object[]) {
  const answer = await daemon.request('POST', '/v1/deploy_templates', { body: { name, steps } });
  assert.equal(answer.status, 201, answer.text);
}

/** Gives the node the traits `own`; its instance asks for `traits`. */
export async function wanting(daemon: SteppingSession, node: string, own: string[], traits: Json) {
  await daemon.request('PUT', `/v1/nodes/${node}/traits`, { body: { traits: own } });
  daemon.services.db.nodes.update(node, { instance_info: { traits } });
}
