// Request bodies of allocations.
import { type Allocation, allocationFields } from '../../model/records/allocation.ts';
import { fault } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { parseUuidOrThrow } from '../../http/parameter-kinds.ts';
import { objectSchema, versioned } from '../../http/schema-parts.ts';
import { checkedTraits } from '../../model/traits.ts';
import { isLogicalName, LOGICAL_NAME_RULE } from '../../conductor/records/find-record.ts';

export const allocationBodies = createBodies<Allocation>({
  resource: 'allocation',
  fields: allocationFields,
  required: [],
  normalise(given) {
    if (typeof given.name === 'string') checkName(given.name);
    return {
      ...given,
      ...(given.uuid !== undefined && { uuid: parseUuidOrThrow(given.uuid) }),
      ...(given.traits !== undefined && { traits: checkedTraits(given.traits) }),
    };
  },
});

function checkName(name: string): void {
  if (isLogicalName(name)) return;
  throw fault('InvalidName', {
    name,
    resource: 'allocation',
    reason: LOGICAL_NAME_RULE,
  });
}

const NODE_SINCE = 58;

/** The body of POST: the fields, and `node` to record an allocation of a node that is already in use. */
export const allocationPostSchema = objectSchema(
  {
    ...allocationBodies.postSchema.properties,
    node: versioned(NODE_SINCE, { type: ['string', 'null'] }),
  },
  [],
);

/** Splits a POST body into its fields and the identifier in `node`. Throws Invalid or InvalidSchema. */
export function withoutNode(
  body: unknown,
  minor: number,
): { readonly fields: unknown; readonly node: string | undefined } {
  if (!isJsonObject(body) || !('node' in body)) return { fields: body, node: undefined };
  const { node, ...fields } = body;
  if (node === null) return { fields, node: undefined };
  if (minor < NODE_SINCE)
    throw fault('Invalid', {
      reason: `A new allocation can name its node since API 1.${NODE_SINCE}.`,
    });
  if (typeof node !== 'string')
    throw fault('InvalidSchema', { resource: 'allocation', reason: 'node is not of type string' });
  return { fields, node };
}
