// The fields that inspection may change: hooks in their draft, rules with their actions.
import { interfaceFields } from './interface-types.ts';

/** Of a node: those that clients may change with PATCH. */
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

/** Of a port that the node has; its address stays. */
export const inspectedPortFields = [
  'pxe_enabled',
  'extra',
  'local_link_connection',
  'physical_network',
] as const;
