// Completes a redfish_address as the Redfish driver does: with a scheme, and with the brackets of a bare IPv6 address.

/** Returns the URL of a Redfish BMC. `given` may lack the scheme, which is then https. Returns null when `given` is no URL. */
export function givenBmcUrl(given: string): URL | null {
  if (given.includes('://')) return URL.parse(given);
  const isIpv6 = given.split(':').length > 2 && !given.includes('[') && !given.includes('/');
  return URL.parse(`https://${isIpv6 ? `[${given}]` : given}`);
}
