// The directory of host files that dnsmasq watches. Files change only when their content is another.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseMac } from '../daemon/lib/mac.ts';
import { checkWatchedDirectory, contentOf, DRAFT, replaceFile } from '../daemon/lib/watched-directory.ts';
import { reasonOf } from '../daemon/model/faults.ts';
import { hostRecord, UNKNOWN_HOSTS_FILE, type Verdict } from './decide.ts';

export class HostsDirectory {
  readonly path: string;
  readonly #contents = new Map<string, string>();

  /** Throws a sentence when there is no such directory. */
  constructor(path: string) {
    checkWatchedDirectory('[pxe_filter] dhcp_hostsdir', path);
    this.path = path;
  }

  /** Our files, as they were when read or written last. */
  get files(): readonly string[] {
    return [...this.#contents.keys()];
  }

  /** Learns what is on disk. */
  read(): void {
    this.#contents.clear();
    for (const file of readdirSync(this.path).filter(isOurs)) {
      this.#contents.set(file, contentOf(join(this.path, file)));
    }
  }

  /** Writes each file whose content differs; gives their names. Throws when some could not be, after trying all. */
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
        `${failures.length} of ${changed.length} host files could not be written to ${this.path} ([pxe_filter] dhcp_hostsdir) and stay as they are: ${failures[0]}. See that this user may write there and that its disk has room.`,
      );
    }
    return changed.map(([file]) => file);
  }

  /** Deletes our other files and what a crash left half-written. dnsmasq must not be running: it would not forget them. */
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
