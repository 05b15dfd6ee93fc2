import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { actions, fittingActions } from '../../../../daemon/ui/actions/actions.ts';
import { nextAction } from '../../../../daemon/ui/actions/next-action.ts';
import { provisionStates } from '../../../../daemon/model/states/provision-states.ts';

const machine = {
  state: 'manageable',
  power: 'power off',
  maintenance: false,
  quarantined: false,
  console: false,
} as const;

describe('the actions of the page', () => {
  it('fit the state, the power, the maintenance and the console of a machine', () => {
    assert.deepEqual(fittingActions(machine), [
      'power-on',
      'boot-pxe',
      'inspect',
      'provide',
      'erase-metadata',
      'erase-disks',
      'adopt',
      'maintenance-on',
      'console-on',
    ]);
    const active = {
      ...machine,
      state: 'active',
      power: 'power on',
      maintenance: true,
      console: true,
    } as const;
    assert.deepEqual(fittingActions(active), [
      'power-off',
      'soft-power-off',
      'reboot',
      'boot-pxe',
      'rebuild',
      'undeploy',
      'maintenance-off',
      'console-off',
    ]);
  });

  it('bring an enrolled machine to available by one request', () => {
    assert.ok(fittingActions({ ...machine, state: 'enroll' }).includes('make-available'));
    assert.equal(nextAction({ ...machine, state: 'enroll' }, false), 'make-available');
    assert.deepEqual(actions['make-available']?.request('web-4'), {
      method: 'PUT',
      path: '/v1/nodes/web-4/states/goal',
      body: { target: 'available' },
    });
  });

  it('offer nothing but the release for a machine in quarantine', () => {
    for (const state of provisionStates)
      assert.deepEqual(fittingActions({ ...machine, state, quarantined: true }), ['release']);
  });

  it('offer both power on and power off when the power state is unknown', () => {
    const names = fittingActions({ ...machine, power: null });
    assert.ok(names.includes('power-on') && names.includes('power-off'));
  });

  it('are shown as command lines in which the node is where the command expects it', () => {
    const lines = Object.values(actions).map(({ command }) => command('rack1-01'));
    assert.deepEqual(
      lines.filter((line) => !line.endsWith(' rack1-01')),
      [
        'baremetal node boot device set rack1-01 pxe',
        'baremetal node manage rack1-01 --wait && baremetal node inspect rack1-01 --wait && baremetal node provide rack1-01 --wait',
      ],
    );
  });

  it('request no path outside /v1/nodes/, even for a node with the name ../../drivers', () => {
    for (const { request } of Object.values(actions))
      assert.match(request('../../drivers').path, /^\/v1\/nodes\/\.\.%2F\.\.%2Fdrivers\//);
  });
});
