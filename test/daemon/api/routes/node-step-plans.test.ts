import assert from 'node:assert/strict';
import { test } from 'node:test';
import { expectFault } from '../../../fakes/clients/api-replies.ts';
import { startStepping, step } from '../../../fakes/machines/stepping-session.ts';

test('a request for a step plan with invalid arguments is refused with the reason', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const path = `/v1/nodes/${node}/steps/plan`;
  const cases: readonly (readonly [object, RegExp, number?, number?])[] = [
    [{}, /target/],
    [{ target: 'fly' }, /"fly" was not understood/],
    [{ target: 'inspect' }, /inspect runs no steps on a node in state "manageable"/],
    [{ target: 'manage' }, /manage runs no steps on a node in state "manageable"/],
    [{ target: 'clean' }, /clean_steps or runbook/],
    [{ target: 'clean', clean_steps: [{}] }, /clean_steps/],
    [
      { target: 'clean', deploy_steps: [step('bios.apply', {}, { priority: 1 })] },
      /deploy_steps.*active or rebuild/,
    ],
    [{ target: 'clean', clean_steps: [step('vendor.send_raw')] }, /vendor\.send_raw is not allowed/],
    [{ target: 'clean', runbook: 'nobody' }, /nobody/, 404],
    [{ target: 'clean', colour: 1 }, /colour/],
    [{ target: 'clean', disable_ramdisk: true, clean_steps: [step('bios.apply')] }, /1\.70/, 406, 69],
  ];
  for (const [body, reason, status = 400, version = 115] of cases)
    assert.match(await expectFault(daemon.request('POST', path, { body, version }), status), reason);
  const body = { target: 'provide' };
  await expectFault(daemon.request('POST', '/v1/nodes/nobody/steps/plan', { body }), 404);
  await expectFault(daemon.request('GET', path), 405);
  assert.deepEqual(daemon.notes(node), []);
});

test('a step plan is returned while the node is at work', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { factory_reset: 5000 } });
  await daemon.verb(node, 'clean', { clean_steps: [step('bios.factory_reset')] });
  await daemon.clock.advance(1000);
  const { status, json } = await daemon.request('POST', `/v1/nodes/${node}/steps/plan`, {
    body: { target: 'provide' },
  });
  assert.equal(status, 200);
  assert.match((json as { problems: string[] }).problems.join(), /while it is in state "cleaning"/);
});
