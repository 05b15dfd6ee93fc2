// `ironic-edge image add NAME --file PATH`: sends the content of an image to the daemon, and adds its record if there is none.
import { createReadStream, fstatSync, openSync } from 'node:fs';
import type { StreamedBody } from '../../lib/http-client/http-client.ts';
import { reasonOf } from '../../model/faults.ts';
import { UPLOADED } from '../../model/instance/image.ts';
import type { ImageArchitecture } from '../../model/known-images.ts';
import { type ApiClient, ApiRefusal, createApiClient } from '../api-client.ts';
import type { CommandContext } from '../command.ts';
import type { Output } from '../output.ts';
import { endProgress, pathOfImage, readyText, showProgress } from './image-content-commands.ts';

const PIECE_BYTES = 1_048_576;

export interface UploadRequest {
  readonly name: string;
  /** A path, or `-` for standard input. */
  readonly file: string;
  /** The digest that the daemon must find. */
  readonly checksum: string | undefined;
  /** Of a new record. */
  readonly architecture: ImageArchitecture | undefined;
}

/** If the upload fails, a record that it has added is deleted again. */
export async function uploadImage(request: UploadRequest, context: CommandContext): Promise<void> {
  const { name, checksum } = request;
  const { stdout, stderr } = context;
  const body = contentOf(request, stderr);
  const api = createApiClient(context.environment);
  const isNew = await addRecord(api, request);
  const query = checksum === undefined ? '' : `?checksum=${encodeURIComponent(checksum)}`;
  try {
    const image = await api.upload(`${pathOfImage(name)}/file${query}`, body);
    endProgress(stderr);
    stdout.write(`${name}: ${readyText(image)}\n`);
  } catch (error) {
    endProgress(stderr);
    if (isNew) await api.request('DELETE', pathOfImage(name)).catch(() => undefined);
    throw error;
  }
}

/** Returns whether there was no record. */
async function addRecord(api: ApiClient, { name, architecture }: UploadRequest): Promise<boolean> {
  try {
    await api.request('GET', pathOfImage(name));
    return false;
  } catch (error) {
    if (!(error instanceof ApiRefusal) || !error.isAbsence) throw error;
  }
  await api.post('/v1/images', { name, source: UPLOADED, architecture: architecture ?? null });
  return true;
}

/** Throws an Error when the file cannot be read. */
function contentOf({ name, file }: UploadRequest, stderr: Output): StreamedBody {
  try {
    const descriptor = file === '-' ? 0 : openSync(file, 'r');
    const stat = fstatSync(descriptor);
    if (stat.isDirectory()) throw new Error('it is a directory');
    const bytes = stat.isFile() && file !== '-' ? stat.size : null;
    return { bytes, open: () => piecesOf(name, descriptor, { bytes, stderr }) };
  } catch (error) {
    throw new Error(`--file ${file} cannot be read: ${reasonOf(error)}. Name a file that you may read.`, {
      cause: error,
    });
  }
}

async function* piecesOf(
  name: string,
  descriptor: number,
  { bytes: total, stderr }: { readonly bytes: number | null; readonly stderr: Output },
): AsyncIterable<Uint8Array> {
  // a file that grows meanwhile is sent as long as it was
  const end = total === null ? Infinity : Math.max(total - 1, 0);
  const stream = createReadStream('', { fd: descriptor, end, highWaterMark: PIECE_BYTES });
  let bytes = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    yield piece;
    bytes += piece.length;
    showProgress(stderr, name, { bytes, total });
  }
}
