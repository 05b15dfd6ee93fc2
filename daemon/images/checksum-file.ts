// Finds the checksum of an image in a checksum file, as distributions publish them: SHA256SUMS, CHECKSUM, image.sha256.
import { type Checksum, parseChecksum, strongestOf } from '../model/machine/image-checksum.ts';

/**
 * Returns the strongest checksum of the image at the URL path `image`; undefined when `text` has none. `text` is a single digest,
 * or has lines of the form `DIGEST NAME` (GNU) or `SHA256 (NAME) = DIGEST` (BSD). Other lines are ignored, and so is a
 * signature. Lines that name the image without a folder come first, then lines whose folder is that of the image, then lines
 * with any other folder. Throws an Error when these lines have different digests for the image.
 */
export function checksumOf(image: string, text: string): Checksum | undefined {
  const lines = signedPart(text)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const digest = lines.length === 1 ? parseChecksum(lines[0] ?? '') : undefined;
  if (digest !== undefined) return digest;
  const path = `/${unescaped(image)}`;
  const found = lines.map(entryIn).filter((entry) => entry !== undefined);
  for (const fits of [isBare, isInFolder, isOfName]) {
    const checksums = found.filter(({ name }) => fits(name, path)).map(({ checksum }) => checksum);
    if (checksums.length > 0) return onlyOne(strongestOf(checksums));
  }
  return undefined;
}

const SIGNED = '-----BEGIN PGP SIGNED MESSAGE-----';
const SIGNATURE = '-----BEGIN PGP SIGNATURE-----';

/** Returns the text that a clear-signed text contains: what is between its headers and its signature; any other text whole. */
function signedPart(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  const begin = lines.indexOf(SIGNED);
  if (begin === -1) return text;
  const end = lines.indexOf(SIGNATURE, begin);
  const content = lines.slice(lines.indexOf('', begin) + 1, end === -1 ? undefined : end);
  return content.map((line) => (line.startsWith('- ') ? line.slice(2) : line)).join('\n');
}

interface Entry {
  /** Without `./` at its begin. */
  readonly name: string;
  readonly checksum: Checksum;
}

/** Reads a line; undefined if it has another form. */
function entryIn(line: string): Entry | undefined {
  const { digest, name } = bsdParts(line) ?? gnuParts(line);
  const checksum = parseChecksum(digest);
  return checksum && { name: name.startsWith('./') ? name.slice(2) : name, checksum };
}

interface Parts {
  /** `DIGEST` or `ALGORITHM:DIGEST`. */
  readonly digest: string;
  readonly name: string;
}

function bsdParts(line: string): Parts | undefined {
  const [open, close] = [line.indexOf('('), line.lastIndexOf(')')];
  const rest = line.slice(close + 1).trim();
  if (open < 1 || close < open || !rest.startsWith('=')) return undefined;
  // OpenSSL 3 writes SHA2-256
  const algorithm = line
    .slice(0, open)
    .trim()
    .toLowerCase()
    .replace(/^sha2?-/, 'sha');
  return { digest: `${algorithm}:${rest.slice(1).trim()}`, name: line.slice(open + 1, close) };
}

function gnuParts(line: string): Parts {
  const [digest = ''] = line.split(/\s/, 1);
  const rest = line.slice(digest.length).trimStart();
  // a binary file has an asterisk in place of the second blank
  return { digest, name: rest.startsWith('*') ? rest.slice(1) : rest };
}

type Fit = (name: string, path: string) => boolean;

const isBare: Fit = (name, path) => !name.includes('/') && path.endsWith(`/${name}`);
const isInFolder: Fit = (name, path) => path.endsWith(`/${name}`);
const isOfName: Fit = (name, path) => path.endsWith(`/${name.split('/').at(-1)}`);

function onlyOne(checksums: readonly Checksum[]): Checksum | undefined {
  const [first] = checksums;
  const other = checksums.find(({ value }) => value !== first?.value);
  if (other === undefined) return first;
  throw new Error(
    `it has several ${other.algorithm} digests of the image, such as ${first?.value} and ${other.value}`,
  );
}

/** Returns the path unchanged if a % in it begins no escape sequence. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
