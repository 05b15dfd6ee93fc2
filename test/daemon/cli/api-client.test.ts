// How commands reach the daemon: a URL with TLS and credentials, or its socket.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { createApiClient } from '../../../daemon/cli/api-client.ts';
import { openApiSocket } from '../../../daemon/cli/api-socket.ts';
import { authority } from '../../fakes/services/certificates.ts';
import { httpServer, httpsServer } from '../../fakes/services/http-server.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';

function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'api-client-'));
  t.after(() => rmSync(folder, { recursive: true }));
  return folder;
}

test('a daemon that listens on a Unix socket is reached by the path of that socket', async (t) => {
  const socket = path.join(temporaryFolder(t), 'api.sock');
  await startListening(t, { environment: { IRONIC_API__UNIX_SOCKET: socket } });
  const client = createApiClient({ OS_ENDPOINT: `unix:${socket}` });
  const { status, body } = await client.request('GET', '/v1/nodes');
  assert.deepEqual([status, body], [200, { nodes: [] }]);
  const absent = createApiClient({ OS_ENDPOINT: `unix:${socket}.absent` });
  await assert.rejects(
    absent.request('GET', '/v1/nodes'),
    /^Error: Cannot reach the API at unix:.*api\.sock\.absent: connect ENOENT .* Is the daemon running\?/,
  );
});

test('credentials go to the API whose certificate OS_CACERT verifies, and to no other', async (t) => {
  const seen: (string | undefined)[] = [];
  const { port } = await httpsServer(t, ({ headers }, response) => {
    seen.push(headers.authorization);
    response.end();
  });
  const OS_CACERT = path.join(temporaryFolder(t), 'ca.pem');
  writeFileSync(OS_CACERT, authority());
  const environment = {
    OS_ENDPOINT: `https://127.0.0.1:${port}/v1`,
    OS_USERNAME: 'admin',
    OS_PASSWORD: 'p%41:ss',
  };
  const { body } = await createApiClient({ ...environment, OS_CACERT }).request('DELETE', '/v1/nodes/a');
  assert.equal(body, null);
  assert.deepEqual(seen, [`Basic ${Buffer.from('admin:p%41:ss').toString('base64')}`]);
  await assert.rejects(
    createApiClient(environment).request('GET', '/v1'),
    /unable to verify the first certificate/,
  );
  assert.equal(seen.length, 1);
});

test('a redirect is an error that names its target, whatever the method', async (t) => {
  const { port } = await httpServer(t, (_, response) => {
    response.writeHead(301, { location: 'https://ironic.example.com/' }).end();
  });
  const client = createApiClient({ OS_ENDPOINT: `http://127.0.0.1:${port}` });
  for (const method of ['GET', 'PUT', 'DELETE'] as const)
    await assert.rejects(
      client.request(method, '/v1/nodes/a/maintenance'),
      new RegExp(
        `^Error: ${method} /v1/nodes/a/maintenance was redirected with 301 to https://ironic\\.example\\.com/\\. The API does not redirect\\. Set OS_ENDPOINT `,
      ),
    );
});

test('a page of another server is an error, and not an empty answer', async (t) => {
  const { port } = await httpServer(t, (_, response) => void response.end('<html>Log in</html>'));
  const client = createApiClient({ OS_ENDPOINT: `http://127.0.0.1:${port}` });
  const reason =
    /GET \/v1\/nodes\/a was not answered with JSON, but with "<html>Log in<\/html>"\. Set OS_ENDPOINT/;
  await assert.rejects(client.request('GET', '/v1/nodes/a'), reason);
});

test('an unreachable API is named without the password in its URL', async () => {
  const client = createApiClient({ OS_ENDPOINT: 'http://admin:secret@127.0.0.1:1' });
  await assert.rejects(client.request('GET', '/v1'), {
    message: /^Cannot reach the API at http:\/\/\*+@127\.0\.0\.1:1: /,
    exitCode: 5,
  });
});

test('a web socket to an unreachable API fails with exit code 5', async () => {
  await assert.rejects(openApiSocket({ OS_ENDPOINT: 'http://127.0.0.1:1' }, '/v1'), { exitCode: 5 });
});
