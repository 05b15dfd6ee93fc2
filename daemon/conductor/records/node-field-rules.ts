// What may be written to a node, whether by a request or by the hooks and rules of an inspection.
import { parseUuid } from '../../lib/uuid.ts';
import { fault } from '../../model/faults.ts';
import type { Json, JsonObject } from '../../model/json.ts';
import { MAXIMUM_MINOR } from '../../model/microversions.ts';
import type { InspectedNodeField } from '../../model/records/inspected-fields.ts';
import { type Node, type NodeChanges, nodeFields } from '../../model/records/node.ts';
import { checkedTraits, MAXIMUM_TRAITS_OF_NODE } from '../../model/traits.ts';
import { validatorFor } from '../../model/records/field-validator.ts';
import { checkNodeName } from './find-record.ts';

/** Fields that every node has: no node can be created without them, and they cannot be unset. */
export const mandatoryNodeFields: readonly string[] = ['driver'];

const validate = validatorFor(nodeFields, 'update', []);

/**
 * Returns the change that sets a field to `value`, under the rules of a PATCH in the newest API version. Null and undefined
 * unset the field. Throws a fault for a value that a node cannot have.
 */
export function nodeFieldChange(name: InspectedNodeField | 'traits', value: Json | undefined): NodeChanges {
  if (name === 'traits') return { traits: canonicalTraits(checkedTraits((value ?? []) as readonly Json[])) };
  if (value !== undefined && value !== null)
    return canonicalNodeFields(validate('node', { [name]: value }), MAXIMUM_MINOR);
  if (mandatoryNodeFields.includes(name))
    throw fault('InvalidParameter', { name, reason: 'it is mandatory and can not be removed' });
  return { [name]: nodeFields[name].initial };
}

/** Returns traits sorted and without duplicates. Throws InvalidParameter when they are more than a node can have. */
export function canonicalTraits(given: readonly string[]): readonly string[] {
  const traits = [...new Set(given)].toSorted();
  if (traits.length <= MAXIMUM_TRAITS_OF_NODE) return traits;
  throw fault('InvalidParameter', {
    name: 'traits',
    reason: `the node would have ${traits.length} traits; ${MAXIMUM_TRAITS_OF_NODE} are allowed`,
  });
}

/** Returns `fields`, which fit their schemas, in canonical form. Throws a fault for a value that a node cannot have. */
export function canonicalNodeFields(fields: Partial<Node>, minor: number): Partial<Node> {
  if (typeof fields.name === 'string') checkNodeName(fields.name, minor);
  refuseUnfitSizes(fields.properties ?? {});
  refuseUnfitNetworkData(fields.network_data ?? {});
  return { ...fields, ...canonicalUuids(fields) };
}

function refuseUnfitSizes(properties: JsonObject): void {
  for (const size of ['local_gb', 'memory_mb']) {
    const value = properties[size] ?? null;
    if (value === null || /^\d+$/.test(JSON.stringify(value).replaceAll('"', ''))) continue;
    throw fault('InvalidParameter', {
      name: `properties/${size}`,
      reason: `${JSON.stringify(value)} is not a non-negative integer`,
    });
  }
}

function refuseUnfitNetworkData(networkData: JsonObject): void {
  const missing = ['links', 'networks', 'services'].filter((part) => !Array.isArray(networkData[part]));
  if (Object.keys(networkData).length === 0 || missing.length === 0) return;
  throw fault('InvalidParameter', {
    name: 'network_data',
    reason: `it must contain the lists ${missing.join(', ')}`,
  });
}

const canonicalUuids = (fields: NodeChanges): NodeChanges =>
  Object.fromEntries(
    (['uuid', 'instance_uuid', 'chassis_uuid'] as const)
      .filter((name) => typeof fields[name] === 'string')
      .map((name) => [name, parseUuid(fields[name] ?? '')]),
  );
