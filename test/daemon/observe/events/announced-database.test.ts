import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

interface Notification {
  readonly event_type: string;
  readonly priority: string;
  readonly publisher_id: string;
  readonly payload: {
    readonly 'ironic_object.name': string;
    readonly 'ironic_object.version': string;
    readonly 'ironic_object.data': Readonly<Record<string, unknown>>;
  };
}

const eventsOf = ({ services }: InProcessDaemon): readonly Notification[] =>
  services.db.events.after(0, 1000).map(({ body }) => JSON.parse(body) as Notification);
const typesOf = (daemon: InProcessDaemon) => eventsOf(daemon).map(({ event_type }) => event_type);
const dataOf = (daemon: InProcessDaemon, type: string) =>
  eventsOf(daemon).findLast(({ event_type }) => event_type === type)?.payload['ironic_object.data'] ?? {};

const put = async (daemon: InProcessDaemon, path: string, body: object) => {
  const answer = await daemon.request('PUT', path, { body });
  assert.equal(answer.status, 202, answer.text);
  await daemon.idle();
};

describe('events of the database', () => {
  it('are Ironic’s notifications of what changed, in the order of the changes', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({ name: 'one' });
    await daemon.createPort(uuid, '52:54:00:12:34:56');
    await put(daemon, `/v1/nodes/${uuid}/states/provision`, { target: 'manage' });
    await put(daemon, `/v1/nodes/${uuid}/states/power`, { target: 'power on' });
    await put(daemon, `/v1/nodes/${uuid}/maintenance`, { reason: 'disk' });
    await daemon.request('PATCH', `/v1/nodes/${uuid}`, {
      body: [{ op: 'add', path: '/extra/rack', value: 'A' }],
    });
    await daemon.request('DELETE', `/v1/nodes/${uuid}`);
    assert.deepEqual(typesOf(daemon), [
      'baremetal.node.create.end',
      'baremetal.port.create.end',
      'baremetal.node.provision_set.start',
      'baremetal.node.provision_set.end',
      'baremetal.node.power_set.start',
      'baremetal.node.power_set.end',
      'baremetal.node.maintenance_set.end',
      'baremetal.node.update.end',
      'baremetal.node.delete.end',
    ]);
    const moved = dataOf(daemon, 'baremetal.node.provision_set.end');
    assert.deepEqual(
      [moved['event'], moved['previous_provision_state'], moved['provision_state']],
      ['done', 'verifying', 'manageable'],
    );
    assert.equal(dataOf(daemon, 'baremetal.node.power_set.start')['to_power'], 'power on');
    assert.deepEqual(dataOf(daemon, 'baremetal.node.update.end')['extra'], { rack: 'A' });
    const [first] = eventsOf(daemon);
    assert.equal(first?.publisher_id, 'ironic-edge.lab-host');
    assert.equal(first?.payload['ironic_object.name'], 'NodeCRUDPayload');
  });

  it('announce a new maintenance reason, and a new last_error without a change of state', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    await put(daemon, `/v1/nodes/${uuid}/maintenance`, { reason: 'disk' });
    await put(daemon, `/v1/nodes/${uuid}/maintenance`, { reason: 'fan' });
    assert.equal(dataOf(daemon, 'baremetal.node.maintenance_set.end')['maintenance_reason'], 'fan');
    daemon.services.db.nodes.update(uuid, { last_error: 'the BMC refuses' });
    assert.equal(dataOf(daemon, 'baremetal.node.update.end')['last_error'], 'the BMC refuses');
    await put(daemon, `/v1/nodes/${uuid}/states/provision`, { target: 'manage' });
    assert.deepEqual(typesOf(daemon), [
      'baremetal.node.create.end',
      'baremetal.node.maintenance_set.end',
      'baremetal.node.maintenance_set.end',
      'baremetal.node.update.end',
      'baremetal.node.provision_set.start',
      'baremetal.node.provision_set.end',
    ]);
  });

  it('announce a failure with priority error, and give the old power state when the recorded one is corrected', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({ driver: 'ipmi', driver_info: {} });
    await put(daemon, `/v1/nodes/${uuid}/states/provision`, { target: 'manage' });
    const failed = eventsOf(daemon).at(-1);
    assert.deepEqual([failed?.event_type, failed?.priority], ['baremetal.node.provision_set.error', 'error']);
    daemon.services.db.nodes.update(uuid, { power_state: 'power on' });
    daemon.services.db.nodes.update(uuid, { power_state: 'power off' });
    assert.equal(dataOf(daemon, 'baremetal.node.power_state_corrected.success')['from_power'], 'power on');
  });

  it('are rolled back with their change', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    const { db } = daemon.services;
    const before = typesOf(daemon).length;
    assert.throws(() =>
      db.transaction(() => {
        db.nodes.update(uuid, { maintenance: true });
        throw new Error('the rest fails');
      }),
    );
    assert.equal(typesOf(daemon).length, before);
  });

  it('hold no secret and no value of unbounded length', async (t) => {
    const daemon = await startInProcess(t);
    await daemon.createNode({
      driver_info: { ipmi_password: 'hunter2' },
      instance_info: { image_url: 'http://u:hunter2@x/', configdrive: 'hunter2' },
      extra: { long: 'x'.repeat(100_000) },
    });
    const [{ body } = { body: '' }] = daemon.services.db.events.after(0, 1);
    assert.doesNotMatch(body, /hunter2/);
    assert.ok(body.length < 10_000, `${body.length}`);
  });

  it('are not written for what clients do not see, such as heartbeats', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode();
    const before = typesOf(daemon).length;
    const seen = { agent_last_heartbeat: '2026-01-01T00:00:00' };
    daemon.services.db.nodes.update(uuid, { driver_internal_info: seen, updated_at: null });
    assert.equal(typesOf(daemon).length, before);
  });

  it('are kept up to the number that [events] keep sets, and at most 200 more', async (t) => {
    const daemon = await startInProcess(t, { ini: '[events]\nkeep = 1000\n' });
    const { uuid } = await daemon.createNode();
    const { db } = daemon.services;
    db.transaction(() => {
      for (let index = 0; index < 1500; index += 1) db.nodes.update(uuid, { maintenance: index % 2 === 0 });
    });
    const kept = db.events.after(0, 5000).length;
    assert.ok(kept >= 1000 && kept <= 1200, `${kept}`);
    assert.equal(db.events.newestId(), 1501);
  });

  it('never show the actions of a sensitive inspection rule', async (t) => {
    const daemon = await startInProcess(t);
    const actions = [{ op: 'api-call', args: { url: 'http://192.0.2.1/?key=hidden' } }];
    const body = { sensitive: true, actions };
    const { body: made } = await daemon.request('POST', '/v1/inspection_rules', { body });
    const rule = `/v1/inspection_rules/${made['uuid']}`;
    const patch = [{ op: 'replace', path: '/priority', value: 5 }];
    assert.equal((await daemon.request('PATCH', rule, { body: patch })).status, 200);
    assert.equal((await daemon.request('DELETE', rule)).status, 204);
    const stored = JSON.stringify(daemon.services.db.events.after(0, 100));
    assert.match(stored, /inspectionrule\.create.*inspectionrule\.update.*inspectionrule\.delete/);
    assert.doesNotMatch(stored, /hidden/);
  });

  it('announce each record that is removed together with others', async (t) => {
    const daemon = await startInProcess(t);
    for (const priority of [1, 2]) {
      const body = { priority, actions: [{ op: 'log', args: { msg: 'x' } }] };
      assert.equal((await daemon.request('POST', '/v1/inspection_rules', { body })).status, 201);
    }
    await daemon.request('DELETE', '/v1/inspection_rules');
    assert.deepEqual(typesOf(daemon).slice(-2), Array(2).fill('baremetal.inspectionrule.delete.end'));
  });
});
