// The callback URL that an agent sends in its heartbeats.

/** Returns what is wrong with the URL; undefined if it is an http or https URL with only a host and an optional port. */
export function callbackUrlFlaw(text: string): string | undefined {
  if (!/^https?:\/\/\S+$/.test(text) || !URL.canParse(text)) return 'it is not an http or https URL';
  return /^https?:\/\/[^/\\?#@]+\/?$/.test(text)
    ? undefined
    : 'expected only a host and a port, as in https://192.0.2.10:9999';
}
