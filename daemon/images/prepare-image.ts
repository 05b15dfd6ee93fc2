// Turns an image into one that a ramdisk may write to a disk: with the expected checksum, of a permitted format, and raw where
// the ramdisk streams it.
import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { isListedHost } from '../lib/network/listed-host.ts';
import { failureReason } from '../lib/http-client/http-failure.ts';
import { Fault, fault, reasonOf } from '../model/faults.ts';
import { type Checksum, CHECKSUM_FORMS, parseChecksum } from '../model/machine/image-checksum.ts';
import { checksumOf } from './checksum-file.ts';
import { convertToRaw } from './convert-image.ts';
import { containers, inspectImage, type InspectedImage } from './formats/inspect-image.ts';
import type { ImageStore, StoredImage } from './image-store.ts';
import { type ImageReference, parseImageSource, withoutLogin } from './sources/image-reference.ts';
import type { OciReference } from './sources/oci/oci-reference.ts';
import { findBlob, type RegistrySettings } from './sources/oci/registry.ts';
import { type RegistryLogins, registryLogin } from './sources/oci/registry-login.ts';
import { get, type WebSettings } from './sources/web-server.ts';

export interface ImageRequest extends RegistryLogins {
  readonly source: string;
  /** A digest, or the URL of a checksum file. */
  readonly checksum: string | null;
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

export interface Preparation {
  readonly store: ImageStore;
  readonly web: WebSettings;
  readonly permittedFormats: readonly string[];
  /** False: images are not inspected or converted, and have their declared format; raw if none is declared. */
  readonly inspects: boolean;
  readonly convertsToRaw: boolean;
  readonly converterMebibytes: number;
  readonly allowsMd5: boolean;
  readonly registries: Omit<RegistrySettings, 'web'> & { readonly loginsFile: string | null };
}

const SOURCE = 'instance_info/image_source';
const CHECKSUM = 'instance_info/image_checksum';

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
  const image = await obtained(preparation, request, signal);
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

async function obtained(
  preparation: Preparation,
  request: ImageRequest,
  signal: AbortSignal,
): Promise<StoredImage> {
  const reference = parseImageSource(request.source, SOURCE);
  if (reference.kind === 'oci') return fromRegistry(preparation, { ...request, ...reference }, signal);
  const authorize = authorizationOf(request);
  const checksum = await expectedChecksum(preparation, { ...request, reference, authorize }, signal);
  return preparation.store.obtain(
    { reference: { ...reference, checksum }, source: SOURCE, authorize },
    signal,
  );
}

async function fromRegistry(
  { store, web, registries }: Preparation,
  { reference, architecture, ...request }: ImageRequest & { readonly reference: OciReference },
  signal: AbortSignal,
): Promise<StoredImage> {
  try {
    const login = await registryLogin(reference.registry, request, registries.loginsFile);
    const question = { reference, architecture, login, signal };
    const { url, sha256, authorize } = await findBlob({ web, ...registries }, question);
    if (request.checksum !== null && parseChecksum(request.checksum)?.value !== sha256)
      throw new Error(`its sha256 is ${sha256}, but instance_info says ${request.checksum.slice(0, 200)}`);
    const checksum = { algorithm: 'sha256', value: sha256 } as const;
    return await store.obtain(
      { reference: { kind: 'http', url, checksum }, source: SOURCE, authorize },
      signal,
    );
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Fault) throw error;
    throw fault('ImageUnusable', { image: `${SOURCE} = ${request.source}`, reason: failureReason(error) });
  }
}

/** The login is sent to the hosts in its list, also after a redirect to one of them, and to no other server. */
function authorizationOf({ login }: ImageRequest): (server: URL) => string | undefined {
  if (login === null) return () => undefined;
  const value = `Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}`;
  return (server) => (isListedHost(server, login.hosts) ? value : undefined);
}

interface ChecksumQuestion extends ImageRequest {
  readonly reference: ImageReference;
  readonly authorize: (server: URL) => string | undefined;
}

/** Returns undefined if the image is a file of this host and the request has no checksum: such a file needs none. */
async function expectedChecksum(
  preparation: Preparation,
  question: ChecksumQuestion,
  signal: AbortSignal,
): Promise<Checksum | undefined> {
  const { checksum: text, reference } = question;
  if (text === null && reference.kind === 'file') return undefined;
  if (text === null)
    throw wrongChecksum('it is missing; set it, so that the downloaded image can be verified');
  const isUrl = text.startsWith('http://') || text.startsWith('https://');
  const checksum = isUrl ? await publishedChecksum(preparation, question, signal) : parseChecksum(text);
  if (checksum === undefined)
    throw wrongChecksum(`${JSON.stringify(text.slice(0, 200))}; expected ${CHECKSUM_FORMS}`);
  if (checksum.algorithm === 'md5' && !preparation.allowsMd5)
    throw wrongChecksum(
      'it is an MD5 digest, which does not protect an image; give its SHA-256, or set [agent] allow_md5_checksum',
    );
  return checksum;
}

async function publishedChecksum(
  { web }: Preparation,
  { checksum, source, authorize }: ChecksumQuestion,
  signal: AbortSignal,
): Promise<Checksum> {
  const url = checksum ?? '';
  const name = new URL(source).pathname.split('/').at(-1) ?? '';
  const unusable = (reason: string) => fault('ImageUnusable', { image: withoutLogin(url), reason });
  const reply = await get(web, { url, authorize, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw unusable(reasonOf(error));
  });
  if (reply.status !== 200) throw unusable(`its server answered ${reply.status}`);
  const found = checksumOf(name, reply.bytes.toString('utf8'));
  if (found === undefined) throw unusable(`it has no checksum of ${name}`);
  return found;
}

const wrongChecksum = (reason: string) => fault('InvalidParameter', { name: CHECKSUM, reason });

/** Resolves to a file that only the daemon writes: other users may change a file of this host while it is being converted. */
async function ownCopy(
  { store }: Preparation,
  image: StoredImage,
  signal: AbortSignal,
): Promise<StoredImage> {
  if (image.isOwn) return image;
  const copy = await store.derive(
    { sha256: image.sha256, what: 'copy' },
    (to) => copyFile(image.path, to, constants.COPYFILE_FICLONE),
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
