import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offer, steppingAgent } from '../../../../fakes/machines/stepping-agent.ts';
import { startStepping, step } from '../../../../fakes/machines/stepping-session.ts';

test('cleaning can be aborted before its first step, at an abortable step, on hold, and during a timed wait', async (t) => {
  const daemon = await startStepping(t);
  const cases: readonly (readonly [object[], RegExp, string[]])[] = [
    [[step('deploy.wipe')], /aborted by request\.$/, ['prepareCleaning', 'tearDownCleaning']],
    [[step('bios.apply', { settings: [] })], /at step bios\.apply/, ['apply {"settings":[]}']],
    [[step('bios.hold')], /at step bios\.hold/, []],
    [[step('bios.wait', { seconds: 60 })], /at step bios\.wait/, []],
  ];
  for (const [clean_steps, reason, notes] of cases) {
    const node = await daemon.stepping('manageable', { driver_info: { apply: 'wait' } });
    await daemon.verb(node, 'clean', { clean_steps });
    await daemon.idle();
    const answer = await daemon.verb(node, 'abort');
    assert.equal(answer.status, 202, answer.text);
    assert.equal(daemon.node(node).provision_state, 'clean failed');
    assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
    const { last_error, maintenance, clean_step } = daemon.node(node);
    assert.match(last_error ?? '', reason);
    assert.deepEqual([maintenance, clean_step, daemon.notes(node)], [false, {}, notes]);
    await daemon.clock.advance(120_000);
    assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  }
});

test('an abort waits for the end of a step that is not abortable', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [offer('deploy.flash', 0, { abortable: false }), offer('deploy.erase', 0)];
  await daemon.verb(node, 'clean', { clean_steps: [step('deploy.flash'), step('deploy.erase')] });
  await daemon.idle();
  await agent.boot();
  await agent.beat();
  assert.equal((await daemon.verb(node, 'abort')).status, 202);
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  assert.equal(daemon.node(node).clean_step['abort_after'], true);
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  const { last_error, maintenance } = daemon.node(node);
  assert.match(last_error ?? '', /aborted by request at step deploy\.flash/);
  assert.equal(maintenance, false);
  assert.deepEqual(agent.asked, ['get_clean_steps', 'execute_clean_step flash']);
  assert.deepEqual(daemon.notes(node).at(-1), 'tearDownCleaning');
});

test('an abort is refused while a running step keeps the node locked', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { factory_reset: 1000 } });
  await daemon.verb(node, 'clean', { clean_steps: [step('bios.factory_reset')] });
  // the node is locked
  assert.equal((await daemon.verb(node, 'abort')).status, 409);
  await daemon.clock.advance(1000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});

test('last_error names both the abort and the clean-up that failed after it', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable', { driver_info: { tearDownCleaning: 'no way out' } });
  await daemon.verb(node, 'clean', { clean_steps: [step('deploy.wipe')] });
  await daemon.idle();
  await daemon.verb(node, 'abort');
  assert.deepEqual(await daemon.state(node), ['clean failed', 'manageable']);
  assert.match(
    daemon.node(node).last_error ?? '',
    /aborted by request\. Cleaning up after cleaning failed: no way out/,
  );
});

test('aborting service restores the instance and sets last_error', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('active');
  await daemon.verb(node, 'service', { service_steps: [step('deploy.wipe')] });
  assert.deepEqual(await daemon.state(node), ['service wait', 'active']);
  assert.equal((await daemon.verb(node, 'abort')).status, 202);
  assert.deepEqual(await daemon.state(node), ['active', null]);
  assert.deepEqual(daemon.notes(node), ['prepareService', 'tearDownService']);
  assert.match(daemon.node(node).last_error ?? '', /Servicing was aborted by request/);
});

test('failed service can be aborted only outside maintenance', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('active', { driver_info: { factory_reset: 'broken' } });
  await daemon.verb(node, 'service', { service_steps: [step('bios.factory_reset')] });
  assert.deepEqual(await daemon.state(node), ['service failed', 'active']);
  const refused = await daemon.verb(node, 'abort');
  assert.deepEqual([refused.status, daemon.node(node).provision_state], [409, 'service failed']);
  assert.match(refused.fault, /maintenance/);
  assert.equal((await daemon.request('DELETE', `/v1/nodes/${node}/maintenance`)).status, 202);
  assert.equal((await daemon.verb(node, 'abort')).status, 202);
  assert.deepEqual(await daemon.state(node), ['active', null]);
});

test('the next request waits for the clean-up of flows whose end the node shows already', async (t) => {
  const daemon = await startStepping(t);
  const driver_info = { tearDownCleaning: 7500, cleanUpRescue: 7500, cleanUp: 7500 };
  const cases = [
    ['clean wait', 'clean failed', 'manage', 'manageable'],
    ['rescue wait', 'rescue failed', 'unrescue', 'active'],
    ['wait call-back', 'deploy failed', 'deleted', 'available'],
  ] as const;
  for (const [waits, failed, verb, target] of cases) {
    const node = await daemon.stepping(waits, { driver_info, automated_clean: false });
    daemon.services.db.nodes.update(node, { driver_internal_info: { ramdisk_prepared: true } });
    assert.equal((await daemon.verb(node, 'abort')).status, 202);
    await daemon.clock.advance(0);
    assert.equal(daemon.node(node).provision_state, failed);
    const next = daemon.verb(node, verb);
    await daemon.clock.advance(7499);
    assert.deepEqual(daemon.notes(node).length, 1, `${failed}: its clean-up runs`);
    await daemon.clock.advance(1);
    assert.equal((await next).status, 202);
    assert.deepEqual(await daemon.state(node), [target, null]);
  }
});
