// The arguments of PUT /v1/nodes/{node}/states/provision.
import assert from 'node:assert/strict';
import { after, before, beforeEach, suite, test } from 'node:test';
import {
  type AskedOfNode,
  checkedRequest,
  provisionArguments,
} from '../../../../daemon/api/bodies/provision-arguments.ts';
import type { ProvisionState } from '../../../../daemon/model/states/provision-states.ts';
import type { ProvisionVerb } from '../../../../daemon/model/states/verbs.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const NODE = '8f4d2f0e-6d1c-4e63-9a83-66ce7e3a1b11';
const MISSING = '0b7c0a1e-52a3-4c0e-8d3b-94a4b3f0a7c2';
const step = { interface: 'raid', step: 'delete_configuration' };
const deployStep = { ...step, args: {}, priority: 5 };

/** The provision state in which each verb is tested; verbs that are missing here are tested in manageable. */
const from: Readonly<Partial<Record<ProvisionVerb, ProvisionState>>> = {
  active: 'available',
  deploy: 'available',
  rebuild: 'active',
  service: 'active',
  rescue: 'active',
  unhold: 'clean hold',
  manage: 'available',
};

interface Refusal {
  readonly target: string;
  readonly status: number;
  readonly reason: RegExp;
  readonly version?: number;
  readonly state?: ProvisionState;
  readonly [argument: string]: unknown;
}

