// The part of a node that inspection hooks see and change.
import { inspectedNodeFields } from '../../model/records/inspected-fields.ts';
import { isJsonObject, type Json } from '../../model/json.ts';
import type { Node } from '../../model/records/node.ts';
import { maskSecrets } from '../../model/secrets.ts';
import type { NodeDraft } from '../../plugin-api/hooks.ts';

/** Returns a copy of the node's visible part, with secrets masked. */
export function nodeDraftOf(node: Node): NodeDraft {
  const fields = inspectedNodeFields.map((name) => [name, maskSecrets(structuredClone(node[name]))]);
  return { ...(Object.fromEntries(fields) as NodeDraft), uuid: node.uuid, traits: [...node.traits] };
}

/** Returns the fields as the hooks left them, with masks that are still in place replaced by the secrets of `node`. */
export const unmaskedFields = (node: Node, draft: NodeDraft): Readonly<Record<string, Json | undefined>> =>
  Object.fromEntries(
    [...inspectedNodeFields, 'traits' as const].map((name) => [
      name,
      unmasked(draft[name], maskSecrets(node[name]), node[name]),
    ]),
  );

function unmasked(
  left: Json | undefined,
  masked: Json | undefined,
  stored: Json | undefined,
): Json | undefined {
  if (stored === undefined || JSON.stringify(left) === JSON.stringify(masked)) return stored;
  if (Array.isArray(left) && Array.isArray(masked) && Array.isArray(stored)) {
    return unmaskedList(left as readonly Json[], masked as readonly Json[], stored as readonly Json[]);
  }
  if (!isJsonObject(left) || !isJsonObject(masked) || !isJsonObject(stored)) return left;
  return Object.fromEntries(
    Object.entries(left).map(([key, part]) => [key, unmasked(part, masked[key], stored[key]) ?? part]),
  );
}

/**
 * In a list whose length changed, items may have moved. The stored value of an item is therefore found by comparing the item with
 * the masked items.
 */
function unmaskedList(left: readonly Json[], masked: readonly Json[], stored: readonly Json[]): Json {
  const texts = masked.map((part) => JSON.stringify(part));
  return left.map((part, index) => {
    const at = left.length === masked.length ? index : texts.indexOf(JSON.stringify(part));
    return unmasked(part, masked[at], stored[at]) ?? part;
  });
}
