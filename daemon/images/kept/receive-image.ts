// Takes in the content of an image that a client uploads: verified, inspected, and on the disk before a record names it.
import { fault, reasonOf } from '../../model/faults.ts';
import type { FileDraft } from '../cache/file-draft.ts';
import { inspectImage, TEXT_REFUSAL } from '../formats/inspect-image.ts';
import { refuseOther } from '../image-store.ts';
import type { Preparation } from '../prepare-image.ts';
import { isWebPage } from '../sources/download.ts';
import { checksumIn } from '../sources/expected-checksum.ts';
import type { FetchedImage } from './fetch-image.ts';
import type { KeptImages } from './kept-images.ts';

export interface ImageUpload {
  /** The name of the image, for messages. */
  readonly image: string;
  /** The digest that the content must have; null: any. */
  readonly checksum: string | null;
  /** null: not known before the end. */
  readonly bytes: number | null;
  readonly pieces: (signal: AbortSignal) => AsyncIterable<Uint8Array>;
}

export interface Receiving {
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number, total: number | null) => void;
}

/** How much room is claimed at a time for an upload of unknown size. */
const CLAIM_BYTES = 1_048_576;

/**
 * Dispose of the result when a record names it. Throws UploadUnusable, InvalidParameter for the checksum, DiskFull, the signal's
 * reason, or what `pieces` throws; then nothing is left of the upload.
 */
export async function receiveImage(
  { preparation, kept }: { readonly preparation: Preparation; readonly kept: KeptImages },
  upload: ImageUpload,
  receiving: Receiving,
): Promise<FetchedImage> {
  const expected =
    upload.checksum === null ? undefined : checksumIn(preparation, upload.checksum, { checksum: 'checksum' });
  const refuse = (reason: string) => fault('UploadUnusable', { image: upload.image, reason });
  await using draft = await kept.draft(expected === undefined ? [] : [expected.algorithm]);
  await fill(draft, upload, { ...receiving, refuse, withRoom: (work) => preparation.store.withRoom(work) });
  if (draft.bytes === 0) throw refuse('it is empty');
  if (expected !== undefined) refuseOther(expected, draft.digest(expected.algorithm), refuse);
  if (preparation.inspects)
    await inspectImage(draft.path, preparation.permittedFormats).catch((error: unknown) => {
      throw refuse(reasonOf(error));
    });
  receiving.signal.throwIfAborted();
  const { bytes } = draft;
  const sha256 = draft.digest('sha256');
  const held = await kept.adopt(draft);
  const digest = expected === undefined ? null : `${expected.algorithm}:${expected.value}`;
  return { digest, sha256, bytes, signedBy: null, [Symbol.dispose]: () => held[Symbol.dispose]() };
}

interface Filling extends Receiving, Pick<Preparation['store'], 'withRoom'> {
  readonly refuse: (reason: string) => Error;
}

/** Claims room before it writes: for the whole upload if its size is known. */
async function fill(
  draft: FileDraft,
  { bytes: total, pieces }: ImageUpload,
  { signal, onBytes, refuse, withRoom }: Filling,
): Promise<void> {
  let claimed = total ?? 0;
  if (total !== null) await withRoom(() => draft.expect(claimed));
  for await (const piece of pieces(signal)) {
    if (draft.bytes === 0 && isWebPage(piece)) throw refuse(TEXT_REFUSAL);
    if (draft.bytes + piece.length > claimed) {
      claimed = draft.bytes + piece.length + CLAIM_BYTES;
      await withRoom(() => draft.expect(claimed));
    }
    await draft.write(piece);
    onBytes(draft.bytes, total);
  }
}
