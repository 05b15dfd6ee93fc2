// The directory of host files that dnsmasq watches. A file is written only when its content changes.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseMac } from '../daemon/lib/network/mac.ts';
import {
  checkWatchedDirectory,
  contentOf,
  hostIn,
  HOSTS_DRAFT,
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
   * Writes each file whose content differs and returns the names of these files. `names`: how the files name their machines; a file
   * without a name there keeps its own. Tries all files; throws in the end if a write failed.
   */
  write(
    verdicts: ReadonlyMap<string, Verdict>,
    names: ReadonlyMap<string, string> = new Map(),
  ): readonly string[] {
    const changed = [...verdicts]
      .map(
        ([file, verdict]) =>
          [file, hostRecord(file, verdict, names.get(file) ?? this.#nameIn(file))] as const,
      )
      .filter(([file, record]) => this.#contents.get(file) !== record);
    const failures: string[] = [];
    for (const [file, record] of changed) {
      try {
        this.#replace(file, record);
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
      (name) => name.startsWith(HOSTS_DRAFT) || (isOurs(name) && !verdicts.has(name)),
    );
    for (const name of surplus) {
      rmSync(join(this.path, name));
      this.#contents.delete(name);
    }
    return surplus;
  }

  #nameIn(file: string): string {
    const name = hostIn(this.#contents.get(file) ?? '');
    return name.startsWith(file) ? name : file;
  }

  #replace(file: string, content: string): void {
    replaceFile(this.path, file, content);
    this.#contents.set(file, content);
  }
}

const isOurs = (name: string): boolean => name === UNKNOWN_HOSTS_FILE || parseMac(name) === name;
