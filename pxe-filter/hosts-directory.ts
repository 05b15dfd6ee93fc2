// The directory of host files that dnsmasq watches. A file is written only when its content changes.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseMac } from '../daemon/lib/network/mac.ts';
import {
  checkWatchedDirectory,
  contentOf,
  DRAFT,
  replaceFile,
} from '../daemon/boot/dnsmasq/watched-directory.ts';
import { reasonOf } from '../daemon/model/faults.ts';
import { hostRecord, UNKNOWN_HOSTS_FILE, type Verdict } from './decide.ts';

export class HostsDirectory {
  readonly path: string;
  readonly #contents = new Map<string, string>();

  /** Throws when `path` is not an existing directory. */
  constructor(path: string) {
    checkWatchedDirectory('[pxe_filter] dhcp_hostsdir', path);
    this.path = path;
  }

  /** The names of the filter's own files, as of the last read or write. */
  get files(): readonly string[] {
    return [...this.#contents.keys()];
  }

  /** Reads the filter's own files from disk. */
  read(): void {
    this.#contents.clear();
    for (const file of readdirSync(this.path).filter(isOurs)) {
      this.#contents.set(file, contentOf(join(this.path, file)));
    }
  }

  /**
   * Writes each file whose content differs and returns the names of these files. Tries all files; throws in the end if a write
   * failed.
   */
  write(verdicts: ReadonlyMap<string, Verdict>): readonly string[] {
    const changed = [...verdicts].filter(
      ([file, verdict]) => this.#contents.get(file) !== hostRecord(file, verdict),
    );
    const failures: string[] = [];
    for (const [file, verdict] of changed) {
      try {
        this.#replace(file, hostRecord(file, verdict));
      } catch (error) {
        failures.push(reasonOf(error));
      }
    }
    if (failures.length > 0) {
      throw new Error(
        `${failures.length} of ${changed.length} host files could not be written to ${this.path} ([pxe_filter] dhcp_hostsdir) and remain unchanged: ${failures[0]}. Check that this user may write there and that the disk is not full.`,
      );
    }
    return changed.map(([file]) => file);
  }

  /**
   * Deletes the filter's files that have no verdict, and unfinished files left by a crash. Returns the names of the deleted files.
   * dnsmasq must not be running, because it does not forget a file that is deleted while it runs.
   */
  keepOnly(verdicts: ReadonlyMap<string, Verdict>): readonly string[] {
    const surplus = readdirSync(this.path).filter(
      (name) => name.startsWith(DRAFT) || (isOurs(name) && !verdicts.has(name)),
    );
    for (const name of surplus) {
      rmSync(join(this.path, name));
      this.#contents.delete(name);
    }
    return surplus;
  }

  #replace(file: string, content: string): void {
    replaceFile(this.path, file, content);
    this.#contents.set(file, content);
  }
}

const isOurs = (name: string): boolean => name === UNKNOWN_HOSTS_FILE || parseMac(name) === name;
