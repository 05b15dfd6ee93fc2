// The fields that inspection may change, by hooks and by the actions of rules.
import { interfaceFields } from '../machine/interface-types.ts';

/** The fields of a node: those that clients may change with PATCH. Inspection can also change the node's traits. */
export const inspectedNodeFields = [
  'name',
  'driver',
  'driver_info',
  'properties',
  'instance_info',
  'instance_uuid',
  'instance_name',
  'extra',
  'chassis_uuid',
  'resource_class',
  'maintenance',
  ...interfaceFields,
  'conductor_group',
  'automated_clean',
  'protected',
  'protected_reason',
  'owner',
  'lessee',
  'description',
  'retired',
  'retired_reason',
  'network_data',
  'shard',
  'parent_node',
  'disable_power_off',
] as const;

export type InspectedNodeField = (typeof inspectedNodeFields)[number];

/** The fields of a port. Inspection can also set the address of a new port, but not change the address of an existing one. */
export const inspectedPortFields = [
  'pxe_enabled',
  'extra',
  'local_link_connection',
  'physical_network',
] as const;
