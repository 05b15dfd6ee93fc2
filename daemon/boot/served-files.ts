// The one table of names that the TFTP and HTTP boot servers serve. A name that is not in it does not exist.

/** What a name stands for: bytes in memory, or a regular file that is opened for each transfer. */
export type Served =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'file'; readonly path: string };

/** Names are relative and use `/`: `snponly.efi`, `pxelinux.cfg/01-52-54-00-12-34-56`. */
export type ServedNames = Readonly<Record<string, Served>>;

export interface ServedFiles {
  /** Serves `files` in place of those that `owner` (a node's UUID, or the name of a part of the daemon) published before. */
  publish(owner: string, files: ServedNames): void;
  withdraw(owner: string): void;
  /** A leading `/` is ignored: GRUB sends it, other boot loaders do not. */
  find(name: string): Served | undefined;
  /** The paths of all files that are served. */
  paths(): ReadonlySet<string>;
}

export function createServedFiles(): ServedFiles {
  const byName = new Map<string, { readonly owner: string; readonly served: Served }>();
  const namesOf = new Map<string, readonly string[]>();
  const withdraw = (owner: string) => {
    for (const name of namesOf.get(owner) ?? []) {
      if (byName.get(name)?.owner === owner) byName.delete(name);
    }
    namesOf.delete(owner);
  };
  return {
    publish(owner, files) {
      withdraw(owner);
      namesOf.set(owner, Object.keys(files));
      for (const [name, served] of Object.entries(files)) byName.set(name, { owner, served });
    },
    withdraw,
    find: (name) => byName.get(name.startsWith('/') ? name.slice(1) : name)?.served,
    paths: () =>
      new Set([...byName.values()].flatMap(({ served }) => (served.kind === 'file' ? [served.path] : []))),
  };
}
