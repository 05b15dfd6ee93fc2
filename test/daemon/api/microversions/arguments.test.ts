import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import type { ProvisionState } from '../../../../daemon/model/states/provision-states.ts';
import { NODE, PORT, PORTGROUP, startPopulated } from '../../../fakes/daemon/populated-api.ts';

const NOTHING = '00000000-0000-4000-8000-0000000000ff';
const N = `/v1/nodes/${NODE}`;
const versions = Array.from({ length: 115 }, (_, at) => at + 1);
const api = await startPopulated({ after });

type Judged = readonly [
  since: number,
  below: number,
  method: string,
  path: string,
  body: unknown,
  state?: ProvisionState,
];

const provision = `${N}/states/provision`;
const power = `${N}/states/power`;
const port = { address: '52:54:00:00:00:66', node_uuid: NOTHING };
const wired = (local_link_connection: object) => ({ ...port, local_link_connection });
const heartbeat = { callback_url: 'nonsense', agent_token: 't' };

// from the API reference: arguments, values and verbs that are newer than their endpoint
const judged: readonly Judged[] = [
  [4, 406, 'PUT', provision, { target: 'manage' }, 'active'],
  [4, 406, 'PUT', provision, { target: 'provide' }, 'active'],
  [6, 406, 'PUT', provision, { target: 'inspect' }, 'active'],
  [13, 406, 'PUT', provision, { target: 'abort' }, 'active'],
  [15, 406, 'PUT', provision, { target: 'clean' }, 'active'],
  [17, 406, 'PUT', provision, { target: 'adopt' }, 'active'],
  [38, 406, 'PUT', provision, { target: 'rescue' }, 'manageable'],
  [38, 406, 'PUT', provision, { target: 'unrescue' }, 'manageable'],
  [73, 406, 'PUT', provision, { target: 'deploy' }, 'manageable'],
  [87, 406, 'PUT', provision, { target: 'service' }, 'active'],
  [15, 406, 'PUT', provision, { target: 'clean', clean_steps: [{}] }, 'manageable'],
  [69, 406, 'PUT', provision, { target: 'active', deploy_steps: [{}] }, 'available'],
  [70, 406, 'PUT', provision, { target: 'clean', clean_steps: [{}], disable_ramdisk: true }, 'manageable'],
  [108, 406, 'PUT', provision, { target: 'service', service_steps: [{}], disable_ramdisk: true }, 'active'],
  [92, 406, 'PUT', provision, { target: 'clean', runbook: 'none' }, 'manageable'],
  [27, 406, 'PUT', power, { target: 'soft power off', timeout: 0 }],
  [27, 406, 'PUT', power, { target: 'power on', timeout: 0 }],
  [5, 406, 'POST', '/v1/nodes', { driver: 'none', name: 'x' }],
  [
    25,
    406,
    'PATCH',
    N,
    [
      { op: 'remove', path: '/chassis_uuid' },
      { op: 'remove', path: '/extra/none' },
    ],
  ],
  [94, 406, 'POST', '/v1/ports', { address: 'x', node_ident: 'none' }],
  [64, 406, 'POST', '/v1/ports', wired({ network_type: 'unmanaged' })],
  [58, 400, 'POST', '/v1/allocations', { node: 'machine', resource_class: 'other' }],
  [36, 400, 'POST', `/v1/heartbeat/${NODE}`, { ...heartbeat, agent_version: '1' }],
  [68, 400, 'POST', `/v1/heartbeat/${NODE}`, { ...heartbeat, agent_verify_ca: 'x' }],
  [72, 400, 'POST', `/v1/heartbeat/${NODE}`, { ...heartbeat, agent_status: 'start' }],
  [72, 400, 'POST', `/v1/heartbeat/${NODE}`, { ...heartbeat, agent_status_message: 'x' }],
];

const isTooOld = ({ status, fault }: { status: number; fault: string }): boolean =>
  status === 406 || /Unexpected arguments: agent|since API 1\./.test(fault);

for (const [since, below, method, path, body, state] of judged) {
  test(`${method} ${path.split('/').at(-1)} ${JSON.stringify(body)} needs 1.${since}`, async () => {
    const first = path.includes('heartbeat') ? 22 : path.includes('allocations') ? 52 : 1;
    for (const version of versions.slice(first - 1)) {
      api.services.db.nodes.update(NODE, { provision_state: state ?? 'manageable' });
      const answer = await api.request(method, path, { version, body });
      const which = `1.${version} ${answer.status} ${answer.fault}`;
      assert.equal(isTooOld(answer), version < since, which);
      if (version < since) assert.equal(answer.status, below, which);
      assert.ok(answer.status >= 400, which);
    }
    api.services.db.nodes.update(NODE, { provision_state: 'manageable' });
  });
}

test('abort needs 1.41 in inspect wait and 1.110 in wait call-back, and unhold needs 1.85', async () => {
  const abort = async (state: ProvisionState, version: number) => {
    api.services.db.nodes.update(NODE, { provision_state: state, target_provision_state: 'manageable' });
    const { status } = await api.request('PUT', provision, { version, body: { target: 'abort' } });
    await api.services.workers.idle();
    return status;
  };
  for (const version of versions) {
    assert.equal((await abort('inspect wait', version)) === 406, version < 41, `1.${version}`);
    assert.equal((await abort('wait call-back', version)) === 406, version < 110, `1.${version}`);
    api.services.db.nodes.update(NODE, { provision_state: 'clean hold' });
    const { status } = await api.request('PUT', provision, { version, body: { target: 'unhold' } });
    assert.equal(status === 406, version < 85, `unhold 1.${version}`);
  }
  api.services.db.nodes.update(NODE, { provision_state: 'manageable', target_provision_state: null });
});

