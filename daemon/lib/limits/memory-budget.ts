// Limits the memory that requests use together: bodies being read, inspection reports waiting for their hooks, and
// answers that clients have not read yet.

/** `operators`: callers of the operator's API. `strangers`: unauthenticated callers, such as ramdisks. */
export type Share = 'operators' | 'strangers';

/** A user of memory; `peer` is the caller's network address. */
export interface Claimant {
  readonly peer: string;
  readonly share: Share;
}

/** Frees the memory; further calls do nothing. */
export type Release = () => void;

export interface MemoryBudget {
  /** Whether the claimant may use any more memory. */
  hasRoom(claimant: Claimant): boolean;
  /** Reserves `bytes` before they are allocated; returns undefined if they do not fit. */
  reserve(claimant: Claimant, bytes: number): Release | undefined;
  /** Counts `bytes` that are already allocated, even if they do not fit. */
  occupy(claimant: Claimant, bytes: number): Release;
}

/**
 * Strangers get at most half of `totalBytes` together, so that they cannot starve operators. One peer gets at most half of what
 * all callers of the same share may use, so that it cannot starve others. A peer that holds nothing may make one larger claim, so
 * that any request that fits into the share can be served.
 */
export function createMemoryBudget(totalBytes: number): MemoryBudget {
  const limits = sharesOf(totalBytes);
  const occupied: Record<Share, number> = { operators: 0, strangers: 0 };
  const peers = new Map<string, number>();

  const fits = (claimant: Claimant, bytes: number): boolean => {
    const { share } = claimant;
    const ofPeer = peers.get(key(claimant)) ?? 0;
    return (
      occupied.operators + occupied.strangers + bytes <= totalBytes &&
      occupied[share] + bytes <= limits[share] &&
      (ofPeer === 0 || ofPeer + bytes <= limits[share] / 2)
    );
  };
  const occupy = (claimant: Claimant, bytes: number): Release => {
    const { share } = claimant;
    const name = key(claimant);
    occupied[share] += bytes;
    peers.set(name, (peers.get(name) ?? 0) + bytes);
    let released = false;
    return () => {
      if (released) return;
      released = true;
      occupied[share] -= bytes;
      const left = (peers.get(name) ?? 0) - bytes;
      if (left === 0) peers.delete(name);
      else peers.set(name, left);
    };
  };
  return {
    hasRoom: (claimant) => fits(claimant, 1),
    reserve: (claimant, bytes) => (fits(claimant, bytes) ? occupy(claimant, bytes) : undefined),
    occupy,
  };
}

const key = ({ peer, share }: Claimant): string => `${share} ${peer}`;

/** Returns the maximum number of bytes of each share. */
export const sharesOf = (totalBytes: number): Readonly<Record<Share, number>> => ({
  operators: totalBytes,
  strangers: Math.floor(totalBytes / 2),
});
