// The facts of this machine that defaults depend on.
import { hostname, networkInterfaces, type NetworkInterfaceInfo } from 'node:os';

export interface HostFacts {
  readonly hostname: string;
  readonly address: string;
  /** An absolute path; relative paths in the configuration start from it. */
  readonly workingDirectory: string;
}

export const thisMachine = (): HostFacts => ({
  hostname: hostname(),
  address: firstAddress(Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])),
  workingDirectory: process.cwd(),
});

const LINK_LOCAL = /^(?:fe[89ab]|169\.254\.)/i;

/** Returns the first address that is neither internal nor link-local, IPv4 before IPv6; 127.0.0.1 if there is none. */
export function firstAddress(
  addresses: readonly Pick<NetworkInterfaceInfo, 'address' | 'family' | 'internal'>[],
): string {
  const outside = addresses.filter(({ address, internal }) => !internal && !LINK_LOCAL.test(address));
  const chosen = outside.find(({ family }) => family === 'IPv4') ?? outside[0];
  return chosen?.address ?? '127.0.0.1';
}
