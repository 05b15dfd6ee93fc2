// The one table of names that the TFTP and HTTP boot servers serve. A name that is not in it does not exist.
import type { MayBeMachine } from './machine-addresses.ts';

/** What a name stands for: bytes in memory, or a regular file that is opened for each transfer. */
export type Served =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'file'; readonly path: string };

/** What a client gets that is not the machine for which the name is published: nothing. */
export interface Withheld {
  readonly kind: 'withheld';
}

/** Names are relative and use `/`: `snponly.efi`, `pxelinux.cfg/01-52-54-00-12-34-56`. */
export type ServedNames = Readonly<Record<string, Served>>;

export interface ServedFiles {
  readonly mayBeMachine: MayBeMachine;
  /**
   * Serves `files` in place of those that `owner` (a node's UUID, or the name of a part of the daemon) published before. `macs`: the
   * network cards of the machine that the files are for; not set: the files are for everyone who knows their names.
   */
  publish(owner: string, files: ServedNames, macs?: readonly string[]): void;
  withdraw(owner: string): void;
  /** A leading `/` is ignored: GRUB sends it, other boot loaders do not. */
  find(name: string): Served | undefined;
  /** What the client at the address gets under the name. */
  findFor(name: string, address: string): Served | Withheld | undefined;
  /** The paths of all files that are served. */
  paths(): ReadonlySet<string>;
}

interface Entry {
  readonly owner: string;
  readonly served: Served;
  readonly macs: readonly string[];
}

export function createServedFiles(mayBeMachine: MayBeMachine = () => true): ServedFiles {
  const byName = new Map<string, Entry>();
  const namesOf = new Map<string, readonly string[]>();
  const withdraw = (owner: string) => {
    for (const name of namesOf.get(owner) ?? []) {
      if (byName.get(name)?.owner === owner) byName.delete(name);
    }
    namesOf.delete(owner);
  };
  const entryOf = (name: string) => byName.get(name.startsWith('/') ? name.slice(1) : name);
  return {
    mayBeMachine,
    publish(owner, files, macs = []) {
      withdraw(owner);
      namesOf.set(owner, Object.keys(files));
      for (const [name, served] of Object.entries(files)) byName.set(name, { owner, served, macs });
    },
    withdraw,
    find: (name) => entryOf(name)?.served,
    findFor(name, address) {
      const entry = entryOf(name);
      return entry === undefined || mayBeMachine(address, entry.macs) ? entry?.served : { kind: 'withheld' };
    },
    paths: () =>
      new Set([...byName.values()].flatMap(({ served }) => (served.kind === 'file' ? [served.path] : []))),
  };
}
