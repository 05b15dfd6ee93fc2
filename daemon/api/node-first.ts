// Legacy paths with the node at the end, as in /v1/nodes/states/power/NODE, which Ironic still routes. The word after /v1/nodes
// in such a path is reserved: no node can have it as its name.

const PARTS: ReadonlySet<string> = new Set([
  'states',
  ...['power', 'provision', 'raid', 'boot_mode', 'secure_boot', 'console'].map((name) => `states/${name}`),
  ...['boot_device', 'inject_nmi', 'indicators'].map((name) => `management/${name}`),
  'maintenance',
  'vendor_passthru',
]);
const NODES = '/v1/nodes/';

/** Returns a legacy path with the node moved to the front; any other path unchanged. */
export function nodeFirst(path: string): string {
  if (!path.startsWith(NODES)) return path;
  const segments = path.slice(NODES.length).split('/');
  // tries two segments before one: in states/power/NODE, "power" is not the node
  for (const length of [2, 1]) {
    const part = segments.slice(0, length).join('/');
    const [node, ...rest] = segments.slice(length);
    if (PARTS.has(part) && node !== undefined && rest.length <= 1)
      return `${NODES}${[node, part, ...rest].join('/')}`;
  }
  return path;
}
