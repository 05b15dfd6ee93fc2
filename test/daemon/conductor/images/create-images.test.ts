import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { networkInterfaces } from 'node:os';
import { type AddressInfo } from 'node:net';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { test, type TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

/** An address of this host that is not loopback, where services listen that are not for users of the API. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses);
  const own = all.find(({ internal, family }) => !internal && family === 'IPv4')?.address;
  assert.ok(own, 'this test needs an interface with an IPv4 address besides loopback');
  return own;
}

async function serverAt(t: TestContext, host: string, answer: string | { readonly redirect: string }) {
  let requests = 0;
  const server = createServer((_, reply) => {
    requests += 1;
    if (typeof answer === 'string') reply.end(answer);
    else reply.writeHead(302, { location: answer.redirect }).end();
  }).listen(0, host);
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://${host}:${port}/image`, port, requests: () => requests };
}

async function fetcher(t: TestContext, ini: string) {
  const daemon = await startInProcess(t, { ini });
  return async (url: string) => {
    const { signal } = new AbortController();
    const fetched = daemon.services.images.fetch(url, 'driver_info/deploy_kernel', signal);
    const settled = Symbol('settled');
    const end = fetched.then(
      () => settled,
      () => settled,
    );
    // a download is tried three times, with pauses
    const pause = () => daemon.clock.advance(5000).then(() => setImmediate());
    while ((await Promise.race([end, pause()])) !== settled);
    return fetched;
  };
}

test("the daemon downloads no image from its own host's addresses, nor follows a redirect to one", async (t) => {
  const own = ownAddress();
  const server = await serverAt(t, own, 'secret');
  const fetch = await fetcher(t, '');
  const refused = new RegExp(
    `${own} is an address of the daemon's own host \\(\\[conductor\\] image_server_networks\\)`,
  );
  await assert.rejects(fetch(server.url), refused);
  assert.equal(server.requests(), 0);
  // a redirect from the server of boot files, which is allowed
  const boot = await serverAt(t, own, { redirect: server.url });
  const beside = await fetcher(t, `[boot_http]\nport = ${boot.port}\n`);
  await assert.rejects(beside(boot.url), refused);
  assert.equal(server.requests(), 0);
});

test('images come from the server of boot files on the own host, and from an own address that image_server_networks lists', async (t) => {
  const own = ownAddress();
  const server = await serverAt(t, own, 'kernel');
  for (const ini of [
    `[boot_http]\nport = ${server.port}\n`,
    `[deploy]\nhttp_url = ${server.url}\n`,
    `[conductor]\nimage_server_networks = ${own}\n`,
  ]) {
    const fetch = await fetcher(t, ini);
    assert.equal(await readFile(await fetch(server.url), 'utf8'), 'kernel', ini);
  }
});
