// A container registry on loopback, open or with a login, that redirects requests for blobs to another server, as real ones do.
import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { httpServer } from './http-server.ts';

export interface OciRegistry {
  /** `127.0.0.1:PORT`. */
  readonly host: string;
  /** The address and port of the server that has the blobs. */
  readonly blobHost: string;
  /** Every request so far: its server, path and Authorization header. */
  readonly requests: readonly {
    readonly server: string;
    readonly path: string;
    readonly authorization: string | undefined;
  }[];
  /** Stores an image of one layer; returns the digest of its manifest. */
  push(repository: string, tag: string, content: Buffer): string;
  /** Stores an index of manifests by architecture. */
  pushIndex(repository: string, tag: string, manifests: Readonly<Record<string, string>>): string;
  /** Stores any document as a manifest. */
  pushManifest(repository: string, tag: string, document: object | string): string;
}

interface RegistryOptions {
  /** Which login is required; not set: none. */
  readonly login?: 'token' | 'basic';
  /** The `USER:PASSWORD` required for a token or, with the login `basic`, for each request. Not set: everybody gets a token. */
  readonly user?: string;
  /** The server that gives tokens; by default the registry. */
  readonly tokenHost?: string;
  /** Called first with each request; whether it has answered. */
  readonly intercept?: (path: string, response: ServerResponse) => boolean;
}

const digestOf = (content: Buffer | string) => `sha256:${createHash('sha256').update(content).digest('hex')}`;

export async function ociRegistry(
  t: TestContext,
  { login, user, tokenHost, intercept = () => false }: RegistryOptions = {},
): Promise<OciRegistry> {
  const manifests = new Map<string, string>();
  const blobs = new Map<string, Buffer>();
  const requests: { server: string; path: string; authorization: string | undefined }[] = [];
  const store = await httpServer(t, ({ url = '', headers }, response) => {
    requests.push({ server: 'blobs', path: url, authorization: headers.authorization });
    if (intercept(url, response)) return;
    response.end(blobs.get(url.slice(1)));
  });
  const blobHost = `127.0.0.1:${store.port}`;
  const basic = user === undefined ? undefined : `Basic ${Buffer.from(user).toString('base64')}`;
  const isMissing = (authorization: string | undefined) =>
    login !== undefined && authorization !== (login === 'token' ? 'Bearer pulling' : basic);
  const answerFor = (url: string, response: ServerResponse) => {
    const [, repository, kind, name = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/(.+)$/.exec(url) ?? [];
    const manifest = manifests.get(`${repository}/${name}`);
    if (kind === 'blobs') response.writeHead(307, { location: `http://${blobHost}/${name}` }).end();
    else response.writeHead(manifest === undefined ? 404 : 200).end(manifest);
  };
  const registry = await httpServer(t, ({ url = '', headers: { authorization, host } }, response) => {
    requests.push({ server: 'registry', path: url, authorization });
    if (intercept(url, response)) return;
    if (url.startsWith('/token?')) {
      response.writeHead([undefined, authorization].includes(basic) ? 200 : 401).end('{"token": "pulling"}');
    } else if (isMissing(authorization)) {
      const bearer = `Bearer realm="http://${tokenHost ?? host}/token",service="registry.test"`;
      const challenge = login === 'token' ? bearer : 'Basic realm="registry"';
      response.writeHead(401, { 'www-authenticate': challenge }).end();
    } else {
      answerFor(url, response);
    }
  });
  const pushManifest: OciRegistry['pushManifest'] = (repository, tag, document) => {
    const text = typeof document === 'string' ? document : JSON.stringify(document);
    for (const name of [tag, digestOf(text)]) manifests.set(`${repository}/${name}`, text);
    return digestOf(text);
  };
  return {
    host: `127.0.0.1:${registry.port}`,
    blobHost,
    requests,
    pushManifest,
    push(repository, tag, content) {
      blobs.set(digestOf(content), content);
      return pushManifest(repository, tag, { layers: [{ digest: digestOf(content), size: content.length }] });
    },
    pushIndex: (repository, tag, byArchitecture) =>
      pushManifest(repository, tag, {
        manifests: Object.entries(byArchitecture).map(([architecture, digest]) => ({
          digest,
          platform: { architecture, os: 'linux' },
        })),
      }),
  };
}
