// The memory that requests occupy together: bodies being read, reports that wait for their hooks, and answers that clients have not read yet.

/** `operators`: callers of the operator's API. `strangers`: callers that nobody authenticates, such as ramdisks. */
export type Share = 'operators' | 'strangers';

/** Who occupies memory; `peer` is the network address of the caller. */
export interface Claimant {
  readonly peer: string;
  readonly share: Share;
}

/** Gives the memory free; further calls do nothing. */
export type Release = () => void;

export interface MemoryBudget {
  /** Whether the claimant may occupy anything more at all. */
  hasRoom(claimant: Claimant): boolean;
  /** Occupies `bytes` before they exist; undefined when they do not fit. */
  reserve(claimant: Claimant, bytes: number): Release | undefined;
  /** Counts `bytes` that exist already, whether they fit or not. */
  occupy(claimant: Claimant, bytes: number): Release;
}

/**
 * Strangers get at most half of `totalBytes` together, so that they cannot starve operators. One peer gets at most half
 * of its share, so that it cannot starve its neighbours; the first thing it asks for may take more, so that everything
 * that fits into the share is possible.
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

/** The most bytes that each share may occupy of `totalBytes`. */
export const sharesOf = (totalBytes: number): Readonly<Record<Share, number>> => ({
  operators: totalBytes,
  strangers: Math.floor(totalBytes / 2),
});
