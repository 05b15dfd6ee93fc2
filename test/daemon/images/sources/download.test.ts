import assert from 'node:assert/strict';
import path from 'node:path';
import { writeFileSync } from 'node:fs';
import { test, type TestContext } from 'node:test';
import { download } from '../../../../daemon/images/sources/download.ts';
import { addressRule } from '../../../../daemon/lib/network/address-rule.ts';
import { authority, certificateFiles } from '../../../fakes/services/certificates.ts';
import { httpServer, httpsServer } from '../../../fakes/services/http-server.ts';
import { loopbackWeb } from '../../../fakes/images.ts';

const CONTENT = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));

function memoryDraft() {
  let content = Buffer.alloc(0);
  return {
    get bytes() {
      return content.length;
    },
    get content() {
      return content;
    },
    async write(piece: Uint8Array) {
      content = Buffer.concat([content, piece]);
    },
    async clear() {
      content = Buffer.alloc(0);
    },
  };
}

interface Asked {
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly authorization: string | undefined;
}

type Reply = Parameters<Parameters<typeof httpServer>[1]>[1];

/** A server that gives the answers to the requests in turn, and the last answer to all further requests. */
async function serving(t: TestContext, ...answers: readonly ((reply: Reply, asked: Asked) => void)[]) {
  const requests: Asked[] = [];
  const { port } = await httpServer(t, ({ headers }, reply) => {
    const asked = {
      range: headers.range,
      ifRange: headers['if-range'] as string | undefined,
      authorization: headers.authorization,
    };
    requests.push(asked);
    answers[Math.min(requests.length, answers.length) - 1]?.(reply, asked);
  });
  return { requests, port, url: `http://127.0.0.1:${port}/image` };
}

/** Sends `bytes` bytes of the content, beginning at `from`, and then cuts the connection. */
const half =
  (headers: Readonly<Record<string, string>>, from = 0, bytes = 100_000) =>
  (reply: Reply) => {
    const status = from === 0 ? 200 : 206;
    reply.writeHead(status, { 'content-length': String(CONTENT.length - from), ...headers });
    reply.write(CONTENT.subarray(from, from + bytes), () => setImmediate(() => reply.destroy()));
  };
const whole = (reply: Reply) => reply.writeHead(200, { etag: '"1"' }).end(CONTENT);
const rest = (reply: Reply, { range = '' }: Asked) => {
  const from = Number(range.slice('bytes='.length, -1));
  const place = `bytes ${from}-${CONTENT.length - 1}/${CONTENT.length}`;
  reply.writeHead(206, { etag: '"1"', 'content-range': place }).end(CONTENT.subarray(from));
};

const fetched = (url: string, draft = memoryDraft(), more: object = {}) =>
  download(loopbackWeb, { url, known: {}, draft, signal: new AbortController().signal, ...more });

test('a download whose connection breaks continues where it stopped, as long as the file is the same', async (t) => {
  const { url, requests } = await serving(t, half({ etag: '"1"' }), rest);
  const draft = memoryDraft();
  assert.deepEqual(await fetched(url, draft), { kind: 'downloaded', version: { etag: '"1"' } });
  assert.ok(draft.content.equals(CONTENT));
  assert.equal(requests.length, 2);
  assert.equal(requests[1]?.ifRange, '"1"');
  assert.match(requests[1]?.range ?? '', /^bytes=[1-9]\d*-$/);
});

test('a broken download starts again when the file has changed or the download cannot be continued', async (t) => {
  const cases = [
    [half({ etag: '"0"' }), whole],
    [half({ etag: 'W/"1"' }), whole],
    [half({}), whole],
    [half({ etag: '"1"' }), (reply: Reply) => reply.writeHead(416).end(), whole],
    [
      half({ etag: '"1"' }),
      (reply: Reply) => reply.writeHead(206, { 'content-range': 'bytes 5-9/10' }).end('other'),
      whole,
    ],
  ] as const;
  for (const [index, answers] of cases.entries()) {
    const { url, requests } = await serving(t, ...answers);
    const draft = memoryDraft();
    await fetched(url, draft);
    assert.ok(draft.content.equals(CONTENT), `case ${index}`);
    // without a strong entity tag, the rest of the file cannot be requested
    const isContinued = index !== 1 && index !== 2;
    assert.equal(requests[1]?.range !== undefined, isContinued, `case ${index}`);
  }
});

test('a download that makes no progress fails with the reason', async (t) => {
  const cases = [
    [(reply: Reply) => reply.writeHead(503).end(), 3, /its server answered 503/],
    [(reply: Reply) => reply.writeHead(404).end(), 1, /its server answered 404/],
    [(reply: Reply) => reply.writeHead(401).end(), 1, /its server answered 401/],
    [(reply: Reply) => reply.writeHead(304).end(), 1, /its server answered 304/],
    [(reply: Reply) => reply.destroy(), 3, /closed the connection/],
    [half({}), 3, /does not have the length that its header says/],
  ] as const;
  for (const [answer, expected, reason] of cases) {
    const { url, requests } = await serving(t, answer);
    await assert.rejects(fetched(url), reason);
    assert.ok(
      requests.length <= expected + 1 && requests.length >= expected,
      `${reason}: ${requests.length}`,
    );
  }
});

test('a download whose server sends a shorter part than was requested requests the next part', async (t) => {
  const part: (reply: Reply, asked: Asked) => void = (reply, { range = '' }) => {
    const from = Number(range.slice('bytes='.length, -1));
    const end = Math.min(from + 80_000, CONTENT.length);
    const place = `bytes ${from}-${end - 1}/${CONTENT.length}`;
    reply.writeHead(206, { etag: '"1"', 'content-range': place }).end(CONTENT.subarray(from, end));
  };
  const { url, requests } = await serving(t, half({ etag: '"1"' }), part);
  const draft = memoryDraft();
  await fetched(url, draft);
  assert.ok(draft.content.equals(CONTENT));
  assert.equal(requests.length, 4);
});

