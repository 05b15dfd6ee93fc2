// Which copies to remove from the cache: first those that have not been used for too long, then the least recently used copies
// until the rest fits. Copies that are being served are kept.
import { readdir, rm, stat } from 'node:fs/promises';
import path from 'node:path';

/** The directory of one image in the cache. */
export interface CachedPlace {
  readonly path: string;
  /** The space that all files in the directory take on the disk; for a sparse file, this is less than its size. */
  readonly bytes: number;
  /** Milliseconds since the epoch. */
  readonly usedAt: number;
  readonly isInUse: boolean;
}

export interface CacheLimits {
  readonly bytes: number;
  readonly milliseconds: number;
}

/** Returns the places to remove. */
export function leaving(
  places: readonly CachedPlace[],
  limits: CacheLimits,
  now: number,
): readonly CachedPlace[] {
  const free = places.filter(({ isInUse }) => !isInUse).toSorted((one, other) => one.usedAt - other.usedAt);
  let excess = total(places) - limits.bytes;
  return free.filter(({ bytes, usedAt }) => {
    const leaves = excess > 0 || now - usedAt > limits.milliseconds;
    if (leaves) excess -= bytes;
    return leaves;
  });
}

const total = (places: readonly CachedPlace[]) => places.reduce((sum, { bytes }) => sum + bytes, 0);

const ENTRY = 'entry.json';
/** The beginning of the names of files that are being written. */
export const DRAFT = 'draft-';
/** Copies used within this time are kept, because a copy that is not served yet may be about to be served. */
const RECENT_MILLISECONDS = 600_000;

/** The places with a copy. `served`: paths of files that are in use. */
export async function cachedPlaces(
  directory: string,
  served: ReadonlySet<string>,
  now: number,
): Promise<readonly CachedPlace[]> {
  const places = await readdir(directory).catch(() => []);
  const found = await Promise.all(
    places.map(async (name) => {
      const place = path.join(directory, name);
      // the place may be removed meanwhile, and a stray file is no place
      const names = await readdir(place).catch(() => []);
      const files = names.map((each) => path.join(place, each));
      const entry = await stat(path.join(place, ENTRY)).catch(() => undefined);
      if (entry === undefined) return undefined;
      const stats = await Promise.all(files.map((each) => stat(each).catch(() => undefined)));
      return {
        path: place,
        bytes: stats.reduce((sum, each) => sum + (each?.blocks ?? 0) * 512, 0),
        usedAt: entry.mtimeMs,
        isInUse:
          now - entry.mtimeMs < RECENT_MILLISECONDS ||
          names.some((each) => each.startsWith(DRAFT)) ||
          files.some((each) => served.has(each)),
      };
    }),
  );
  return found.filter((place) => place !== undefined);
}

export const removePlaces = async (places: readonly CachedPlace[]): Promise<void> => {
  await Promise.all(places.map((place) => rm(place.path, { recursive: true, force: true })));
};
