import assert from 'node:assert/strict';
import { test } from 'node:test';
import { allowedDifferences, carriedFields } from '../../../../../daemon/cli/move/engine/carried-fields.ts';
import { differences } from '../../../../../daemon/cli/move/engine/differences.ts';
import type { MovedMachine } from '../../../../../daemon/cli/move/engine/machine.ts';
import { type Offer, planMove } from '../../../../../daemon/cli/move/engine/plan-move.ts';
import { initialNode, type Node, nodeFields } from '../../../../../daemon/model/records/node.ts';
import { provisionStates } from '../../../../../daemon/model/states/provision-states.ts';

const machineWith = (node: Partial<Node>): MovedMachine => ({
  node: initialNode({ uuid: 'u', driver: 'ipmi', provision_state: 'active', ...node }),
  ports: [],
  portgroups: [],
  volumeConnectors: [],
  volumeTargets: [],
  allocation: undefined,
  chassis: undefined,
});
const offer: Offer = {
  minor: 82,
  drivers: new Map([['ipmi', { console_interface: ['no-console'] }]]),
};

test('the provision state of a machine decides the steps of its move, or that the move is refused', () => {
  const moves = provisionStates.flatMap((provision_state) => {
    const plan = planMove(machineWith({ provision_state }), offer);
    return plan.kind === 'move'
      ? [[provision_state, plan.arrival, [...plan.prepare, ...plan.finish].join(' ')]]
      : [];
  });
  const managed = 'set aside create parts manage instance settle';
  assert.deepEqual(moves, [
    ['enroll', 'unknown', 'set aside create parts instance settle hand over'],
    ['manageable', 'idle', `${managed} hand over`],
    ['available', 'available', `${managed} provide hand over`],
    ['clean failed', 'failed', `${managed} hand over`],
    ['inspect failed', 'failed', `${managed} hand over`],
    ['adopt failed', 'failed', `${managed} hand over`],
    ['active', 'in use', 'set aside create parts manage instance adopt settle hand over'],
  ]);
  const later = planMove(machineWith({ provision_state: 'a state of 2030' as 'active' }), offer);
  assert.equal(later.kind, 'refuse');
});

test('what the receiver lacks is replaced or left out with a warning, and a hardware type without a substitute is refused', () => {
  const plan = planMove(
    machineWith({ driver: 'intel-ipmi', console_interface: 'ipmitool-socat', disable_power_off: true }),
    offer,
  );
  assert.ok(plan.kind === 'move');
  assert.deepEqual([plan.machine.node.driver, plan.machine.node.console_interface], ['ipmi', null]);
  assert.deepEqual(plan.warnings, [
    'hardware type ipmi in place of intel-ipmi',
    'console_interface becomes the default: ipmitool-socat is not enabled there',
    'disable_power_off is not moved: the receiving service knows the API only up to 1.82',
  ]);
  const refused = planMove(machineWith({ driver: 'simulated' }), offer);
  assert.match(
    refused.kind === 'refuse' ? refused.reason : '',
    /no hardware type simulated: enable it there/,
  );
});

test('every field of a node is carried over, compared, or listed with the reason why it may differ', () => {
  const compared = [
    'traits',
    'provision_state',
    'maintenance',
    'maintenance_reason',
    'power_state',
    'allocation_uuid',
  ];
  const known = new Set<string>([...carriedFields, ...Object.keys(allowedDifferences), ...compared]);
  assert.deepEqual(
    Object.keys(nodeFields).filter((field) => !known.has(field)),
    [],
  );
});

test('a check reports each difference, except masked secrets, the order of traits, and what Ironic itself adds', () => {
  const machine = machineWith({
    driver_info: { ipmi_password: 'secret', ipmi_address: '192.0.2.1' },
    traits: ['CUSTOM_A', 'CUSTOM_B'],
    instance_info: { image_source: 'x' },
  });
  const plan = planMove(machine, offer);
  assert.ok(plan.kind === 'move');
  const stage = { minor: 82, isFinished: true, before: { maintenance: false, maintenance_reason: null } };
  const there = machineWith({
    driver_info: { ipmi_address: '192.0.2.1', ipmi_password: '******' },
    traits: ['CUSTOM_B', 'CUSTOM_A'],
    instance_info: { image_source: 'x', image_type: 'whole-disk' },
  });
  assert.deepEqual(differences(plan, there, stage), []);
  const port = { uuid: 'p', address: '52:54:00:00:00:01' };
  const other = { ...there, node: { ...there.node, maintenance: true, driver_info: {} }, ports: [port] };
  assert.deepEqual(
    differences(plan, other, stage).map(({ what }) => what),
    ['driver_info', 'maintenance', 'port p'],
  );
});
