// Microversions of the Bare Metal API, 1.1 to 1.115, and how a request asks for a version.
import { fault } from './faults.ts';

export const MINIMUM_MINOR = 1;
export const MAXIMUM_MINOR = 115;

export const versionText = (minor: number): string => `1.${minor}`;

/**
 * Returns the minor version that a request asks for. The standard header (`OpenStack-API-Version: baremetal 1.N`) takes
 * precedence over `X-OpenStack-Ironic-API-Version: 1.N`. A missing or empty header means 1.1, and `latest` means 1.115. Throws a
 * 406 fault for a value that is neither `latest` nor a supported version.
 */
export function requestedMinor(standard: string | undefined, legacy: string | undefined): number {
  const text = (standard === undefined ? undefined : fromStandard(standard)) ?? legacy;
  if (text === undefined || text === '') return MINIMUM_MINOR;
  if (text.trim().toLowerCase() === 'latest') return MAXIMUM_MINOR;
  const match = /^(\d{1,9})\.(\d{1,9})$/.exec(text.trim());
  if (match === null) throw fault('VersionUnparsable', { value: JSON.stringify(text.slice(0, 40)) });
  const minor = Number(match[2]);
  if (match[1] !== '1' || minor < MINIMUM_MINOR || minor > MAXIMUM_MINOR) {
    throw fault('VersionOutOfRange', {
      value: text.trim(),
      minimum: versionText(MINIMUM_MINOR),
      maximum: versionText(MAXIMUM_MINOR),
    });
  }
  return minor;
}

// "compute 2.1, baremetal 1.80": the last pair for baremetal counts
function fromStandard(header: string): string | undefined {
  return header
    .split(',')
    .map((pair) => pair.trim().split(/\s+/))
    .findLast(([service]) => service?.toLowerCase() === 'baremetal')?.[1];
}
