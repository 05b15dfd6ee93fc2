// Directories that a running dnsmasq watches. Files are replaced as a whole. If several host records name the same machine,
// dnsmasq uses the record that it read last.
import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** dnsmasq runs as another user. */
const READABLE_BY_ALL = 0o644;
/** The name prefix of files that are being written. dnsmasq skips names that begin with a dot. */
export const HOSTS_DRAFT = '.ironic-draft-';

/**
 * Throws an Error if the directory does not exist. `option`: the option that names the directory, as in `[pxe_filter]
 * dhcp_hostsdir`.
 */
export function checkWatchedDirectory(option: string, path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new Error(
    `${option} = ${path}: expected a directory that exists. Create it, make it readable for dnsmasq, and restart dnsmasq, which watches only directories that exist when it starts.`,
  );
}

/** Returns the content of the file; empty if the file cannot be read, in which case the caller replaces it. */
export function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Replaces the file atomically, by a rename. */
export function replaceFile(directory: string, file: string, content: string): void {
  const draft = join(directory, `${HOSTS_DRAFT}${process.pid}`);
  try {
    writeFileSync(draft, content);
    chmodSync(draft, READABLE_BY_ALL);
    renameSync(draft, join(directory, file));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

const HOST = /^[\da-f]{2}(?::[\da-f]{2}){5}(?:,id:[\da-f]{2}(?::[\da-f]{2}){1,254})?(?=[,\n])/;

/** Returns how a host record names a machine: by its MAC address, and by its DHCP client identifier if it has one. */
export const hostName = (mac: string, clientId: string | undefined): string =>
  clientId === undefined ? mac : `${mac},id:${clientId}`;

/** Returns the part of a host record that `hostName` made; an empty text if `record` is no host record. */
export const hostIn = (record: string): string => HOST.exec(record)?.[0] ?? '';

/** Returns the host record that makes dnsmasq ignore a machine. */
export const ignoredHost = (host: string): string => `${host},ignore\n`;

/** Returns the host record that makes dnsmasq answer a machine with the options of `tag`. */
export const taggedHost = (host: string, tag: string): string => `${host},set:${tag},set:ironic\n`;
