import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, test, type TestContext } from 'node:test';
import { fastDirectory, type InProcessDaemon, startInProcess } from '../../fakes/daemon/in-process-daemon.ts';

interface Readiness {
  readonly status: string;
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
}

const get = (daemon: InProcessDaemon, path: string, bindings = {}) =>
  daemon.app.fetch(new Request(`http://ironic.test${path}`), bindings);
const readiness = async (daemon: InProcessDaemon) => {
  const answer = await get(daemon, '/readyz');
  return { status: answer.status, body: (await answer.json()) as Readiness };
};
// libxcrypt digest of "secret"
const ANN = 'ann:$2y$04$abcdefghijklmnopqrstuu2r9OfJnfCsdneAXAGHnS4UpFFP8WIrW\n';

/** A daemon whose API needs a login. `more`: further lines of its configuration. */
function startWithLogin(t: TestContext, more = ''): Promise<InProcessDaemon> {
  const stateDirectory = mkdtempSync(join(fastDirectory(), 'endpoints-'));
  const accounts = join(stateDirectory, 'htpasswd');
  writeFileSync(accounts, ANN, { mode: 0o600 });
  const ini = `auth_strategy = http_basic\nhttp_basic_auth_user_file = ${accounts}\n${more}`;
  return startInProcess(t, { stateDirectory, ini });
}

test('/healthz and /readyz answer without a login; the API needs one, and /site the key of the site', async (t) => {
  const daemon = await startWithLogin(t);
  const statuses = ['/site', '/healthz', '/readyz', '/v1/nodes'].map(
    async (path) => (await get(daemon, path)).status,
  );
  assert.deepEqual(await Promise.all(statuses), [403, 200, 200, 401]);
});

describe('/healthz and /readyz', () => {
  it('answer a request that names no API version', async (t) => {
    const daemon = await startInProcess(t);
    const healthy = await get(daemon, '/healthz');
    assert.deepEqual([healthy.status, await healthy.text()], [200, 'ok\n']);
    const { status, body } = await readiness(daemon);
    assert.deepEqual([status, body.status], [200, 'ok']);
  });

  it('/readyz fails with the reason while the database cannot be written, and recovers', async (t) => {
    const daemon = await startInProcess(t);
    const { conductors } = daemon.services.db as { conductors: { touch: (...given: unknown[]) => void } };
    const { touch } = conductors;
    conductors.touch = () => {
      throw new Error('database or disk is full');
    };
    const { status, body } = await readiness(daemon);
    assert.deepEqual([status, body.status], [503, 'failing']);
    assert.match(
      body.checks.find(({ ok }) => !ok)?.detail ?? '',
      /cannot be written: database or disk is full/,
    );
    conductors.touch = touch;
    await daemon.clock.advance(5000);
    assert.equal((await readiness(daemon)).status, 200);
  });

  it('/readyz writes to the database at most every five seconds, however often it is asked', async (t) => {
    const daemon = await startInProcess(t);
    const { conductors } = daemon.services.db as { conductors: { touch: (...given: unknown[]) => void } };
    let writes = 0;
    conductors.touch = () => void (writes += 1);
    for (let asked = 0; asked < 20; asked += 1) await readiness(daemon);
    assert.equal(writes, 1);
  });

  it('/readyz says that the service is stopping', async (t) => {
    const daemon = await startInProcess(t);
    await daemon.stop();
    const { status, body } = await readiness(daemon);
    assert.equal(status, 503);
    assert.match(body.checks[0]?.detail ?? '', /stopping/);
  });
});

describe('/metrics', () => {
  it('is read with the login of the API, or from a network that [metrics] allow_from names', async (t) => {
    const daemon = await startWithLogin(t, '[metrics]\nallow_from = 192.0.2.0/24\n');
    const statusFrom = async (remoteAddress: string, headers = {}) => {
      const bindings = { incoming: { socket: { remoteAddress }, rawHeaders: [] } };
      const request = new Request('http://ironic.test/metrics', { headers });
      return (await daemon.app.fetch(request, bindings as never)).status;
    };
    const authorization = `Basic ${Buffer.from('ann:secret').toString('base64')}`;
    assert.equal(await statusFrom('192.0.2.9'), 200);
    assert.equal(await statusFrom('::ffff:192.0.2.9'), 200);
    assert.equal(await statusFrom('198.51.100.1'), 401);
    assert.equal(await statusFrom('198.51.100.1', { authorization }), 200);
    assert.equal((await get(daemon, '/metrics')).status, 401);
  });
});
