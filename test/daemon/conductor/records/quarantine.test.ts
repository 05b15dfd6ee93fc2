import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { reasonForSilence } from '../../../../daemon/boot/dhcp/exchange.ts';
import { knownMachines } from '../../../../daemon/boot/dhcp/known-machines.ts';
import { backUp } from '../../../../daemon/db/copies/back-up.ts';
import { restore } from '../../../../daemon/db/copies/restore.ts';
import { defineManagement } from '../../../../daemon/plugin-api/index.ts';
import {
  fastDirectory,
  type InProcessDaemon,
  startInProcess,
} from '../../../fakes/daemon/in-process-daemon.ts';

const MAC = '52:54:00:00:00:01';
const INVENTORY = JSON.stringify({ system_vendor: { serial_number: 'CZ3108' } });

const generation = ({ services }: InProcessDaemon) => services.db.quarantine.site()?.generation;

/** A daemon whose database was restored from a backup, and the one node in it. */
async function startRestored(t: TestContext): Promise<{ daemon: InProcessDaemon; uuid: string }> {
  const stateDirectory = mkdtempSync(join(fastDirectory(), 'restored-'));
  const file = join(stateDirectory, 'ironic-edge.sqlite');
  const first = await startInProcess(t, { stateDirectory });
  const { uuid } = await first.createNode({ driver: 'lab', name: 'one' });
  await first.createPort(uuid, MAC);
  first.services.db.inventory.put(uuid, '2026-01-01T00:00:00', { inventory: INVENTORY, plugin_data: '{}' });
  const secrets = { agent_secret_token: 'token', agent_url: 'https://192.0.2.1:9999' };
  first.services.db.nodes.update(uuid, {
    provision_state: 'inspect wait',
    power_state: 'power on',
    maintenance_reason: 'fan',
    maintenance: true,
    driver_internal_info: secrets,
  });
  const time = new Date(first.clock.now());
  const { file: copy } = backUp(file, join(stateDirectory, 'backups'), { keep: 1, time });
  await first.stop();
  restore(copy, file, time);
  return { daemon: await startInProcess(t, { stateDirectory, loops: true }), uuid };
}

const release = (daemon: InProcessDaemon, uuid: string, body: object) =>
  daemon.request('POST', `/v1/nodes/${uuid}/quarantine/release`, { body });

