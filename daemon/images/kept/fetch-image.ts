// Fetches an image of the catalogue as its source and its checksum file are now, and keeps it.
import { inspectImage } from '../formats/inspect-image.ts';
import type { StoredImage, WantedImage } from '../image-store.ts';
import { type ImageRequest, type Preparation, wantedImage } from '../prepare-image.ts';
import type { KeptImages } from './kept-images.ts';

export interface FetchedImage extends Pick<StoredImage, 'sha256' | 'bytes'>, Disposable {
  /** What the content was verified with: `sha512:` and the digest; null for a file of this host without a checksum. */
  readonly digest: string | null;
  /** The fingerprint of the key that has signed the checksum file; null: nothing was verified with a key. */
  readonly signedBy: string | null;
}

export interface Fetching extends Pick<WantedImage, 'onBytes'> {
  /** The `digest` of the content that is kept; null if none is. */
  readonly kept: string | null;
  readonly signal: AbortSignal;
}

/**
 * Resolves to undefined when the content with the expected digest is kept already. Dispose of the result when a record names it.
 * Throws ImageUnusable or InvalidParameter, DiskFull, or an Error with the reason.
 */
export async function fetchImage(
  { preparation, kept }: { readonly preparation: Preparation; readonly kept: KeptImages },
  request: ImageRequest,
  { kept: known, signal, ...progress }: Fetching,
): Promise<FetchedImage | undefined> {
  const names = { source: 'source', checksum: 'checksum' };
  const wanted = await wantedImage(preparation, request, { signal, names });
  const { checksum } = wanted.reference;
  const digest = checksum === undefined ? null : `${checksum.algorithm}:${checksum.value}`;
  if (digest !== null && digest === known) return undefined;
  const stored = await preparation.store.obtain({ ...wanted, ...progress }, signal);
  if (preparation.inspects) await inspectImage(stored.path, preparation.permittedFormats);
  const { sha256, bytes } = stored;
  const held = await preparation.store.withRoom(() => kept.keep(stored));
  return { digest, sha256, bytes, signedBy: wanted.signedBy, [Symbol.dispose]: () => held[Symbol.dispose]() };
}