test('an empty file is not accepted', async (t) => {
  const { url, requests } = await serving(t, (reply) => reply.writeHead(200).end());
  await assert.rejects(fetched(url), /it is empty; check the URL/);
  assert.equal(requests.length, 1);
});

test('a file that is larger than its server says is not accepted', async (t) => {
  const { url } = await serving(t, (reply) => {
    reply.writeHead(206, { 'content-range': 'bytes 0-9/10' }).end(CONTENT);
  });
  await assert.rejects(fetched(url), /its server sent 300000 bytes of a file of 10/);
});

test('a web page with status 200 is not accepted as a file', async (t) => {
  for (const page of ['<!DOCTYPE html><title>Log in</title>', '\n<HTML lang="en">', '\uFEFF<html>']) {
    const { url } = await serving(t, (reply) => reply.writeHead(200).end(page));
    await assert.rejects(fetched(url), /it is text, such as a web page; check the URL/);
  }
  const { url } = await serving(t, (reply) => reply.writeHead(200).end('<htmlish'));
  await fetched(url);
});

test('a request to a server that stops sending is repeated, and then given up', async (t) => {
  const { port, requests } = await serving(t, (reply) => {
    reply.writeHead(200, { 'content-length': '10', etag: '"1"' }).write('half');
  });
  await assert.rejects(
    download(
      { ...loopbackWeb, silenceSeconds: 50 },
      {
        url: `http://127.0.0.1:${port}/`,
        known: {},
        draft: memoryDraft(),
        signal: new AbortController().signal,
      },
    ),
    /its server sent nothing for 50 s/,
  );
  assert.ok(requests.length >= 3);
});

test('a download whose file cannot be written fails at once, with the reason', async (t) => {
  const { url, requests } = await serving(t, whole);
  const draft = { ...memoryDraft(), write: () => Promise.reject(new Error('the disk is full')) };
  await assert.rejects(
    download(loopbackWeb, { url, known: {}, draft, signal: new AbortController().signal }),
    /the disk is full/,
  );
  assert.equal(requests.length, 1);
});

test('a redirect to another server is followed without the login (CVE-2026-42997)', async (t) => {
  const other = await serving(t, whole);
  const { url, port, requests } = await serving(t, (reply) =>
    reply.writeHead(302, { location: `http://localhost:${other.port}/there` }).end(),
  );
  const draft = memoryDraft();
  await fetched(`http://user:hidden@127.0.0.1:${port}/image`, draft);
  assert.ok(draft.content.equals(CONTENT));
  assert.deepEqual(
    [requests[0]?.authorization, other.requests[0]?.authorization],
    [`Basic ${Buffer.from('user:hidden').toString('base64')}`, undefined],
  );
  const authorize = (server: URL) => (server.port === String(port) ? 'Basic eDp5' : undefined);
  await fetched(url, memoryDraft(), { authorize });
  assert.deepEqual([requests[1]?.authorization, other.requests[1]?.authorization], ['Basic eDp5', undefined]);
});

test('no redirect leads to services of this host, to link-local addresses, or to other kinds of URLs', async (t) => {
  const places = [
    ['http://169.254.169.254/latest/meta-data', /169\.254\.169\.254 is/],
    ['http://127.0.0.1:1/', /127\.0\.0\.1 is a loopback address \(\[conductor\] image_server_networks\)/],
    ['http://localhost:1/', /localhost is refused \(\[conductor\] image_server_networks\)/],
    ['http://[::ffff:127.0.0.1]:1/', /loopback/],
    ['http://0.0.0.0:1/', /unspecified/],
    ['file:///etc/passwd', /redirects to file:/],
    ['ftp://images.test/', /redirects to ftp:/],
  ] as const;
  for (const [place, reason] of places) {
    // this address is allowed, as that of a server on the site's network would be
    const own = '127.0.0.2';
    const { port } = await httpServer(
      t,
      (_, reply) => void reply.writeHead(302, { location: place }).end(),
      own,
    );
    const rule = (address: string) => (address === own ? undefined : addressRule([], () => [])(address));
    await assert.rejects(
      download(
        { ...loopbackWeb, rule },
        {
          url: `http://${own}:${port}/`,
          known: {},
          draft: memoryDraft(),
          signal: new AbortController().signal,
        },
      ),
      reason,
      place,
    );
  }
});

test('a download from a server that redirects in circles fails', async (t) => {
  const { url, requests } = await serving(t, (reply) => reply.writeHead(302, { location: '/image' }).end());
  await assert.rejects(fetched(url), /redirects more than 5 times/);
  assert.ok(requests.length <= 18);
});

test('a certificate of a private authority is accepted when webserver_verify_ca is the file of the authority, or False', async (t) => {
  const { port } = await httpsServer(t, (_, reply) => void reply.end(CONTENT));
  const verifyCa = path.join(certificateFiles(t).directory, 'authority.pem');
  writeFileSync(verifyCa, authority());
  const fetchedBy = async (trusted: string) => {
    const draft = memoryDraft();
    const url = `https://127.0.0.1:${port}/image`;
    await download(
      { ...loopbackWeb, verifyCa: trusted },
      { url, known: {}, draft, signal: new AbortController().signal },
    );
    return draft.content;
  };
  await assert.rejects(fetchedBy('True'), /certificate/);
  assert.ok((await fetchedBy(verifyCa)).equals(CONTENT));
  assert.ok((await fetchedBy('False')).equals(CONTENT));
});
