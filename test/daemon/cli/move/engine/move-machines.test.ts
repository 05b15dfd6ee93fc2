import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { describe, it, type TestContext } from 'node:test';
import { type ApiClient, createApiClient } from '../../../../../daemon/cli/api-client.ts';
import { differences } from '../../../../../daemon/cli/move/engine/differences.ts';
import { connectIronic, readMachine } from '../../../../../daemon/cli/move/engine/ironic-service.ts';
import { Journal } from '../../../../../daemon/cli/move/engine/journal.ts';
import { moveMachine, type Moving, undoMove } from '../../../../../daemon/cli/move/engine/move-machines.ts';
import { planMove } from '../../../../../daemon/cli/move/engine/plan-move.ts';
import { offerOf } from '../../../../../daemon/cli/move/engine/receiver.ts';
import { ownDatabase } from '../../../../../daemon/cli/move/sources/own-database.ts';
import { isJsonObject } from '../../../../../daemon/model/json.ts';
import { enrolNode, startListening } from '../../../../fakes/daemon/listening-daemon.ts';

const environment = { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware' };

/**
 * Starts two daemons, `here` and `there`. `enrol` creates an active node at `here`, `run` returns what a move from `here` to
 * `there` needs, and `compared` returns the differences between the two nodes after a move.
 */
async function site(t: TestContext) {
  const here = await startListening(t, { environment });
  const there = await startListening(t, { environment });
  const folder = mkdtempSync(path.join(tmpdir(), 'move-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const journal = path.join(folder, 'moves', 'export.journal');
  const service = await connectIronic(there.url, {});
  const offer = await offerOf(service);
  /** Returns what a move needs. The move sends `requests` requests and is killed at the next one. */
  const run = async (requests: number): Promise<Moving> => {
    let left = requests;
    const live = () => {
      left -= 1;
      if (left < 0) throw new Error('killed');
    };
    const mortal = (api: ApiClient): ApiClient => ({
      ...api,
      async request(...given) {
        live();
        return api.request(...given);
      },
      async list(...given) {
        live();
        return api.list(...given);
      },
      async post(...given) {
        live();
        return api.post(...given);
      },
      follow: () => Promise.reject(new Error('a move must not call follow')),
    });
    const source = await ownDatabase({
      api: mortal(createApiClient({ OS_ENDPOINT: here.url })),
      path: path.join(here.stateDirectory, 'ironic-edge.sqlite'),
      to: there.url,
    });
    const receiver = { ...service, api: mortal(service.api), pause: () => setImmediate() };
    return { source, receiver, offer, journal: new Journal(journal, () => 0) };
  };
  const enrol = async (number: number) => {
    const uuid = await enrolNode(here.url, {
      driver: 'fake-hardware',
      name: `rack-${number}`,
      driver_info: { ipmi_password: 'secret' },
      resource_class: 'gold',
    });
    const api = createApiClient({ OS_ENDPOINT: here.url });
    const address = `52:54:00:00:00:${number.toString(16).padStart(2, '0')}`;
    const { uuid: portgroup_uuid } = await api.post('/v1/portgroups', {
      node_uuid: uuid,
      name: `bond-${number}`,
    });
    await api.post('/v1/ports', { node_uuid: uuid, address, portgroup_uuid: portgroup_uuid ?? null });
    await api.request('PUT', `/v1/nodes/${uuid}/traits`, { traits: ['CUSTOM_B', 'CUSTOM_A'] });
    here.services.db.nodes.update(uuid, { provision_state: 'active', power_state: 'power off' });
    await api.post('/v1/allocations', { name: `web-${number}`, resource_class: 'gold', node: uuid });
    here.services.db.nodes.update(uuid, { protected: true, protected_reason: 'in use' });
    return uuid;
  };
  const compared = async (uuid: string) => {
    const { source } = await run(Infinity);
    const plan = planMove(await source.read(uuid), offer);
    const machine = await readMachine(service, uuid);
    assert.ok(plan.kind === 'move' && machine !== undefined);
    const before = { maintenance: false, maintenance_reason: null };
    return differences(plan, machine, { minor: service.minor, isFinished: true, before });
  };
  return { here, there, run, enrol, compared, journal };
}

describe('a move that is killed', () => {
  it('is finished by a second run, or undone without a trace, whichever request was its last', async (t) => {
    const { here, there, run, enrol, compared } = await site(t);
    let killed = 0;
    for (let requests = 0; ; requests += 1) {
      const uuid = await enrol(requests);
      const first = await moveMachine(await run(requests), uuid, true).catch(() => undefined);
      if (first?.outcome === 'finished') break;
      killed += 1;
      const undone = requests % 2 === 1 ? await undoMove(await run(Infinity), uuid) : undefined;
      if (undone !== undefined && undone.outcome !== 'refused') {
        assert.equal(there.services.db.nodes.get(uuid), undefined, `killed after ${requests} requests`);
        assert.equal(here.services.db.quarantine.of(uuid), undefined);
        assert.equal(here.services.db.nodes.get(uuid)?.maintenance, false);
      } else {
        const second = await moveMachine(await run(Infinity), uuid, true);
        assert.deepEqual(
          [second.outcome, second.note],
          ['finished', ''],
          `killed after ${requests} requests`,
        );
        assert.deepEqual(await compared(uuid), []);
      }
    }
    assert.ok(killed > 20, String(killed));
  });

  it('leaves a journal that can be read and continued, even if its last line is incomplete', async (t) => {
    const { run, enrol, journal } = await site(t);
    const uuid = await enrol(1);
    await moveMachine(await run(6), uuid, true).catch(() => undefined);
    const whole = new Journal(journal, () => 0).of(uuid);
    assert.ok(whole.begun.size > 0);
    assert.equal(statSync(journal).mode & 0o777, 0o600);
    appendFileSync(journal, '{"machine":"');
    const again = new Journal(journal, () => 0);
    assert.deepEqual(again.of(uuid), whole);
    again.ends(uuid, 'undone');
    assert.equal(new Journal(journal, () => 0).of(uuid).before, undefined);
    assert.match(readFileSync(journal, 'utf8'), /"step":"undone"/);
  });
});

describe('a move', () => {
  it('is refused for a node that the receiver has and the journal does not record, and undo leaves that node alone', async (t) => {
    const { there, run, enrol } = await site(t);
    const uuid = await enrol(1);
    await enrolNode(there.url, { driver: 'fake-hardware', uuid });
    const { outcome, note } = await moveMachine(await run(Infinity), uuid, false);
    assert.equal(outcome, 'refused');
    assert.match(note, /has a node with this UUID, but the journal .* does not record its creation/);
    assert.equal((await undoMove(await run(Infinity), uuid)).outcome, 'unchanged');
    assert.ok(there.services.db.nodes.get(uuid));
  });

  it('fails when the receiver sees another power state than the source, and can then be undone', async (t) => {
    const { here, there, run, enrol } = await site(t);
    const uuid = await enrol(1);
    here.services.db.nodes.update(uuid, { power_state: 'power on' });
    const moving = await run(Infinity);
    const { api } = moving.receiver;
    const request: ApiClient['request'] = async (...given) => {
      const reply = await api.request(...given);
      return isJsonObject(reply.body) && 'power_state' in reply.body
        ? { ...reply, body: { ...reply.body, power_state: 'power off' } }
        : reply;
    };
    const receiver = { ...moving.receiver, api: { ...api, request } };
    const { outcome, note } = await moveMachine({ ...moving, receiver }, uuid, true);
    assert.equal(outcome, 'failed');
    assert.match(note, /^manage: .* sees power off, and ironic-edge last saw power on: check that the BMC/);
    assert.equal(there.services.db.nodes.get(uuid)?.maintenance, true);
    assert.equal((await undoMove(await run(Infinity), uuid)).outcome, 'undone');
    assert.equal(there.services.db.nodes.get(uuid), undefined);
  });

  it('fails for a node in quarantine after a restore, and undoing the move does not end the quarantine', async (t) => {
    const { here, run, enrol } = await site(t);
    const uuid = await enrol(1);
    here.services.db.quarantine.addAll('2026-01-01T00:00:00+00:00', 'quarantine: restored');
    assert.equal((await moveMachine(await run(Infinity), uuid, false)).outcome, 'failed');
    await undoMove(await run(Infinity), uuid);
    assert.equal(here.services.db.quarantine.of(uuid)?.handed_to, null);
  });

  it('can be undone after its preparation, even if the node is protected', async (t) => {
    const { here, there, run, enrol } = await site(t);
    const uuid = await enrol(1);
    assert.equal((await moveMachine(await run(Infinity), uuid, false)).outcome, 'prepared');
    assert.equal(there.services.db.nodes.get(uuid)?.protected, true);
    const { outcome, note } = await undoMove(await run(Infinity), uuid);
    assert.deepEqual([outcome, note], ['undone', '']);
    assert.equal(there.services.db.nodes.get(uuid), undefined);
    assert.equal(here.services.db.nodes.get(uuid)?.protected, true);
  });

  it('puts a node in state "clean failed" into maintenance at the receiver, with the error in the reason', async (t) => {
    const { here, there, run } = await site(t);
    const uuid = await enrolNode(here.url, { driver: 'fake-hardware' });
    here.services.db.nodes.update(uuid, { provision_state: 'clean failed', last_error: 'no space left' });
    assert.equal((await moveMachine(await run(Infinity), uuid, true)).outcome, 'finished');
    const { maintenance, maintenance_reason: reason } = there.services.db.nodes.get(uuid) ?? {};
    assert.equal(maintenance, true);
    assert.match(reason ?? '', /^was in state "clean failed" at ironic-edge: no space left$/);
  });

  it('neither cleans an available machine nor switches Secure Boot on while it adopts one in use', async (t) => {
    const { here, there, run, enrol } = await site(t);
    const capabilities = { secure_boot: 'true', boot_option: 'local' };
    const used = await enrol(1);
    here.services.db.nodes.update(used, { instance_info: { capabilities } });
    const idle = await enrolNode(here.url, { driver: 'fake-hardware' });
    here.services.db.nodes.update(idle, { provision_state: 'available' });
    const moving = await run(Infinity);
    const { api } = moving.receiver;
    const asked: unknown[] = [];
    const request: ApiClient['request'] = (...given) => {
      const [, , body] = given;
      const verb = isJsonObject(body) ? body['target'] : undefined;
      if (verb === 'adopt') asked.push(there.services.db.nodes.get(used)?.instance_info['capabilities']);
      if (verb === 'provide') asked.push(there.services.db.nodes.get(idle)?.automated_clean);
      return api.request(...given);
    };
    const receiver = { ...moving.receiver, api: { ...api, request } };
    for (const uuid of [used, idle])
      assert.equal((await moveMachine({ ...moving, receiver }, uuid, true)).outcome, 'finished');
    assert.deepEqual(asked, [{ boot_option: 'local' }, false]);
    assert.deepEqual(there.services.db.nodes.get(used)?.instance_info['capabilities'], capabilities);
    assert.equal(there.services.db.nodes.get(idle)?.automated_clean, null);
  });
});
