// Request bodies of portgroups.
import { fault } from '../../model/faults.ts';
import { type Portgroup, portgroupFields } from '../../model/records/portgroup.ts';
import { createBodies } from '../../http/bodies/bodies.ts';
import { parseMacOrThrow, parseUuidOrThrow } from '../../http/parameter-kinds.ts';
import { isLogicalName, LOGICAL_NAME_RULE } from '../../conductor/records/find-record.ts';

const { physical_network, category } = portgroupFields;
const { since } = portgroupFields.uuid;

export const portgroupBodies = createBodies<Portgroup>({
  resource: 'portgroup',
  // clients of older API versions do not see these two fields, but may write them
  fields: {
    ...portgroupFields,
    physical_network: { ...physical_network, since },
    category: { ...category, since },
  },
  required: ['node_uuid'],
  unremovable: ['mode'],
  fixed: ['node_uuid'],
  normalise: (given) => ({
    ...given,
    ...(typeof given.address === 'string' && { address: parseMacOrThrow(given.address) }),
    ...(typeof given.name === 'string' && { name: checkedName(given.name) }),
    ...(given.uuid !== undefined && { uuid: parseUuidOrThrow(given.uuid) }),
    ...(given.node_uuid !== undefined && { node_uuid: parseUuidOrThrow(given.node_uuid) }),
  }),
});

/** Returns the name; null if it is empty. Throws InvalidName. */
function checkedName(name: string): string | null {
  if (name === '') return null;
  if (isLogicalName(name)) return name;
  throw fault('InvalidName', {
    name,
    resource: 'portgroup',
    reason: LOGICAL_NAME_RULE,
  });
}
