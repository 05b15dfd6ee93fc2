// Old forms of paths below a node, which name the part before the node: /v1/nodes/states/power/NODE. Ironic routes them still.
// Their first segments are reserved, so that no node has such a name.

const PARTS: ReadonlySet<string> = new Set([
  'states',
  ...['power', 'provision', 'raid', 'boot_mode', 'secure_boot', 'console'].map((name) => `states/${name}`),
  ...['boot_device', 'inject_nmi', 'indicators'].map((name) => `management/${name}`),
  'maintenance',
  'vendor_passthru',
]);
const NODES = '/v1/nodes/';

/** The path with the node before its part; any other path as it is. */
export function nodeFirst(path: string): string {
  if (!path.startsWith(NODES)) return path;
  const segments = path.slice(NODES.length).split('/');
  // the longer part first: states/power/NODE is not of the node "power"
  for (const length of [2, 1]) {
    const part = segments.slice(0, length).join('/');
    const [node, ...rest] = segments.slice(length);
    if (PARTS.has(part) && node !== undefined && rest.length <= 1)
      return `${NODES}${[node, part, ...rest].join('/')}`;
  }
  return path;
}
