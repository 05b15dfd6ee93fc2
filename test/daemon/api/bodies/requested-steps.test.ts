// The steps that a provision request accepts.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import {
  checkedDeploySteps,
  checkedRequestedSteps,
  refuseDisallowed,
} from '../../../../daemon/api/bodies/requested-steps.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { throwsFault } from '../../../fakes/faults.ts';

const CHILD = '0b7c0a1e-52a3-4c0e-8d3b-94a4b3f0a7c2';
const step = { interface: 'raid', step: 'delete_configuration' };
const deployStep = { ...step, args: {}, priority: 5 };
const raw = { interface: 'vendor', step: 'send_raw' };

const limitedTo = (uuid: string) => [
  { ...step, execute_on_child_nodes: true, limit_child_node_execution: [uuid] },
];

suite('requested steps', async () => {
  const ini = '[api]\ndisallow_service_steps = bios.factory_reset,power.power_off\n';
  const session = await startInProcess({ after }, { ini });
  const { services } = session;
  before(async () => {
    const body = { uuid: CHILD, driver: 'fake-hardware' };
    assert.equal((await session.request('POST', '/v1/nodes', { body })).status, 201);
  });

  test('clean and service steps keep their sequence, and the field order becomes a number', () => {
    const given = [
      { ...step, args: { a: 1 }, order: '2' },
      { interface: 'power', step: 'reboot' },
    ];
    for (const name of ['clean_steps', 'service_steps'] as const) {
      assert.deepEqual(checkedRequestedSteps(services, name, given), [{ ...given[0], order: 2 }, given[1]]);
    }
  });

  test('deploy steps keep their sequence, and the field priority becomes a number', () => {
    const given = [deployStep, { ...deployStep, step: 'x', priority: '007' }];
    assert.deepEqual(checkedDeploySteps(services, given), [deployStep, { ...given[1], priority: 7 }]);
  });

  test('a malformed clean or service step is refused', () => {
    const broken: readonly object[] = [
      { interface: undefined },
      { step: undefined },
      { interface: 'network' },
      { step: '' },
      { args: 'x' },
      { order: -1 },
      { order: 'x' },
      { execute_on_child_nodes: 'yes' },
      { limit_child_node_execution: 'x' },
      { limit_child_node_execution: [5] },
      { priority: 1 },
    ];
    for (const name of ['clean_steps', 'service_steps'] as const) {
      for (const part of broken) {
        const given = JSON.parse(JSON.stringify([step, { ...step, ...part }])) as object[];
        throwsFault(() => checkedRequestedSteps(services, name, given), 400, new RegExp(`error for ${name}`));
      }
      throwsFault(() => checkedRequestedSteps(services, name, ['raid.x']), 400, /is not of type object/);
    }
  });

  test('a deploy step requires interface, step, args and priority, and allows no other field', () => {
    for (const part of ['interface', 'step', 'args', 'priority'] as const) {
      const { [part]: _, ...rest } = deployStep;
      throwsFault(
        () => checkedDeploySteps(services, [rest]),
        400,
        new RegExp(`'${part}' is a required property`),
      );
    }
    throwsFault(
      () => checkedDeploySteps(services, [{ ...deployStep, order: 1 }]),
      400,
      /'order' was unexpected/,
    );
  });

  const check = (uuid: string) => () => checkedRequestedSteps(services, 'clean_steps', limitedTo(uuid));

  test('limit_child_node_execution must name existing nodes by UUID', () => {
    for (const spelling of [CHILD, CHILD.toUpperCase(), CHILD.replaceAll('-', '')])
      assert.deepEqual(check(spelling)(), limitedTo(CHILD));
    throwsFault(check('x'), 400, /Expected a UUID but received x/);
    const missing = CHILD.replace('0', '1');
    throwsFault(check(missing), 404, new RegExp(`Node ${missing} could not be found`));
  });

  test('vendor.send_raw is disallowed by default in clean and deploy steps', () => {
    throwsFault(
      () => checkedRequestedSteps(services, 'clean_steps', [step, raw]),
      400,
      /send_raw is not allowed/,
    );
    const deployed = { ...raw, args: {}, priority: 1 };
    throwsFault(() => checkedDeploySteps(services, [deployed]), 400, /\[api\] disallow_deploy_steps/);
    assert.deepEqual(checkedRequestedSteps(services, 'service_steps', [raw]), [raw]);
  });

  test('disallow_service_steps disallows steps by interface and name', () => {
    const reset = { interface: 'bios', step: 'factory_reset' };
    const reason = /bios\.factory_reset is not allowed in service_steps \(\[api\] disallow_service_steps\)/;
    throwsFault(() => refuseDisallowed(services, 'service_steps', [step, reset]), 400, reason);
    refuseDisallowed(services, 'clean_steps', [reset]);
    refuseDisallowed(services, 'service_steps', [{ ...reset, interface: 'raid' }]);
  });
});
