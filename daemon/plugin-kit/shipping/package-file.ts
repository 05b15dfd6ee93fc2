// The one file in which a plugin is shipped: a gzipped tar archive with checksums and, if signed, the vendor's signature.
// `tar xzf`, `sha256sum -c SHA256SUMS` and `openssl pkeyutl -verify -rawin` can open and verify it without the daemon.
import { createHash, type KeyObject, createPublicKey } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { reasonOf } from '../../model/faults.ts';
import { fingerprintOf, isSignedBy, publicKeyIn, signatureOf } from './signing-key.ts';
import { type ArchivedFile, readTar, writeTar } from './tar.ts';

/** The largest package; its unpacked files may be larger. */
export const LARGEST_PACKAGE_BYTES = 33_554_432;
const LARGEST_CONTENT_BYTES = 134_217_728;

const SUMS = 'SHA256SUMS';
const SIGNATURE = 'SHA256SUMS.sig';
const SIGNER = 'SIGNER.pem';

/** A verified package. */
export interface OpenedPackage {
  /** The name of the only folder at the top of the package; the installer requires that the plugin has the same name. */
  readonly name: string;
  /** The files, with paths relative to that folder. */
  readonly files: readonly ArchivedFile[];
  /** The fingerprint of the key that signed the package; undefined if it is not signed. */
  readonly signer: string | undefined;
}

export interface PackageContent {
  readonly name: string;
  readonly files: readonly ArchivedFile[];
}

const plain = (path: string, bytes: Buffer): ArchivedFile => ({ path, isExecutable: false, bytes });

/**
 * Returns the package. Equal files and keys give equal packages, byte for byte. Throws an Error when the package is too large, or
 * the path of a file is too long.
 */
export function packPlugin({ name, files }: PackageContent, key: KeyObject | undefined): Buffer {
  const placed = files
    .map((file) => ({ ...file, path: `${name}/${file.path}` }))
    .toSorted((one, other) => Buffer.compare(Buffer.from(one.path), Buffer.from(other.path)));
  const sums = Buffer.from(sumsOf(placed));
  const signed =
    key === undefined
      ? []
      : [
          plain(SIGNATURE, signatureOf(sums, key)),
          plain(SIGNER, Buffer.from(createPublicKey(key).export({ type: 'spki', format: 'pem' }))),
        ];
  const packed = gzipSync(writeTar([plain(SUMS, sums), ...signed, ...placed]), { level: 9 });
  if (packed.length > LARGEST_PACKAGE_BYTES)
    throw new Error(
      `the package is larger than ${LARGEST_PACKAGE_BYTES} bytes; leave out what the plugin can do without`,
    );
  return packed;
}

const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The checksums of the files, as `sha256sum` writes them. */
const sumsOf = (files: readonly ArchivedFile[]): string =>
  files.map(({ path, bytes }) => `${digestOf(bytes)}  ${path}\n`).join('');

/** Opens a package. Throws an Error that names the first thing that is wrong; `origin`: where the package comes from. */
export function openPackage(bytes: Buffer, origin: string): OpenedPackage {
  try {
    return opened(bytes);
  } catch (error) {
    throw new Error(`${origin} is no plugin package that can be trusted: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

function opened(bytes: Buffer): OpenedPackage {
  const archived = readTar(unzipped(bytes));
  const inRoot = new Map(
    archived.filter(({ path }) => !path.includes('/')).map((file) => [file.path, file.bytes]),
  );
  const files = archived.filter(({ path }) => path.includes('/'));
  const unknown = [...inRoot.keys()].find((path) => ![SUMS, SIGNATURE, SIGNER].includes(path));
  if (unknown !== undefined) throw new Error(`it holds ${JSON.stringify(unknown)} beside its folder`);
  const sums = inRoot.get(SUMS);
  if (sums === undefined) throw new Error(`it lacks ${SUMS}`);
  if (sums.toString() !== sumsOf(files)) throw new Error(`its files are not those of ${SUMS}`);
  const names = new Set(files.map(({ path }) => path.slice(0, path.indexOf('/'))));
  const [name, other] = names;
  if (name === undefined || other !== undefined) throw new Error('it does not hold exactly one folder');
  return {
    name,
    files: files.map((file) => ({ ...file, path: file.path.slice(name.length + 1) })),
    signer: signerOf(sums, inRoot.get(SIGNATURE), inRoot.get(SIGNER)),
  };
}

function unzipped(bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: LARGEST_CONTENT_BYTES });
  } catch (error) {
    throw new Error(`it cannot be unpacked to at most ${LARGEST_CONTENT_BYTES} bytes: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

function signerOf(sums: Buffer, signature: Buffer | undefined, pem: Buffer | undefined): string | undefined {
  if (signature === undefined && pem === undefined) return undefined;
  if (signature === undefined || pem === undefined)
    throw new Error(`it has only one of ${SIGNATURE} and ${SIGNER}`);
  const key = publicKeyIn(SIGNER, pem);
  if (!isSignedBy(sums, signature, key)) throw new Error(`its signature does not fit ${SUMS} and ${SIGNER}`);
  return fingerprintOf(key);
}
