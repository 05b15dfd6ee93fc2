// The node on the wire.
import type { Services } from '../../conductor/services.ts';
import type { JsonObject } from '../../model/json.ts';
import { MAXIMUM_MINOR } from '../../model/microversions.ts';
import { type Node, nodeFields } from '../../model/node.ts';
import type { ProvisionState } from '../../model/provision-states.ts';
import { MASK, maskSecrets } from '../../model/secrets.ts';
import { linkPair } from '../links.ts';
import { fieldSchemas, linkedSchema, linksSchema, versioned } from '../schema-parts.ts';
import { fieldsUpTo } from '../visible-fields.ts';

interface ViewContext {
  readonly services: Services;
  readonly minor: number;
  readonly baseUrl: string;
}
type View = Record<string, unknown>;

/** The fields that hold secrets, and those in them that their key's name does not give away. */
const ALSO_SECRET: Readonly<Record<string, readonly string[]>> = {
  driver_info: ['snmp_auth_key', 'snmp_priv_key'],
  driver_internal_info: [],
  // arguments of steps
  clean_step: [],
  deploy_step: [],
  service_step: [],
  instance_info: ['configdrive', 'image_url'],
};

const SUB_RESOURCES = [
  ['ports', 1],
  ['states', 14],
  ['portgroups', 24],
  ['volume', 32],
] as const;

/** How the API shows a node: whole, or with the fields that are asked for. */
export const nodeSchema = linkedSchema('Node', {
  ...fieldSchemas(nodeFields),
  ...Object.fromEntries(SUB_RESOURCES.map(([name, minor]) => [name, versioned(minor, linksSchema)])),
});

/** The whole node at the request's version, with links to what belongs to it. */
export function fullNodeView(node: Node, context: ViewContext): View {
  const view = nodeView(node, fieldsByMinor[context.minor] ?? [], context);
  for (const [name, since] of SUB_RESOURCES) {
    if (context.minor >= since) view[name] = linkPair(context.baseUrl, `nodes/${node.uuid}/${name}`);
  }
  return view;
}

const fieldsByMinor = Array.from({ length: MAXIMUM_MINOR + 1 }, (_, minor) => fieldsUpTo(nodeFields, minor));

/** The named fields and the node's own links. */
export function nodeView(node: Node, names: readonly string[], context: ViewContext): View {
  const view: View = {};
  for (const name of names) view[name] = shown(node, name, context);
  view['links'] = linkPair(context.baseUrl, `nodes/${node.uuid}`);
  return view;
}

function shown(node: Node, name: string, context: ViewContext): unknown {
  if (name === 'provision_state') return stateAt(node.provision_state, context.minor);
  if (name === 'reservation') return context.services.locks.holderOf(node.uuid);
  if (name === 'conductor') return context.services.host;
  const value = node[name as keyof Node];
  const extraSecrets = ALSO_SECRET[name];
  return extraSecrets === undefined ? value : masked(value as JsonObject, extraSecrets);
}

function masked(value: JsonObject, extraSecrets: readonly string[]): JsonObject {
  const hidden = extraSecrets.filter((key) => Boolean(value[key]));
  const safe = maskSecrets(value);
  return hidden.length === 0 ? safe : { ...safe, ...Object.fromEntries(hidden.map((key) => [key, MASK])) };
}

/** Older clients do not know every state. */
export function stateAt(state: ProvisionState, minor: number): ProvisionState | null {
  if (state === 'available' && minor < 2) return null;
  return state === 'inspect wait' && minor < 39 ? 'inspecting' : state;
}
