// Turns a node's config drive into the form in which the agent in a ramdisk accepts it: a URL, or a gzipped image in base64.
import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { type ConfigDriveFile, configDriveFiles, configDriveFlaw } from '../model/config-drive.ts';
import { Fault, fault, reasonOf } from '../model/faults.ts';
import type { JsonObject } from '../model/json.ts';
import type { Node } from '../model/records/node.ts';
import type { ImageStore } from './image-store.ts';
import { isoProgram, makeIso } from './iso.ts';
import { imageLimits } from './limits.ts';

const FIELD = 'instance_info/configdrive';
const LARGEST_BYTES = imageLimits.configDriveMebibytes * 1024 ** 2;
const LABEL = 'config-2';

const compressed = promisify(gzip);
const unpacked = promisify(gunzip);

export interface ConfigDrives {
  /**
   * Throws InvalidParameter or ImageUnusable when `image` would fail, as far as that can be seen without building or fetching
   * anything.
   */
  check(node: Node): Promise<void>;
  /** Returns the http or https URL of the drive, or the gzipped image in base64; null for a node without a config drive. */
  image(node: Node, signal: AbortSignal): Promise<string | null>;
}

export function createConfigDrives(images: Pick<ImageStore, 'fetch' | 'check'>): ConfigDrives {
  return {
    async check(node) {
      const drive = kindOf(node);
      if (drive.kind === 'documents') await refuseWithoutProgram();
      if (drive.kind === 'image') await refuseBrokenGzip(drive.bytes);
      if (drive.kind === 'file') await images.check(drive.url, FIELD);
    },
    image: async (node, signal) => imageOf(kindOf(node), { images, node, signal }),
  };
}

type Drive =
  | { readonly kind: 'none' }
  | { readonly kind: 'documents'; readonly documents: JsonObject }
  | { readonly kind: 'url' | 'file'; readonly url: string }
  | { readonly kind: 'image'; readonly bytes: Buffer };

interface Surroundings {
  readonly images: Pick<ImageStore, 'fetch'>;
  readonly node: Node;
  readonly signal: AbortSignal;
}

async function imageOf(drive: Drive, { images, node, signal }: Surroundings): Promise<string | null> {
  switch (drive.kind) {
    case 'none':
      return null;
    case 'documents':
      return built(configDriveFiles(drive.documents, node), signal);
    case 'image':
      return forAgent(drive.bytes);
    case 'file':
      return forAgent(await contentOf(await images.fetch(drive.url, FIELD, signal)));
    default:
      return drive.url;
  }
}

function kindOf({ instance_info: { configdrive: given } }: Node): Drive {
  if (given === undefined || given === null || given === '') return { kind: 'none' };
  const flaw = configDriveFlaw(given);
  if (flaw !== undefined) throw wrong(flaw);
  if (typeof given !== 'string') return { kind: 'documents', documents: given as JsonObject };
  return given.includes('://') ? linked(given) : image(given);
}

const wrong = (reason: string) => fault('InvalidParameter', { name: FIELD, reason });

// the URL is not quoted: it may hold a login
function linked(url: string): Drive {
  switch (URL.parse(url)?.protocol) {
    case 'http:':
    case 'https:':
      return { kind: 'url', url };
    case 'file:':
      return { kind: 'file', url };
    default:
      throw wrong('expected an http, https or file URL');
  }
}

function image(base64: string): Drive {
  const bytes = Buffer.from(base64, 'base64');
  refuseOtherContent(bytes);
  return { kind: 'image', bytes };
}

const tooLarge = (bytes: number) =>
  wrong(
    `it has ${Math.ceil(bytes / 1024 ** 2)} MiB; the partition for it holds ${imageLimits.configDriveMebibytes} MiB. Make it smaller, or let the instance download its data`,
  );

async function refuseWithoutProgram(): Promise<void> {
  try {
    await isoProgram();
  } catch (error) {
    throw unusable(error);
  }
}

const unusable = (error: unknown) =>
  fault(
    'ImageUnusable',
    { image: `the config drive of ${FIELD}`, reason: reasonOf(error) },
    { cause: error },
  );

async function built(files: readonly ConfigDriveFile[], signal: AbortSignal): Promise<string> {
  const size = files.reduce((sum, [, content]) => sum + Buffer.byteLength(content), 0);
  if (size > LARGEST_BYTES) throw tooLarge(size);
  const place = await mkdtemp(path.join(tmpdir(), 'config-drive-'));
  try {
    const [folder, file] = [path.join(place, 'files'), path.join(place, 'image.iso')];
    for (const [name, content] of files) {
      await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
      await writeFile(path.join(folder, name), content, { mode: 0o600 });
    }
    await makeIso({ folder, label: LABEL, file }, signal);
    return await forAgent(await contentOf(file));
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof Fault ? error : unusable(error);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function contentOf(file: string): Promise<Buffer> {
  const { size } = await stat(file);
  if (size > LARGEST_BYTES) throw tooLarge(size);
  return readFile(file);
}

async function forAgent(bytes: Buffer): Promise<string> {
  refuseOtherContent(bytes);
  await refuseBrokenGzip(bytes);
  return (isGzip(bytes) ? bytes : await compressed(bytes)).toString('base64');
}

/**
 * Refuses gzip data that is damaged, or too large when unpacked: the agent would notice that only after it has written the
 * instance's image.
 */
async function refuseBrokenGzip(bytes: Buffer): Promise<void> {
  if (!isGzip(bytes)) return;
  try {
    await unpacked(bytes, { maxOutputLength: LARGEST_BYTES });
  } catch (error) {
    throw wrong(
      `its gzipped image cannot be unpacked into the ${imageLimits.configDriveMebibytes} MiB of its partition: ${reasonOf(error)}`,
    );
  }
}

/** Refuses content that is too large, or does not begin like gzip data, an ISO 9660 image or a FAT image. */
function refuseOtherContent(bytes: Buffer): void {
  if (bytes.length > LARGEST_BYTES) throw tooLarge(bytes.length);
  if (!isGzip(bytes) && !isIso(bytes) && !isFat(bytes))
    throw wrong('its content is neither an ISO 9660 or FAT image nor a gzipped one');
}

const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;
const isIso = (bytes: Buffer): boolean => bytes.toString('latin1', 0x8001, 0x8006) === 'CD001';
const isFat = (bytes: Buffer): boolean => bytes[510] === 0x55 && bytes[511] === 0xaa;
