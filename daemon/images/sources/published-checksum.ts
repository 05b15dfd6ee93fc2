// The checksum of an image as its publisher's checksum file says it, whose signature is verified if a key is known.
import { failureReason } from '../../lib/http-client/http-failure.ts';
import { fault, reasonOf } from '../../model/faults.ts';
import type { Checksum } from '../../model/machine/image-checksum.ts';
import { checksumOf } from '../checksum-file.ts';
import { withoutLogin } from './image-reference.ts';
import { type Signing, signedText } from './signature.ts';
import { getDocument, type WebRequest, type WebSettings } from './web-server.ts';

export interface ChecksumQuestion extends Pick<WebRequest, 'authorize'> {
  /** The URL of the image. */
  readonly source: string;
  readonly signing?: Signing;
  /** The URL of the checksum file. */
  readonly checksum: string;
}

export interface PublishedChecksum {
  readonly checksum: Checksum;
  /** The fingerprint of the key that has signed the file; null: no signature was verified. */
  readonly signedBy: string | null;
}

/** Throws ImageUnusable. */
export async function publishedChecksum(
  web: WebSettings,
  { checksum: url, source, authorize, signing }: ChecksumQuestion,
  signal: AbortSignal,
): Promise<PublishedChecksum> {
  const { pathname } = new URL(source);
  const document = async (from: string): Promise<Buffer> => {
    const asked = { url: from, ...(authorize && { authorize }), signal };
    const reply = await getDocument(web, asked).catch((error: unknown) => {
      signal.throwIfAborted();
      throw unusable(from, failureReason(error));
    });
    if (reply.status !== 200) throw unusable(from, `its server answered ${reply.status}`);
    return reply.bytes;
  };
  const file = await document(url);
  const signature = signing?.signature == null ? null : await document(signing.signature);
  try {
    const { text, fingerprint } =
      signing === undefined
        ? { text: file.toString('utf8'), fingerprint: null }
        : await signedText({ file, signature, keys: signing.keys }, signal);
    const checksum = checksumOf(pathname, text);
    if (checksum !== undefined) return { checksum, signedBy: fingerprint };
  } catch (error) {
    signal.throwIfAborted();
    throw unusable(url, reasonOf(error));
  }
  throw unusable(
    url,
    `it has no checksum of ${pathname.split('/').at(-1)} (MD5, SHA-256, SHA-384 or SHA-512); check both URLs`,
  );
}

const unusable = (url: string, reason: string) =>
  fault('ImageUnusable', { image: withoutLogin(url), reason });