suite('arguments of a provision request', async () => {
  const session = await startInProcess({ after });
  before(async () => {
    const body = { uuid: NODE, driver: 'fake-hardware' };
    assert.equal((await session.request('POST', '/v1/nodes', { body })).status, 201);
  });
  beforeEach(() => {
    session.services.db.runbooks.clear();
    session.services.db.nodes.update(NODE, { traits: [], maintenance: false });
  });

  const put = (body: object, version = 115, node = NODE) =>
    session.request('PUT', `/v1/nodes/${node}/states/provision`, { body, version });

  const refuses = async ({ status, reason, version, state, ...body }: Refusal) => {
    const target = body.target as ProvisionVerb;
    session.services.db.nodes.update(NODE, { provision_state: state ?? from[target] ?? 'manageable' });
    const reply = await put(body, version);
    const said = `${JSON.stringify(body)} at ${version}: ${reply.fault}`;
    assert.equal(reply.status, status, said);
    assert.match(reply.fault, reason, said);
    assert.equal(session.services.db.nodes.get(NODE)?.target_provision_state, null, said);
  };

  /** The request that the conductor receives. */
  const checked = (verb: ProvisionVerb, body: object, minor = 115) => {
    const { services } = session;
    services.db.nodes.update(NODE, { provision_state: from[verb] ?? 'manageable' });
    const node = services.db.nodes.get(NODE) as AskedOfNode['node'];
    const given = provisionArguments({ target: verb, ...body });
    return checkedRequest({ services, minor, node, verb, given });
  };

  /** Creates the runbook CUSTOM_BOOK, with the trait CUSTOM_A. */
  const runbook = async (fields: object = {}) => {
    const body = { name: 'CUSTOM_BOOK', steps: [{ ...step, order: 1 }], ...fields };
    assert.equal((await session.request('POST', '/v1/runbooks', { body })).status, 201);
    assert.equal((await session.request('PUT', '/v1/runbooks/CUSTOM_BOOK/traits/CUSTOM_A')).status, 204);
  };

  test('a request without arguments has no steps, no config drive and no password', () => {
    assert.deepEqual(checked('manage', {}), {
      verb: 'manage',
      configdrive: null,
      image: null,
      disableRamdisk: false,
      steps: [],
      deploySteps: [],
      rescuePassword: null,
    });
  });

  test('null, an empty list of steps and an empty config drive count as no argument', () => {
    const nothing = {
      configdrive: {},
      clean_steps: [],
      deploy_steps: [],
      service_steps: null,
      rescue_password: null,
      disable_ramdisk: null,
      runbook: null,
    };
    assert.deepEqual(checked('manage', nothing, 4), checked('manage', {}));
    assert.equal(checked('manage', { configdrive: '' }).configdrive, null);
  });

  test('an argument of the wrong type, a missing target or an unknown argument is refused', async () => {
    for (const [name, value] of [
      ['configdrive', 5],
      ['configdrive', false],
      ['configdrive', []],
      ['clean_steps', {}],
      ['deploy_steps', 'x'],
      ['service_steps', 5],
      ['rescue_password', 5],
      ['disable_ramdisk', 'maybe'],
      ['runbook', []],
    ] as const) {
      await refuses({
        target: 'active',
        [name]: value,
        status: 400,
        reason: new RegExp(`Invalid input for ${name}: `),
      });
    }
    const missing = await put({ clean_steps: [step] });
    assert.match(missing.fault, /Missing mandatory parameter: target/);
    await refuses({ target: 'active', foo: 1, status: 400, reason: /Unexpected arguments: foo/ });
  });

  test('the node is checked first, then the version of the verb, then the state', async () => {
    assert.equal((await put({ target: 'clean' }, 14, MISSING)).status, 404);
    await refuses({ target: 'clean', version: 14, state: 'enroll', status: 406, reason: /1\.15/ });
    await refuses({ target: 'clean', state: 'enroll', status: 400, reason: /while it is in state "enroll"/ });
    await refuses({ target: 'melt', status: 400, reason: /"melt" was not understood/ });
  });

  test('unhold and service check the state before the version', async () => {
    for (const [target, minor] of [
      ['unhold', 85],
      ['service', 87],
    ] as const) {
      const version = minor - 1;
      await refuses({ target, version, state: 'manageable', status: 400, reason: /in state "manageable"/ });
      await refuses({ target, version, status: 406, reason: new RegExp(`1\\.${minor}`) });
    }
  });

  test('abort in inspect wait and wait call-back checks the arguments before the version', async () => {
    for (const [state, minor] of [
      ['inspect wait', 41],
      ['wait call-back', 110],
    ] as const) {
      const abort = { target: 'abort', version: minor - 1, state };
      await refuses({ ...abort, status: 406, reason: new RegExp(`1\\.${minor}`) });
      await refuses({ ...abort, rescue_password: 'x', status: 400, reason: /only valid with target rescue/ });
    }
  });

  test('active and rebuild check maintenance before the state and the arguments', async () => {
    session.services.db.nodes.update(NODE, { maintenance: true });
    for (const target of ['active', 'rebuild']) {
      await refuses({ target, state: 'enroll', runbook: 'x', status: 400, reason: /in maintenance mode/ });
    }
    await refuses({ target: 'clean', runbook: 'x', status: 404, reason: /Runbook x could not be found/ });
    await refuses({ target: 'clean', clean_steps: [step], status: 400, reason: /in maintenance mode/ });
  });

  test('a verb that the state forbids returns 409 while the node is locked, otherwise 400', async () => {
    const release = session.services.locks.tryAcquire(NODE);
    await refuses({ target: 'adopt', state: 'enroll', status: 409, reason: /is locked by host/ });
    release?.();
    await refuses({ target: 'adopt', state: 'enroll', status: 400, reason: /in state "enroll"/ });
  });

  test('clean and service require steps or a runbook', async () => {
    for (const verb of ['clean', 'service'] as const) {
      const reason = new RegExp(`Missing mandatory parameter: ${verb}_steps or runbook`);
      await refuses({ target: verb, status: 400, reason });
      await refuses({ target: verb, [`${verb}_steps`]: [], status: 400, reason });
      const steps = [
        { ...step, args: { a: 1 }, order: '2' },
        { interface: 'power', step: 'reboot' },
      ];
      assert.deepEqual(checked(verb, { [`${verb}_steps`]: steps }).steps, [
        { ...step, args: { a: 1 }, order: 2 },
        { interface: 'power', step: 'reboot' },
      ]);
    }
  });

  test('clean_steps, service_steps and deploy_steps are valid only with their own verbs', async () => {
    await refuses({
      target: 'manage',
      clean_steps: [step],
      status: 400,
      reason: /only valid with target clean/,
    });
    await refuses({ target: 'service', clean_steps: [step], status: 400, reason: /target clean/ });
    await refuses({ target: 'clean', service_steps: [step], status: 400, reason: /target service/ });
    for (const target of ['clean', 'deploy', 'manage']) {
      const deploy_steps = [deployStep];
      await refuses({
        target,
        deploy_steps,
        status: 400,
        reason: /only valid with target active or rebuild/,
      });
    }
  });

  test('deploy_steps is accepted since 1.69', async () => {
    assert.deepEqual(
      checked('active', { deploy_steps: [{ ...deployStep, priority: '7' }] }, 69).deploySteps,
      [{ ...deployStep, priority: 7 }],
    );
    assert.deepEqual(checked('rebuild', { deploy_steps: [deployStep] }).deploySteps, [deployStep]);
    for (const target of ['active', 'manage']) {
      await refuses({ target, deploy_steps: [deployStep], version: 68, status: 406, reason: /1\.69/ });
    }
  });

  test('disable_ramdisk is accepted with clean since 1.70 and with service since 1.108', async () => {
    for (const [target, minor] of [
      ['clean', 70],
      ['service', 108],
    ] as const) {
      const body = { [`${target}_steps`]: [step], disable_ramdisk: true };
      assert.equal(checked(target, body, minor).disableRamdisk, true);
      const reason = new RegExp(`1\\.${minor}`);
      await refuses({ target, ...body, version: minor - 1, status: 406, reason });
    }
    const refused = {
      disable_ramdisk: false,
      status: 400,
      reason: /only valid with target clean or service/,
    };
    for (const target of ['active', 'manage']) await refuses({ ...refused, target });
  });

  test('rescue requires a nonblank rescue_password, and manage refuses one', async () => {
    assert.equal(checked('rescue', { rescue_password: ' x ' }).rescuePassword, ' x ');
    for (const rescue_password of [undefined, '', '  ']) {
      await refuses({ target: 'rescue', rescue_password, status: 400, reason: /parameter: rescue_password/ });
    }
    for (const rescue_password of ['x', '']) {
      await refuses({ target: 'manage', rescue_password, status: 400, reason: /with target rescue/ });
    }
  });

  test('a runbook supplies its steps sorted by order, and its disable_ramdisk overrides that of the request', async () => {
    const steps = [
      { ...step, order: 10 },
      { interface: 'bios', step: 'apply_configuration', args: { a: 1 }, order: '9' },
    ];
    await runbook({ steps, disable_ramdisk: true });
    session.services.db.nodes.update(NODE, { traits: ['CUSTOM_B', 'CUSTOM_A'] });
    const request = checked('clean', { runbook: 'CUSTOM_BOOK', disable_ramdisk: false });
    assert.deepEqual(request.steps, [{ ...steps[1], order: 9 }, steps[0]]);
    assert.equal(request.disableRamdisk, true);
    const { uuid } = session.services.db.runbooks.findBy('name', 'CUSTOM_BOOK') ?? { uuid: '' };
    assert.deepEqual(checked('service', { runbook: uuid }).steps, request.steps);
  });

  test('runbook is accepted since 1.92, with clean and service only, and not with steps', async () => {
    await refuses({ target: 'clean', runbook: 'x', version: 91, status: 406, reason: /1\.92/ });
    await refuses({ target: 'manage', runbook: 'x', version: 91, status: 406, reason: /1\.92/ });
    await refuses({ target: 'manage', runbook: 'x', status: 400, reason: /target clean or service/ });
    for (const steps of ['clean_steps', 'service_steps']) {
      await refuses({ target: 'clean', runbook: 'x', [steps]: [step], status: 400, reason: /not both/ });
    }
    await refuses({ target: 'clean', runbook: 'x', status: 404, reason: /Runbook x could not be found/ });
    await runbook();
    await refuses({ target: 'clean', runbook: 'CUSTOM_BOOK', status: 400, reason: /is not approved/ });
  });

  test('a config drive is refused with deploy, and it is checked before the runbook', async () => {
    assert.equal(checked('active', { configdrive: 'QUJD' }).configdrive, 'QUJD');
    await refuses({ target: 'deploy', configdrive: 'QUJD', status: 400, reason: /with target active/ });
    await refuses({ target: 'active', configdrive: '?', runbook: 'x', status: 400, reason: /base64/ });
  });

  test('a disallowed step is refused, from the request and from a runbook', async () => {
    const raw = { interface: 'vendor', step: 'send_raw' };
    const reason = /vendor\.send_raw is not allowed in clean_steps/;
    await refuses({ target: 'clean', clean_steps: [step, raw], status: 400, reason });
    await runbook({ steps: [{ ...raw, order: 1 }] });
    session.services.db.nodes.update(NODE, { traits: ['CUSTOM_A'] });
    await refuses({ target: 'clean', runbook: 'CUSTOM_BOOK', status: 400, reason });
  });

  test('arguments are checked in a fixed order, and the schema of the steps comes last', async () => {
    const clean_steps = ['x'];
    const wrong = { configdrive: 'QUJD', runbook: 'x', disable_ramdisk: true, rescue_password: 'x' };
    const order = [
      [{}, /configdrive/],
      [{ configdrive: undefined }, /runbook/],
      [{ runbook: undefined }, /disable_ramdisk/],
      [{ disable_ramdisk: undefined, clean_steps }, /clean_steps/],
    ] as const;
    let body: object = wrong;
    for (const [without, reason] of order) {
      body = { ...body, ...without };
      await refuses({ target: 'manage', ...body, status: 400, reason });
    }
    const clean = { target: 'clean', clean_steps, status: 400 };
    await refuses({ ...clean, rescue_password: 'x', reason: /rescue_password/ });
    await refuses({ ...clean, reason: /Schema error/ });
  });

  test('arguments are accepted in the query', async () => {
    session.services.db.nodes.update(NODE, { provision_state: 'manageable' });
    const path = `/v1/nodes/${NODE}/states/provision?target=clean&runbook=x`;
    const reply = await session.request('PUT', path);
    assert.equal(reply.status, 404);
    assert.equal(reply.fault, 'Runbook x could not be found.');
  });
});
