// Machines come from OpenStack's own Ironic with the secrets of its database, which its API masks.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { importCommand } from '../../../daemon/cli/move/import-command.ts';
import {
  IronicProcess,
  type Options,
  type Release,
  sharedOptions,
  skipWithoutIronic,
} from '../../differential/ironic-process.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import { startMariadb } from '../../fakes/services/mariadb.ts';
import { runCommand } from '../../fakes/clients/run-command.ts';
import { skipWithout } from '../../setup/packages.ts';

const DRIVER_INFO = { ipmi_address: '192.0.2.1', ipmi_password: 'se"cr\\et ä\t' };
const INSTANCE_INFO = { configdrive: 'a config drive', image_source: 'http://192.0.2.1/image' };

async function send(url: string, method: string, place: string, body?: unknown) {
  const reply = await fetch(url + place, {
    method,
    headers: { 'x-openstack-ironic-api-version': '1.80', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  assert.ok(reply.ok, `${method} ${place}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
}

/** Enrols a node at Ironic, and resolves to its UUID when it is manageable. */
async function enrolled(url: string): Promise<string> {
  const { uuid } = await send(url, 'POST', '/v1/nodes', {
    name: 'rack-1',
    driver: 'fake-hardware',
    driver_info: DRIVER_INFO,
  });
  const place = `/v1/nodes/${String(uuid)}`;
  await send(url, 'PATCH', place, [{ op: 'replace', path: '/instance_info', value: INSTANCE_INFO }]);
  await send(url, 'PUT', `${place}/states/provision`, { target: 'manage' });
  while ((await send(url, 'GET', place))['provision_state'] !== 'manageable') await sleep(100);
  return String(uuid);
}

async function comesOver(t: TestContext, release: Release, database: Options[string]): Promise<void> {
  const settings = {
    options: () => ({ ...sharedOptions, database }),
    host: '127.0.0.1',
    port: await freeTcpPort(),
  };
  const ironic = await IronicProcess.start(release, settings);
  t.after(() => ironic[Symbol.asyncDispose]());
  const uuid = await enrolled(ironic.url);
  const shown = await send(ironic.url, 'GET', `/v1/nodes/${uuid}`);
  assert.deepEqual(shown['driver_info'], { ...DRIVER_INFO, ipmi_password: '******' });

  const ours = await startListening(t, {});
  const configuration = path.join(ironic.directory, 'ironic.conf');
  const run = (...options: readonly string[]) =>
    runCommand(
      (context) =>
        importCommand(['ironic', '--url', ironic.url, '--database', configuration, ...options], context),
      { OS_ENDPOINT: ours.url, IRONIC_DEFAULT__STATE_PATH: ours.stateDirectory },
    );
  const taken = await run();
  assert.match(taken.out, /1 in all: 1 prepared/, taken.out);
  assert.match((await run('--verify')).out, /^1 machines, 0 differences\n/);
  const finished = await run('--finish');
  assert.deepEqual([finished.code, finished.errors], [0, '']);
  const node = ours.services.db.nodes.get(uuid);
  assert.deepEqual(
    [node?.name, node?.provision_state, node?.driver_info, node?.instance_info],
    ['rack-1', 'manageable', DRIVER_INFO, INSTANCE_INFO],
  );
}

for (const release of ['debian', 'newest'] as const)
  test(
    `a machine comes from Ironic (${release}) with the secrets of the SQLite database that ironic.conf names`,
    { skip: skipWithoutIronic(release) },
    (t) => comesOver(t, release, {}),
  );

test(
  "a machine comes from Ironic with the secrets of Ironic's MariaDB database",
  { skip: skipWithoutIronic('debian') || skipWithout('mariadb-server-core') },
  async (t) => {
    const login = { user: 'ironic', password: 'p@ss"w\\ord #%', database: 'ironic' };
    const socket = await startMariadb(t, login);
    const connection = `mysql+pymysql://ironic:${encodeURIComponent(login.password)}@localhost/ironic?unix_socket=${socket}`;
    await comesOver(t, 'debian', { connection });
  },
);
