// Turns an image into one that a ramdisk may write to a disk: with the expected checksum, of a permitted format, and raw where
// the ramdisk streams it.
import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { claimRoom } from '../lib/files/disk-room.ts';
import { isListedHost } from '../lib/network/listed-host.ts';
import { failureReason } from '../lib/http-client/http-failure.ts';
import { Fault, fault, reasonOf } from '../model/faults.ts';
import { parseChecksum } from '../model/machine/image-checksum.ts';
import { convertToRaw } from './convert-image.ts';
import { containers, inspectImage, type InspectedImage } from './formats/inspect-image.ts';
import type { ImageStore, StoredImage, WantedImage } from './image-store.ts';
import {
  type ChecksumRules,
  checkSigning,
  type ExpectedChecksum,
  expectedChecksum,
  givenChecksum,
  type ImageFieldNames,
  isWebUrl,
  wrongChecksum,
} from './sources/expected-checksum.ts';
import { parseImageSource, withoutLogin } from './sources/image-reference.ts';
import type { OciReference } from './sources/oci/oci-reference.ts';
import { findBlob, type RegistrySettings } from './sources/oci/registry.ts';
import { type RegistryLogins, registryLogin } from './sources/oci/registry-login.ts';
import type { Signing } from './sources/signature.ts';

export interface ImageRequest extends RegistryLogins {
  readonly source: string;
  /** A digest, or the URL of a checksum file. */
  readonly checksum: string | null;
  /** Not set: the signature of the checksum file is not verified. */
  readonly signing?: Signing;
  /** The declared format of the image. */
  readonly format: string | null;
  readonly type: 'whole-disk' | 'partition';
  /** Whether the ramdisk writes raw images to the disk while it downloads them. */
  readonly isStreamed: boolean;
  /** The architecture of the machine's processor, as `properties/cpu_arch` of the node names it. */
  readonly architecture: string;
}

export interface UsableImage extends StoredImage {
  readonly format: string;
}

export interface Preparation extends ChecksumRules {
  readonly store: ImageStore;
  readonly permittedFormats: readonly string[];
  /** False: images are not inspected or converted, and have their declared format; raw if none is declared. */
  readonly inspects: boolean;
  readonly convertsToRaw: boolean;
  readonly converterMebibytes: number;
  readonly registries: Omit<RegistrySettings, 'web'> & { readonly loginsFile: string | null };
}

const OF_INSTANCE: ImageFieldNames = {
  source: 'instance_info/image_source',
  checksum: 'instance_info/image_checksum',
};
const SOURCE = OF_INSTANCE.source;

/**
 * Resolves to the image as a file that a ramdisk may write. The image is fetched, verified if it has a checksum, and inspected if
 * `inspects` is set. An inspected image in a container format is converted to raw if the ramdisk streams it and `convertsToRaw`
 * is set. Throws ImageUnusable or InvalidParameter.
 */
export async function prepareImage(
  preparation: Preparation,
  request: ImageRequest,
  signal: AbortSignal,
): Promise<UsableImage> {
  const image = await preparation.store.obtain(await wantedImage(preparation, request, { signal }), signal);
  const { permittedFormats, inspects, convertsToRaw } = preparation;
  if (!inspects) return { ...image, format: request.format ?? 'raw' };
  try {
    const found = await inspectImage(image.path, permittedFormats);
    refuseOtherFormat(request.format, found.format);
    if (containers[found.format] === undefined) return { ...image, format: rawFormat(found, request) };
    if (!convertsToRaw || !request.isStreamed) return { ...image, format: found.format };
    const raw = await converted(preparation, await ownCopy(preparation, image, signal), signal);
    return { ...raw, format: rawFormat(await inspectImage(raw.path, ['raw', 'gpt', 'iso']), request) };
  } catch (error) {
    signal.throwIfAborted();
    throw fault('ImageUnusable', {
      image: `${SOURCE} = ${withoutLogin(request.source)}`,
      reason: reasonOf(error),
    });
  }
}

/** Throws what `prepareImage` would throw for this request, as far as that can be seen without a download. */
export async function checkImageRequest(
  preparation: Preparation,
  request: ImageRequest,
  names = OF_INSTANCE,
): Promise<void> {
  const reference = parseImageSource(request.source, names.source);
  const { checksum } = request;
  const isPublished = reference.kind !== 'oci' && checksum !== null && isWebUrl(checksum);
  await checkSigned(preparation, request, reference.kind);
  if (reference.kind === 'oci') {
    if (checksum !== null && parseChecksum(checksum)?.algorithm !== 'sha256')
      throw wrongChecksum(
        names,
        'an image in a registry is verified by its SHA-256 only: give 64 hexadecimal digits, or none',
      );
    return;
  }
  if (isPublished) await preparation.store.check(checksum, names.checksum);
  else givenChecksum(preparation, { text: checksum, names }, reference);
  await preparation.store.checkReference(reference, names.source);
}

