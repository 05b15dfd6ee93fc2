// The names of the server profiles that the driver applies; OneView shows them to its users.
import type { Node } from '#plugin-api';

export const cleaningProfile = ({ uuid }: Node): string => `Ironic Cleaning [${uuid}]`;

export const inspectionProfile = ({ uuid }: Node): string => `Ironic Inspecting [${uuid}]`;

/**
 * Returns the name of the profile for the node's instance: name and UUID of the instance; where these are not known, as on a site
 * without a cloud, those of the node.
 */
export function instanceProfile({ instance_info: instance, instance_uuid, name, uuid }: Node): string {
  const shown = instance['display_name'];
  const title = typeof shown === 'string' && shown !== '' ? shown : (name ?? uuid);
  return `${title} [${instance_uuid ?? uuid}]`;
}
