// Uploads of images to a listening daemon, piece by piece.
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { text } from 'node:stream/consumers';
import type { Daemon } from '../../../daemon/main.ts';
import { type ListeningOptions, startListening } from '../daemon/listening-daemon.ts';

export interface UploadAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
  /** The message of a refusal. */
  readonly fault: string;
}

/** A request whose body the test sends. Resolves `answer` also when the body is not sent whole. */
export function openUpload(url: string, headers: Readonly<Record<string, string | number>> = {}) {
  const request = httpRequest(url, {
    method: 'PUT',
    agent: false,
    headers: { 'openstack-api-version': 'baremetal 1.115', ...headers },
  });
  // the daemon may end the connection while the body is being sent
  request.on('error', () => {});
  const answer = once(request, 'response').then(([response]) => answerIn(response as IncomingMessage));
  answer.catch(() => {});
  return { request, answer };
}

async function answerIn(response: IncomingMessage): Promise<UploadAnswer> {
  const body = JSON.parse(await text(response)) as Record<string, unknown>;
  const inner = body['error_message'];
  const { faultstring } = typeof inner === 'string' ? (JSON.parse(inner) as typeof body) : body;
  return {
    status: response.statusCode ?? 0,
    body,
    fault: typeof faultstring === 'string' ? faultstring : '',
  };
}

/** Uploads the content whole, with its length. */
export function upload(url: string, content: Uint8Array, headers: Readonly<Record<string, string>> = {}) {
  const { request, answer } = openUpload(url, { ...headers, 'content-length': content.length });
  request.end(content);
  return answer;
}

/** Resolves when the daemon has taken what was written so far from the test. */
export const sent = (request: ClientRequest, piece: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => request.write(piece, (error) => (error ? reject(error) : resolve())));

/** The files of the catalogue, complete or not. */
export function keptFiles(stateDirectory: string): readonly string[] {
  const folder = path.join(stateDirectory, 'catalogue');
  return existsSync(folder) ? readdirSync(folder) : [];
}

export const UPLOADED_IMAGE = { name: 'web', source: 'upload:' };

/** A daemon whose catalogue has the image `web`, without content. */
export async function uploadSite(
  t: TestContext,
  {
    headers = {},
    ...options
  }: ListeningOptions & { readonly headers?: Readonly<Record<string, string>> } = {},
) {
  const daemon = await startListening(t, options);
  const call = async (method: string, where: string, body?: object) => {
    const reply = await fetch(`${daemon.url}${where}`, {
      method,
      headers: {
        'content-type': 'application/json',
        'openstack-api-version': 'baremetal 1.115',
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const said = await reply.text();
    return { status: reply.status, text: said, body: JSON.parse(said || '{}') as Record<string, unknown> };
  };
  const made = await call('POST', '/v1/images', UPLOADED_IMAGE);
  const shown = async () => (await call('GET', '/v1/images/web')).body;
  /** Resolves when no upload of the image is under way. */
  const ended = async () => (await fetch(`${daemon.url}/v1/images/web/fetch`)).text();
  const files = () => keptFiles(daemon.stateDirectory);
  return { daemon, call, made, shown, ended, files, file: `${daemon.url}/v1/images/web/file` };
}

/** Resolves when the daemon has so many bytes of the upload that is under way, or is about to begin. */
export async function received({ services }: Pick<Daemon, 'services'>, bytes: number): Promise<void> {
  const { uuid = '' } = services.db.images.findBy('name', 'web') ?? {};
  for (;;) {
    const running = services.images.fetches.of(uuid);
    if (running === undefined) await setImmediate();
    else if (running.progress.bytes >= bytes) return;
    else
      await new Promise<void>((resolve) => {
        const tell = () => {
          running.watchers.delete(tell);
          resolve();
        };
        running.watchers.add(tell);
      });
  }
}
