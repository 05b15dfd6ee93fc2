// Deployments that must fail at a site with the real agent: the node must end in deploy failed, with the expected last_error.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import type { Environment } from '../../fakes/daemon/daemon-process.ts';
import { httpServer } from '../../fakes/services/http-server.ts';
import { digest } from '../../fakes/images.ts';
import { partitionedDisk } from '../instance-image.ts';
import { type Enrolled, type EnrolOptions, type Site, startSite } from '../site.ts';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

export interface Failure {
  readonly title: string;
  /** How the web server answers a request for the image; not set: with the whole image. */
  readonly respond?: (image: Buffer) => Respond;
  readonly content?: (t: TestContext) => Buffer;
  readonly instance_info?: Readonly<Record<string, unknown>>;
  readonly options?: EnrolOptions | ((t: TestContext, site: Site) => Promise<EnrolOptions>);
  /** Further fields of the request for the deployment. */
  readonly request?: object;
  /** What happens while the image is downloaded. */
  readonly meanwhile?: (node: Enrolled) => Promise<void>;
  readonly error: RegExp;
}

export const answer =
  (status: number, body: string | Buffer, type = 'text/plain'): Respond =>
  (_request, response) =>
    void response.writeHead(status, { 'content-type': type }).end(body);

export const half: (image: Buffer) => Respond = (image) => (_request, response) => {
  response.writeHead(200, { 'content-length': image.length });
  response.write(image.subarray(0, image.length / 2), () => response.destroy());
};

/** A download that never ends. */
export const stalled: (image: Buffer) => Respond = (image) => (_request, response) => {
  response.writeHead(200, { 'content-length': image.length });
  response.write(image.subarray(0, image.length / 2));
};

export const PAGE = '<!doctype html><title>Log in</title>';
export const ROOM_MEBIBYTES = 40;
export const local = { image_download_source: 'local' } as const;

/**
 * Starts a site before the tests of the calling suite. Returns a function by which those tests get the site. The site's image
 * cache holds ROOM_MEBIBYTES.
 */
export function siteOf(environment: Environment = {}): () => Site {
  let site: Site;
  const ends: (() => unknown)[] = [];
  before(async () => {
    site = await startSite({ after: (end) => ends.push(end) }, environment);
    const images = join(site.daemon.statePath, 'images');
    mkdirSync(images, { recursive: true });
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${ROOM_MEBIBYTES}m`, 'tmpfs', images]);
    ends.push(() => execFileSync('umount', ['--lazy', images]));
  });
  after(async () => {
    for (const end of ends.toReversed()) await end();
  });
  return () => site;
}

export async function fails(t: TestContext, site: Site, failure: Failure): Promise<Enrolled> {
  const image = failure.content?.(t) ?? partitionedDisk(t);
  const respond = failure.respond?.(image) ?? answer(200, image);
  const asked = Promise.withResolvers<void>();
  const server = await httpServer(t, (request, response) => {
    respond(request, response);
    asked.resolve();
  });
  const options = typeof failure.options === 'function' ? await failure.options(t, site) : failure.options;
  const node = await site.enrol(t, {
    ...options,
    instance_info: {
      image_source: `http://127.0.0.1:${server.port}/disk.raw`,
      image_checksum: digest(image),
      image_disk_format: 'raw',
      ...failure.instance_info,
    },
  });
  await node.makeAvailable();
  await node.ask('active', failure.request);
  if (failure.meanwhile !== undefined) {
    await asked.promise;
    await failure.meanwhile(node);
  }
  await failedAs(t, node, failure.error);
  return node;
}

async function failedAs(t: TestContext, node: Enrolled, error: RegExp): Promise<void> {
  const { provision_state, last_error } = await node.settled();
  t.diagnostic(`${last_error}`);
  assert.equal(provision_state, 'deploy failed');
  assert.match(last_error ?? '', error);
}
