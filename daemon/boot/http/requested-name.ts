// The name that a request's target asks for.

/** Undefined when the target is not a path, or its percent-encoding is invalid. A query is ignored. */
export function requestedName(target: string): string | undefined {
  const [path = ''] = target.split('?', 1);
  if (!path.startsWith('/')) return undefined;
  try {
    return decodeURIComponent(path.slice(1));
  } catch {
    return undefined;
  }
}
