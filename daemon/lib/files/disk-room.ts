// Keeps some room on a disk for the database: images, logs and the like may not take the last bytes, without which no change could
// be stored.
import { statfsSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import path from 'node:path';

/** How much is kept free: this, but on small disks no more than a twentieth. */
const KEPT_BYTES = 2 ** 30;
const KEPT_SHARE = 1 / 20;
const MEBIBYTE = 2 ** 20;

/** The disk has no room for a file. */
export class DiskFull extends Error {
  override readonly name = 'DiskFull';
}

/** Whether a full disk is the reason for the error. */
export const isDiskFull = (error: unknown): boolean =>
  error instanceof DiskFull ||
  (error instanceof Error && error.cause !== undefined && isDiskFull(error.cause));

/** A file that is being written, and the size that it may reach. */
interface Claim {
  readonly file: string;
  readonly bytes: number;
}

const claims = new Set<Claim>();

/** How many more bytes may be written to the disk of the directory, besides those that are claimed; negative if too many are. */
async function roomIn(directory: string): Promise<{ readonly room: number; readonly free: number }> {
  const [disk, { dev }] = await Promise.all([statfs(directory), stat(directory)]);
  const missing = await Promise.all([...claims].map((claim) => missingOf(claim, dev)));
  const claimed = missing.reduce((sum, bytes) => sum + bytes, 0);
  const { free, kept } = sizesOf(disk);
  return { room: free - kept - claimed, free };
}

const sizesOf = ({
  bavail,
  bsize,
  blocks,
}: {
  readonly bavail: number;
  readonly bsize: number;
  readonly blocks: number;
}) => ({ free: bavail * bsize, kept: Math.min(KEPT_BYTES, blocks * bsize * KEPT_SHARE) });

/** How much of the claim is not written yet; zero for a claim on another disk. */
async function missingOf({ file, bytes }: Claim, device: number): Promise<number> {
  const written = await stat(file).catch(() => undefined);
  const { dev } = written ?? (await stat(path.dirname(file)).catch(() => ({ dev: undefined })));
  return dev === device ? Math.max(0, bytes - (written?.blocks ?? 0) * 512) : 0;
}

/** Rejects with DiskFull when the disk of the directory has no room for so many more bytes. */
export async function refuseWithoutRoom(directory: string, bytes: number): Promise<void> {
  const { room, free } = await roomIn(directory);
  if (room < bytes) throw tooFull(directory, free, bytes);
}

/** Like `refuseWithoutRoom`, for commands that nothing else waits for; knows nothing of claims. */
export function refuseWithoutRoomSync(directory: string, bytes: number): void {
  const { free, kept } = sizesOf(statfsSync(directory));
  if (free - kept < bytes) throw tooFull(directory, free, bytes);
}

/**
 * Claims room for a file that another program writes, until the claim is disposed of. Rejects with DiskFull when the disk has no
 * room for it. `bytes`: the largest size of the file.
 */
export async function claimRoom(file: string, bytes: number): Promise<Disposable> {
  const claim: Claim = { file, bytes };
  claims.add(claim);
  try {
    const { room, free } = await roomIn(path.dirname(file));
    if (room < 0) throw tooFull(path.dirname(file), free, bytes);
    return { [Symbol.dispose]: () => void claims.delete(claim) };
  } catch (error) {
    claims.delete(claim);
    throw error;
  }
}

/** The error for a disk on which the system has no more room. */
export async function diskFull(directory: string): Promise<DiskFull> {
  const { bavail, bsize } = await statfs(directory);
  return tooFull(directory, bavail * bsize, 0);
}

const tooFull = (directory: string, free: number, wanted: number): DiskFull =>
  new DiskFull(
    `the disk of ${directory} is full (${Math.floor(free / MEBIBYTE)} MiB free, of which some are kept for the database${wanted >= MEBIBYTE ? `; ${Math.ceil(wanted / MEBIBYTE)} MiB are needed` : ''}); free some space`,
  );
