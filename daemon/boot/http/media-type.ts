// The media type of a served name.

// UEFI firmware decides by the first two types how to start what it has loaded
const byExtension: ReadonlyMap<string, string> = new Map([
  ['efi', 'application/efi'],
  ['iso', 'application/vnd.efi-iso'],
  ['ipxe', 'text/plain; charset=utf-8'],
  ['cfg', 'text/plain; charset=utf-8'],
  ['conf', 'text/plain; charset=utf-8'],
]);

export const mediaTypeOfFile = (name: string): string =>
  byExtension.get(name.slice(name.lastIndexOf('.') + 1).toLowerCase()) ?? 'application/octet-stream';