describe('a node in quarantine', () => {
  it('has no driver: no request and no loop reaches its machine', async (t) => {
    const { daemon, uuid } = await startRestored(t);
    const { services } = daemon;
    assert.throws(() => services.compose(daemon.node(uuid)), /in quarantine since .*backup/);
    const power = await daemon.request('PUT', `/v1/nodes/${uuid}/states/power`, {
      body: { target: 'power off' },
    });
    assert.equal(power.status, 409, power.text);
    assert.match(power.fault, /quarantine release/);
    // the quarantine stays when a client ends the maintenance that shows it in the API
    await daemon.request('DELETE', `/v1/nodes/${uuid}/maintenance`);
    for (let hours = 0; hours < 3; hours += 1) await daemon.clock.advance(3_600_000);
    await daemon.idle();
    assert.match(daemon.log(), /in quarantine since/);
    const boot = { body: { boot_device: 'pxe' } };
    assert.equal((await daemon.request('PUT', `/v1/nodes/${uuid}/management/boot_device`, boot)).status, 409);
  });

  it('admits no agent, neither an unknown one nor the one that it knew', async (t) => {
    const { daemon, uuid } = await startRestored(t);
    const lookup = await daemon.request('GET', `/v1/lookup?addresses=${MAC}`);
    assert.equal(lookup.status, 404);
    const heartbeat = await daemon.request('POST', `/v1/heartbeat/${uuid}`, {
      body: { callback_url: 'https://192.0.2.1:9999', agent_token: 'token', agent_version: '9' },
    });
    assert.equal(heartbeat.status, 409, heartbeat.text);
    const { agent_url, agent_secret_token } = daemon.node(uuid).driver_internal_info;
    assert.deepEqual([agent_url, agent_secret_token], [undefined, undefined]);
  });

  it('is in maintenance with the quarantine as the reason, and is listed by GET /v1/quarantine', async (t) => {
    const { daemon, uuid } = await startRestored(t);
    const { maintenance, maintenance_reason: reason } = daemon.node(uuid);
    assert.deepEqual([maintenance, reason?.startsWith('quarantine: ')], [true, true]);
    const listed = (await daemon.request('GET', '/v1/quarantine')).body['quarantine'] as readonly {
      node_uuid: string;
    }[];
    assert.deepEqual(
      listed.map(({ node_uuid }) => node_uuid),
      [uuid],
    );
  });

  it('is released by the serial number of its machine, and gets its maintenance back as it was', async (t) => {
    const { daemon, uuid } = await startRestored(t);
    const wrong = await release(daemon, uuid, { serial: 'CZ9999' });
    assert.equal(wrong.status, 409);
    assert.match(
      wrong.fault,
      /CZ3108.*CZ9999 was given\. If the machine was exchanged, correct its driver_info/,
    );
    const right = await release(daemon, uuid, { serial: 'cz3108 ' });
    assert.deepEqual([right.status, right.body['evidence']], [200, 'its serial number is CZ3108']);
    const { maintenance, maintenance_reason, power_state } = daemon.node(uuid);
    assert.deepEqual([maintenance, maintenance_reason, power_state], [true, 'fan', null]);
    assert.ok(daemon.services.compose(daemon.node(uuid)));
    assert.match(
      daemon.services.db.history.where({ sql: 'TRUE', values: [] }).at(-1)?.event ?? '',
      /Released from quarantine/,
    );
    const again = await release(daemon, uuid, { serial: 'CZ3108' });
    assert.deepEqual(
      [again.status, again.fault],
      [409, `Node ${uuid} is not in quarantine, so there is nothing to release.`],
    );
  });

  it('is released when its BMC reports the network cards on record, and not when it reports others', async (t) => {
    const { daemon, uuid } = await startRestored(t);
    const unable = await release(daemon, uuid, {});
    assert.match(unable.fault, /cannot tell which machine .*give it with --serial\.$/);
    let reported = ['52:54:00:00:00:99'];
    const { composeQuarantined } = daemon.services;
    const management = (known: ReturnType<typeof composeQuarantined>['management']) =>
      defineManagement({ ...known, getMacAddresses: async () => reported });
    Object.assign(daemon.services, {
      composeQuarantined: (node: Parameters<typeof composeQuarantined>[0]) => {
        const driver = composeQuarantined(node);
        return { ...driver, management: management(driver.management) };
      },
    });
    const other = await release(daemon, uuid, {});
    assert.match(
      other.fault,
      /reports the network cards 52:54:00:00:00:99, and those on record are 52:54:00:00:00:01/,
    );
    reported = [MAC.toUpperCase()];
    assert.equal(
      (await release(daemon, uuid, {})).body['evidence'],
      `its BMC reports the network card ${MAC}`,
    );
  });

  it('is released without evidence only on the operator’s word', async (t) => {
    const { daemon, uuid } = await startRestored(t);
    const { body } = await release(daemon, uuid, { unchecked: true });
    assert.match(String(body['evidence']), /operator vouches/);
  });
});

