// A web server with an image and its checksum file, which tests change and cut off, and a daemon that may use it.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type InProcessOptions, startInProcess } from '../daemon/in-process-daemon.ts';
import { digest, disk } from '../images.ts';

export const IMAGE_SITE_INI = '[conductor]\nimage_server_networks = 127.0.0.0/8\n';

/** `/d.img`: the image; `/SHA256SUMS`: its digest. Both answer 404 when `isGone`. */
export async function imageServer(t: TestContext) {
  const site = {
    content: disk(),
    /** How many more answers break off, each after `cutBytes`. */
    cuts: 0,
    cutBytes: 65_536,
    isGone: false,
    /** The Range header of each request for the image; empty without one. */
    ranges: [] as string[],
    /** Answers of the image wait for it. */
    gate: Promise.resolve(),
    url: '',
  };
  const serveImage = async (request: IncomingMessage, response: ServerResponse) => {
    const { range = '' } = request.headers;
    site.ranges.push(range);
    await site.gate;
    const from = Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0);
    const [rest, { length }] = [site.content.subarray(from), site.content];
    response.writeHead(range === '' ? 200 : 206, {
      etag: `"${digest(site.content)}"`,
      'content-length': rest.length,
      ...(range !== '' && { 'content-range': `bytes ${from}-${length - 1}/${length}` }),
    });
    if (site.cuts === 0) return response.end(rest);
    site.cuts -= 1;
    return response.write(rest.subarray(0, site.cutBytes), () => setImmediate(() => response.destroy()));
  };
  const server = createServer((request, response) => {
    if (site.isGone) response.writeHead(404).end();
    else if (request.url === '/SHA256SUMS') response.end(`${digest(site.content)}  d.img\n`);
    else void serveImage(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  site.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return site;
}

export type ImageServer = Awaited<ReturnType<typeof imageServer>>;

export const imageOn = ({ url }: ImageServer) => ({
  name: 'debian-13',
  source: `${url}/d.img`,
  checksum: `${url}/SHA256SUMS`,
});

/** A daemon whose catalogue has the image of the server as `debian-13`. */
export async function imageSite(t: TestContext, options: InProcessOptions = {}) {
  const server = await imageServer(t);
  const daemon = await startInProcess(t, { ...options, ini: `${options.ini ?? ''}${IMAGE_SITE_INI}` });
  await daemon.request('POST', '/v1/images', { body: imageOn(server) });
  const shown = async () => (await daemon.request('GET', '/v1/images/debian-13')).body;
  /** Fetches the image, and returns the record and what was told of the progress. */
  const fetchImage = async () => {
    const { status, text } = await daemon.request('POST', '/v1/images/debian-13/fetch');
    if (status !== 202) throw new Error(text);
    const stream = await daemon.app.fetch(new Request('http://ironic.test/v1/images/debian-13/fetch'));
    const told = (await stream.text()).split('\n\n').filter((each) => each !== '');
    return {
      image: await shown(),
      told: told.map((each) => JSON.parse(each.slice('data: '.length)) as Record<string, unknown>),
    };
  };
  return { server, daemon, shown, fetchImage };
}
