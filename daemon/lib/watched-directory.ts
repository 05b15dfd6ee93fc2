// Directories that dnsmasq watches while it runs: files change whole, and dnsmasq takes what it read last about a machine.
import { chmodSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** dnsmasq reads as a user of its own. */
const READABLE_BY_ALL = 0o644;
/** What a crash leaves half-written begins with it; dnsmasq skips names that begin with a dot. */
export const DRAFT = '.ironic-draft-';

/** Throws a sentence when there is no such directory. `option` is what names it: `[pxe_filter] dhcp_hostsdir`. */
export function checkWatchedDirectory(option: string, path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return;
  throw new Error(
    `${option} = ${path}: expected a directory that exists. Make it, readable for dnsmasq, and restart dnsmasq, which watches only what was there when it started.`,
  );
}

/** Empty for what cannot be read: it differs from every record, and so is replaced. */
export function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Puts `content` in the place of the file by a rename. */
export function replaceFile(directory: string, file: string, content: string): void {
  const draft = join(directory, `${DRAFT}${process.pid}`);
  try {
    writeFileSync(draft, content);
    chmodSync(draft, READABLE_BY_ALL);
    renameSync(draft, join(directory, file));
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** The record of a machine that gets no answer. */
export const ignoredHost = (host: string): string => `${host},ignore\n`;

/** The record of a machine that is answered with the options of `tag`. */
export const taggedHost = (mac: string, tag: string): string => `${mac},set:${tag},set:ironic\n`;