describe('a node that is handed over', () => {
  const TO = 'http://192.0.2.9:6385';
  const handOver = (daemon: InProcessDaemon, uuid: string) =>
    daemon.request('POST', `/v1/nodes/${uuid}/quarantine`, { body: { handed_to: TO } });

  it('is set aside: nothing reaches its machine, and DHCP leaves its network cards to the other service', async (t) => {
    const daemon = await startInProcess(t, { loops: true });
    const { uuid } = await daemon.createNode({ driver: 'lab' });
    const { uuid: other } = await daemon.createNode({ driver: 'lab' });
    await daemon.createPort(uuid, MAC);
    assert.equal((await handOver(daemon, uuid)).status, 204);
    assert.equal((await handOver(daemon, uuid)).status, 204, 'again');
    assert.throws(() => daemon.services.compose(daemon.node(uuid)), /Handed over to http:\/\/192\.0\.2\.9/);
    assert.ok(daemon.services.compose(daemon.node(other)));
    const { maintenance, maintenance_reason: reason } = daemon.node(uuid);
    assert.deepEqual(
      [maintenance, reason?.includes(TO), daemon.node(other).maintenance],
      [true, true, false],
    );
    const listed = (await daemon.request('GET', '/v1/quarantine')).body['quarantine'];
    assert.deepEqual(
      (listed as readonly { node_uuid: string; handed_to: string }[]).map((each) => [
        each.node_uuid,
        each.handed_to,
      ]),
      [[uuid, TO]],
    );
    const machine = knownMachines(daemon.services.db).byMac(MAC);
    const asked = {
      servesUnknown: () => true,
      awaitsReport: () => false,
      isForBmcs: () => true,
      loops: { isPaused: () => false },
    };
    assert.equal(
      reasonForSilence(asked, { mac: MAC, stage: 'os' } as Parameters<typeof reasonForSilence>[1], {
        machine,
        subnet: undefined,
      }),
      `its node was handed over to ${TO}`,
    );
    await daemon.request('POST', `/v1/nodes/${other}/quarantine`, { body: { handed_to: 'http://other' } });
    assert.equal(daemon.node(uuid).maintenance_reason, reason, 'each node keeps its own reason');
  });

  it('gets its earlier maintenance back on release, and can be deleted without a release', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({ driver: 'lab' });
    await daemon.request('PUT', `/v1/nodes/${uuid}/maintenance`, { body: { reason: 'fan' } });
    await handOver(daemon, uuid);
    const refused = await release(daemon, uuid, { serial: null });
    assert.match(
      refused.fault,
      /handed over to .*, which manages its machine\. Undo the move with .*--unchecked/,
    );
    assert.doesNotMatch(refused.fault, /--serial/);
    await release(daemon, uuid, { unchecked: true });
    const { maintenance, maintenance_reason } = daemon.node(uuid);
    assert.deepEqual([maintenance, maintenance_reason], [true, 'fan']);
    await handOver(daemon, uuid);
    assert.equal((await daemon.request('DELETE', `/v1/nodes/${uuid}`)).status, 204);
  });

  it('must have no work under way, and be in no other quarantine', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({ driver: 'lab' });
    daemon.services.db.nodes.update(uuid, {
      provision_state: 'clean wait',
      target_provision_state: 'available',
    });
    assert.equal((await handOver(daemon, uuid)).status, 409);
    assert.equal(daemon.services.db.quarantine.of(uuid), undefined);
    daemon.services.db.quarantine.addAll('2026-01-01T00:00:00+00:00', 'quarantine: restored.');
    assert.match((await handOver(daemon, uuid)).fault, /restored/);
  });
});

describe('a daemon that starts with an existing database', () => {
  it('acts on no machine if the database was last used at another path, because it may be a copy', async (t) => {
    const original = await startInProcess(t);
    const { uuid } = await original.createNode();
    const copy = mkdtempSync(join(fastDirectory(), 'copied-'));
    t.after(() => rmSync(copy, { recursive: true, force: true }));
    cpSync(original.stateDirectory, copy, { recursive: true, filter: (file) => !file.endsWith('.lock') });
    const second = await startInProcess(t, { stateDirectory: copy });
    assert.throws(
      () => second.services.compose(second.node(uuid)),
      /may be a copy of one that is still in use/,
    );
    assert.match(second.log(), /the database is a copy/);
    assert.ok(original.services.compose(original.node(uuid)));
    assert.deepEqual([generation(original), generation(second)], [1, 2]);
  });

  it('acts on the machines if the database was last used at the same path', async (t) => {
    const first = await startInProcess(t);
    const { uuid } = await first.createNode();
    await first.stop();
    const again = await startInProcess(t, { stateDirectory: first.stateDirectory });
    assert.ok(again.services.compose(again.node(uuid)));
  });
});