async function checkSigned(
  { store }: Preparation,
  { signing, checksum }: ImageRequest,
  kind: 'http' | 'file' | 'oci',
): Promise<void> {
  if (signing === undefined) return;
  checkSigning(signing, kind === 'oci' ? null : checksum);
  if (signing.signature !== null) await store.check(signing.signature, 'signature_url');
}

interface Location {
  readonly signal: AbortSignal;
  readonly names?: ImageFieldNames;
}

/**
 * Resolves to the place and the digest of the image, as its registry or its checksum file says now. Throws ImageUnusable or
 * InvalidParameter.
 */
export async function wantedImage(
  preparation: Preparation,
  request: ImageRequest,
  { signal, names = OF_INSTANCE }: Location,
): Promise<WantedImage & Pick<ExpectedChecksum, 'signedBy'>> {
  const reference = parseImageSource(request.source, names.source);
  if (reference.kind === 'oci')
    return inRegistry(preparation, { ...request, ...reference }, { signal, names });
  const authorize = authorizationOf(request);
  const { checksum, signedBy } = await expectedChecksum(
    preparation,
    { ...request, reference, authorize },
    { signal, names },
  );
  return { reference: { ...reference, checksum }, source: names.source, authorize, signedBy };
}

async function inRegistry(
  { web, registries }: Preparation,
  { reference, architecture, ...request }: ImageRequest & { readonly reference: OciReference },
  { signal, names }: Required<Location>,
): ReturnType<typeof wantedImage> {
  try {
    const login = await registryLogin(reference.registry, request, registries.loginsFile);
    const question = { reference, architecture, login, signal };
    const { url, sha256, authorize } = await findBlob({ web, ...registries }, question);
    if (request.checksum !== null && parseChecksum(request.checksum)?.value !== sha256)
      throw new Error(
        `its sha256 is ${sha256}, but ${names.checksum} says ${request.checksum.slice(0, 200)}`,
      );
    const checksum = { algorithm: 'sha256', value: sha256 } as const;
    return { reference: { kind: 'http', url, checksum }, source: names.source, authorize, signedBy: null };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw fault('ImageUnusable', {
      image: `${names.source} = ${request.source}`,
      reason: failureReason(error),
    });
  }
}

/** The login is sent to the hosts in its list, also after a redirect to one of them, and to no other server. */
function authorizationOf({ login }: ImageRequest): (server: URL) => string | undefined {
  if (login === null) return () => undefined;
  const value = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
  return (server) => (isListedHost(server, login.hosts) ? value : undefined);
}

/** Resolves to a file that only the daemon writes: other users may change a file of this host while it is being converted. */
async function ownCopy(
  { store }: Preparation,
  image: StoredImage,
  signal: AbortSignal,
): Promise<StoredImage> {
  if (image.isOwn) return image;
  const copy = await store.derive(
    { sha256: image.sha256, what: 'copy' },
    async (to) => {
      using _ = await claimRoom(to, image.bytes);
      await copyFile(image.path, to, constants.COPYFILE_FICLONE);
    },
    signal,
  );
  if (copy.sha256 === image.sha256) return copy;
  throw new Error('it was changed while it was read; try again');
}

async function converted(
  { store, converterMebibytes: memoryMebibytes, permittedFormats }: Preparation,
  image: StoredImage,
  signal: AbortSignal,
): Promise<StoredImage> {
  const { format, virtualBytes } = await inspectImage(image.path, permittedFormats);
  return store.derive(
    { sha256: image.sha256, what: `raw image made of ${format}` },
    (to, stopping) =>
      convertToRaw(
        { from: image.path, to, format: containers[format] ?? format, virtualBytes },
        { memoryMebibytes, signal: stopping },
      ),
    signal,
  );
}

/** Formats in Ironic that say what an image is for (kernel, ramdisk, machine image), not what its bytes are. */
const UNCHECKED_FORMATS = new Set(['aki', 'ari', 'ami']);

function refuseOtherFormat(declared: string | null, found: string): void {
  if (declared === null || UNCHECKED_FORMATS.has(declared) || declared === found) return;
  if (declared === 'raw' && found === 'gpt') return;
  throw new Error(`its format is ${found}, but instance_info/image_disk_format says ${declared}`);
}

function rawFormat({ format }: InspectedImage, { type }: ImageRequest): 'raw' {
  if (format === 'raw' && type === 'whole-disk')
    throw new Error(
      'it has no partition table, which a whole-disk image needs; for an image of one file system set instance_info/image_type to partition',
    );
  return 'raw';
}
