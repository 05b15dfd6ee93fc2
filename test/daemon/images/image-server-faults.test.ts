// What happens when the servers of images answer wrongly: each answer that the daemon reads for an image, with each fault.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { rejectsFault } from '../../fakes/faults.ts';
import { digest, disk, imageRequest, imagesIn } from '../../fakes/images.ts';
import { httpServer } from '../../fakes/services/http-server.ts';
import { ociRegistry } from '../../fakes/services/oci-registry.ts';

const CONTENT = disk('an instance', 100_000);
const CHECKSUMS = `${digest('other')}  b.raw\n${digest(CONTENT)}  a.raw\n`;

type Fault = (response: ServerResponse) => void;

/** The paths of the answers, each with the image for which the daemon reads it. */
const ANSWERS = {
  'the image': ['/a.raw', 'web'],
  'the checksum file': ['/SHA256SUMS', 'web'],
  'the token': ['/token', 'registry'],
  'the index': ['/v2/a/manifests/latest', 'registry'],
  'the manifest': ['/v2/a/manifests/sha256', 'registry'],
  'the blob': ['/sha256:', 'registry'],
} as const;

const status =
  (code: number, body = ''): Fault =>
  (response) =>
    void response.writeHead(code).end(body);
const sent =
  (text: string, type: string): Fault =>
  (response) =>
    void response.writeHead(200, { 'content-type': type }).end(text);
const cutOff: Fault = (response) => {
  response.writeHead(200, { 'content-length': '1000' });
  response.write('{"half":', () => setImmediate(() => response.destroy()));
};
const resets: Fault = (response) => void response.destroy();

const FAULTS: Readonly<Record<string, Fault>> = {
  '400': status(400),
  '403': status(403),
  '404': status(404, '<html>not here</html>'),
  '500': status(500),
  '503': status(503),
  'a redirect to no URL': (response) => void response.writeHead(302, { location: 'http://[' }).end(),
  'a web page': sent('<!DOCTYPE html><html><body>Please log in</body></html>', 'text/html'),
  'an object without what is needed': sent('{"detail": []}', 'application/json'),
  'a list': sent('[]', 'application/json'),
  nothing: status(200),
  'half a body': cutOff,
  'the end of the connection': resets,
};

const REASONS: Readonly<Record<string, RegExp>> = {
  'a redirect to no URL': /its server redirects to http:\/\/\[, which is not a URL/,
};

const TEMPORARY: Readonly<Record<string, Fault>> = {
  '500': status(500),
  '503': status(503),
  'half a body': cutOff,
  'the end of the connection': resets,
};

async function site(t: TestContext) {
  const state = mkdtempSync(path.join(tmpdir(), 'image-faults-'));
  t.after(() => rmSync(state, { recursive: true, force: true }));
  const broken = { path: '', times: 0, fault: resets };
  const intercept = (url: string, response: ServerResponse) => {
    if (broken.times === 0 || !url.startsWith(broken.path)) return false;
    broken.times -= 1;
    broken.fault(response);
    return true;
  };
  const { port } = await httpServer(t, ({ url = '' }, response) => {
    if (!intercept(url, response)) response.end(url === '/a.raw' ? CONTENT : CHECKSUMS);
  });
  const registry = await ociRegistry(t, { login: 'token', intercept });
  registry.pushIndex('a', 'latest', { amd64: registry.push('a', '1', CONTENT) });
  const requests = {
    web: { source: `http://127.0.0.1:${port}/a.raw`, checksum: `http://127.0.0.1:${port}/SHA256SUMS` },
    registry: { source: `oci://${registry.host}/a` },
  };
  return {
    broken,
    // a new directory each time: nothing comes from a copy
    prepare: (kind: keyof typeof requests) =>
      imagesIn(mkdtempSync(path.join(state, 'x')), []).prepare(
        imageRequest(requests[kind]),
        new AbortController().signal,
      ),
  };
}

for (const [what, [place, kind]] of Object.entries(ANSWERS)) {
  test(`an image is refused, and the fault says why, when ${what} is something else`, async (t) => {
    const { broken, prepare } = await site(t);
    for (const [name, fault] of Object.entries(FAULTS)) {
      Object.assign(broken, { path: place, times: Number.POSITIVE_INFINITY, fault });
      await rejectsFault(prepare(kind), 'ImageUnusable', REASONS[name] ?? /cannot be used: .{15}/);
    }
  });

  test(`an image is prepared although ${what} fails once, or is late`, async (t) => {
    const { broken, prepare } = await site(t);
    const late: Fault = (response) => {
      setTimeout(() => {
        Object.assign(broken, { times: 0 });
        response.writeHead(503).end();
      }, 50);
    };
    for (const [name, fault] of Object.entries({ ...TEMPORARY, late })) {
      Object.assign(broken, { path: place, times: 1, fault });
      assert.equal((await prepare(kind)).sha256, digest(CONTENT), name);
    }
  });
}
