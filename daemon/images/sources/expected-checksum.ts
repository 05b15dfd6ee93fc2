// The checksum that an image must have: a given digest, or what its publisher's checksum file says.
import { fault, reasonOf } from '../../model/faults.ts';
import { type Checksum, CHECKSUM_FORMS, parseChecksum } from '../../model/machine/image-checksum.ts';
import type { ImageReference } from './image-reference.ts';
import { type ChecksumQuestion, publishedChecksum } from './published-checksum.ts';
import { keyringIn, type Signing } from './signature.ts';
import type { WebSettings } from './web-server.ts';

/** The names of the fields that contain an image's source and checksum, for messages. */
export interface ImageFieldNames {
  readonly source: string;
  readonly checksum: string;
}

export interface ChecksumRules {
  readonly web: WebSettings;
  readonly allowsMd5: boolean;
}

interface Question extends Omit<ChecksumQuestion, 'checksum'> {
  readonly checksum: string | null;
  readonly reference: ImageReference;
}

export interface ExpectedChecksum {
  /** undefined: the image is a file of this host, which needs none. */
  readonly checksum: Checksum | undefined;
  /** The fingerprint of the key that has signed the checksum file; null: no signature was verified. */
  readonly signedBy: string | null;
}

/** Throws InvalidParameter or ImageUnusable. */
export async function expectedChecksum(
  rules: ChecksumRules,
  question: Question,
  { signal, names }: { readonly signal: AbortSignal; readonly names: ImageFieldNames },
): Promise<ExpectedChecksum> {
  const { checksum: text, reference } = question;
  if (text === null || !isWebUrl(text))
    return { checksum: givenChecksum(rules, { text, names }, reference), signedBy: null };
  const { checksum, signedBy } = await publishedChecksum(rules.web, { ...question, checksum: text }, signal);
  return { checksum: permitted(rules, checksum, names), signedBy };
}

export const isWebUrl = (text: string): boolean => text.startsWith('http://') || text.startsWith('https://');

/** Returns undefined for a file of this host without a checksum. Throws InvalidParameter. */
export function givenChecksum(
  rules: Pick<ChecksumRules, 'allowsMd5'>,
  { text, names }: { readonly text: string | null; readonly names: ImageFieldNames },
  reference: ImageReference,
): Checksum | undefined {
  if (text === null && reference.kind === 'file') return undefined;
  if (text === null)
    throw wrongChecksum(names, 'it is missing; set it, so that the downloaded image can be verified');
  return checksumIn(rules, text, names);
}

/** Reads a digest. Throws InvalidParameter. */
export function checksumIn(
  rules: Pick<ChecksumRules, 'allowsMd5'>,
  text: string,
  names: Pick<ImageFieldNames, 'checksum'>,
): Checksum {
  const checksum = parseChecksum(text);
  if (checksum === undefined)
    throw wrongChecksum(names, `${JSON.stringify(text.slice(0, 200))}; expected ${CHECKSUM_FORMS}`);
  return permitted(rules, checksum, names);
}

function permitted(
  { allowsMd5 }: Pick<ChecksumRules, 'allowsMd5'>,
  checksum: Checksum,
  names: Pick<ImageFieldNames, 'checksum'>,
): Checksum {
  if (checksum.algorithm !== 'md5' || allowsMd5) return checksum;
  throw wrongChecksum(
    names,
    'it is an MD5 digest, which does not protect an image; give its SHA-256, or set [agent] allow_md5_checksum',
  );
}

export const wrongChecksum = ({ checksum }: Pick<ImageFieldNames, 'checksum'>, reason: string) =>
  wrong(checksum, reason);

const wrong = (name: string, reason: string) => fault('InvalidParameter', { name, reason });

/** Throws InvalidParameter. `checksum`: what the keys verify. */
export function checkSigning({ keys, signature }: Signing, checksum: string | null): void {
  if (checksum === null || !isWebUrl(checksum))
    throw wrong('signing_key', 'it verifies a checksum file: set checksum to the http or https URL of one');
  try {
    keyringIn(keys);
  } catch (error) {
    throw wrong('signing_key', reasonOf(error));
  }
  if (signature !== null && !(isWebUrl(signature) && URL.canParse(signature)))
    throw wrong('signature_url', 'expected the http or https URL of a detached signature');
}
