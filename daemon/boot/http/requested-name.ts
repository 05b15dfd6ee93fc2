// The name that a request's target asks for.

/** Undefined when the target is no path, or not one in valid percent-encoding. A query is ignored. */
export function requestedName(target: string): string | undefined {
  const [path = ''] = target.split('?', 1);
  if (!path.startsWith('/')) return undefined;
  try {
    return decodeURIComponent(path.slice(1));
  } catch {
    return undefined;
  }
}
