// Old forms of paths below a node, which name the part before the node: /v1/nodes/states/power/NODE. Ironic routes them still.
// Their first segments are reserved, so that no node has such a name.

const PARTS = [
  'states(?:/(?:power|provision|raid|boot_mode|secure_boot|console))?',
  'management/(?:boot_device|inject_nmi|indicators)',
  'maintenance',
  'vendor_passthru',
].join('|');
const OLD_FORM = new RegExp(`^/v1/nodes/(${PARTS})/([^/]+)(/[^/]+)?$`);

/** The path with the node before its part; any other path as it is. */
export const nodeFirst = (path: string): string => path.replace(OLD_FORM, '/v1/nodes/$2/$1$3');
