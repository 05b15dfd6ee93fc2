// The URL at which an agent is reached, as its heartbeat gives it.

/** What is wrong with it; undefined when it is an http or https URL of nothing but a host and a port. */
export function callbackUrlFlaw(text: string): string | undefined {
  if (!/^https?:\/\/\S+$/.test(text) || !URL.canParse(text)) return 'it is not an http or https URL';
  return /^https?:\/\/[^/\\?#@]+\/?$/.test(text)
    ? undefined
    : 'expected only a host and a port, as in https://192.0.2.10:9999';
}