test('configdrive with rebuild needs 1.35, an object 1.56 and vendor_data 1.59', async () => {
  const cases = [
    ['rebuild', 'aGk=', 35],
    ['active', { meta_data: {} }, 56],
    ['active', { vendor_data: {} }, 59],
  ] as const;
  for (const [target, configdrive, since] of cases) {
    for (const version of versions) {
      const state = target === 'active' ? 'available' : 'active';
      api.services.db.nodes.update(NODE, { provision_state: state });
      const { fault } = await api.request('PUT', provision, { version, body: { target, configdrive } });
      assert.equal(
        /Invalid input for configdrive/.test(fault),
        version < since,
        `${target} 1.${version} ${fault}`,
      );
    }
  }
  api.services.db.nodes.update(NODE, { provision_state: 'manageable' });
});

test('vtep keys of a port are accepted and shown from 1.90 to 1.104 only', async () => {
  const connection = { port_id: 'p', 'vtep-logical-switch': 'l', 'vtep-physical-switch': 's' };
  for (const version of versions) {
    const known = version >= 90 && version <= 104;
    const { status } = await api.request('POST', '/v1/ports', { version, body: wired(connection) });
    assert.equal(status, known ? 400 : 406, `1.${version}`);
    api.services.db.ports.update(PORT, { local_link_connection: connection });
    if (version < 19) continue;
    const { body } = await api.request('GET', `/v1/ports/${PORT}`, { version });
    assert.deepEqual(body['local_link_connection'], known ? connection : {}, `1.${version}`);
  }
  api.services.db.ports.update(PORT, { local_link_connection: {} });
});

test('a new node is available before 1.11, shown as null before 1.2, and enroll since 1.11', async () => {
  for (const version of versions) {
    const { body } = await api.request('POST', '/v1/nodes', { version, body: { driver: 'fake-hardware' } });
    const expected = version >= 11 ? 'enroll' : version >= 2 ? 'available' : null;
    assert.equal(body['provision_state'], expected, `1.${version}`);
  }
});

test('inspect wait is shown as inspecting before 1.39, and PATCH in state inspecting returns 409 since 1.39', async () => {
  for (const version of versions) {
    api.services.db.nodes.update(NODE, { provision_state: 'inspect wait' });
    for (const path of [N, `${N}/states`]) {
      const { body } = await api.request('GET', path, { version });
      assert.equal(body['provision_state'], version < 39 ? 'inspecting' : 'inspect wait', `1.${version}`);
    }
    api.services.db.nodes.update(NODE, { provision_state: 'inspecting' });
    const body = [{ op: 'add', path: '/extra/version', value: version }];
    for (const path of [N, `/v1/ports/${PORT}`, ...(version < 23 ? [] : [`/v1/portgroups/${PORTGROUP}`])]) {
      const { status } = await api.request('PATCH', path, { version, body });
      assert.equal(status, version < 39 ? 200 : 409, `${path} 1.${version}`);
    }
  }
  api.services.db.nodes.update(NODE, { provision_state: 'manageable' });
});

test('a node is found by name since 1.5, and by any logical name since 1.10', async () => {
  api.services.db.nodes.update(NODE, { name: 'Rack_1' });
  for (const version of versions) {
    const { status } = await api.request('GET', '/v1/nodes/Rack_1', { version });
    assert.equal(status, version < 10 ? 400 : 200, `1.${version}`);
  }
  api.services.db.nodes.update(NODE, { name: 'machine' });
  for (const version of versions) {
    const { status } = await api.request('GET', '/v1/nodes/machine', { version });
    assert.equal(status, version < 5 ? 404 : 200, `1.${version}`);
  }
});

test('a VIF may name both a port and a portgroup before 1.67 only', async () => {
  const body = { id: 'vif', port_uuid: PORT, portgroup_uuid: PORTGROUP };
  for (const version of versions.slice(27)) {
    const { status } = await api.request('POST', `${N}/vifs`, { version, body });
    assert.equal(status, version < 67 ? 204 : 400, `1.${version}`);
    if (status === 204) await api.request('DELETE', `${N}/vifs/vif`);
  }
});

test('the name of a runbook must be a trait before 1.112', async () => {
  const steps = [{ interface: 'bios', step: 'x', order: 1 }];
  for (const version of versions.slice(91)) {
    const invalid = await api.request('POST', '/v1/runbooks', { version, body: { name: 'a b', steps } });
    assert.equal(invalid.fault.includes('it must be a trait'), version < 112, `1.${version}`);
    assert.match(invalid.fault, /invalid name/);
    const logical = await api.request('POST', '/v1/runbooks', {
      version,
      body: { name: `r${version}`, steps },
    });
    assert.equal(logical.status, version < 112 ? 400 : 201, `1.${version}`);
  }
});

test('lookup returns an agent token since 1.62', async () => {
  api.services.db.nodes.update(NODE, { provision_state: 'inspect wait', driver_internal_info: {} });
  for (const version of versions.slice(21)) {
    const { body } = await api.request('GET', `/v1/lookup?node_uuid=${NODE}`, { version });
    const { agent_token } = body['config'] as { agent_token: string | null };
    assert.equal(agent_token === null, version < 62, `1.${version}`);
  }
});
