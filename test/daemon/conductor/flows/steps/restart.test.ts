import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { offer, steppingAgent } from '../../../../fakes/machines/stepping-agent.ts';
import {
  afterCrash,
  startStepping,
  step,
  type SteppingSession,
} from '../../../../fakes/machines/stepping-session.ts';

const reset = step('bios.factory_reset');

async function begun(
  t: TestContext,
  verb: 'clean' | 'service',
  steps: readonly object[],
  driver_info: object = {},
) {
  const first = await startStepping(t);
  const node = await first.stepping(verb === 'clean' ? 'manageable' : 'active', { driver_info });
  const agent = await steppingAgent(t, first, node);
  agent.steps.clean = [offer('deploy.erase', 0), offer('deploy.flash', 0, { abortable: false })];
  agent.steps.service = agent.steps.clean;
  const answer = await first.verb(node, verb, { [`${verb}_steps`]: steps });
  assert.equal(answer.status, 202, answer.text);
  return { first, node, agent };
}

const end = { clean: ['manageable', null], service: ['active', null] } as const;

for (const verb of ['clean', 'service'] as const) {
  test(`${verb}: waiting for the ramdisk survives a daemon crash`, async (t) => {
    const { first, node, agent } = await begun(t, verb, [step('deploy.erase'), reset]);
    await first.idle();
    const second = await afterCrash(t, first);
    agent.session = second;
    await agent.boot();
    await agent.beat();
    agent.end();
    await agent.beat();
    assert.deepEqual(await second.state(node), end[verb]);
    assert.deepEqual(second.notes(node).filter((note) => note === 'factory_reset').length, 1);
  });

  test(`${verb}: a running agent step survives a daemon crash and is not started twice`, async (t) => {
    const { first, node, agent } = await begun(t, verb, [step('deploy.erase'), reset]);
    await first.idle();
    await agent.boot();
    await agent.beat();
    const second = await afterCrash(t, first);
    agent.session = second;
    await agent.beat();
    agent.end();
    await agent.beat();
    assert.deepEqual(await second.state(node), end[verb]);
    assert.deepEqual(agent.asked, [`get_${verb}_steps`, `execute_${verb}_step erase`]);
  });

  test(`${verb}: the next daemon polls a running BMC step`, async (t) => {
    const { first, node } = await begun(t, verb, [step('bios.flash'), reset], { check: ['wait', 'done'] });
    await first.idle();
    await first.clock.advance(15_000);
    const second = await afterCrash(t, first);
    await first.stop();
    await second.clock.advance(40_000);
    assert.deepEqual(await second.state(node), end[verb]);
    assert.deepEqual(second.notes(node), ['flash', 'check', 'check', 'factory_reset']);
  });

  test(`${verb}: a daemon crash does not extend a timed wait`, async (t) => {
    const { first, node } = await begun(t, verb, [step('bios.wait', { seconds: 100 }), reset]);
    await first.idle();
    await first.clock.advance(40_000);
    const second = await afterCrash(t, first);
    const third = await afterCrash(t, first);
    await first.stop();
    await second.clock.advance(59_000);
    assert.deepEqual(second.notes(node), []);
    await second.clock.advance(1000);
    assert.deepEqual(await second.state(node), end[verb]);
    await second.stop();
    await third.stop();
  });

  test(`${verb}: a hold survives a daemon crash and continues after unhold`, async (t) => {
    const { first, node } = await begun(t, verb, [reset, step('bios.hold'), reset]);
    await first.idle();
    const second = await afterCrash(t, first);
    assert.equal(second.node(node).provision_state, `${verb} hold`);
    assert.equal((await second.verb(node, 'unhold')).status, 202);
    assert.deepEqual(await second.state(node), end[verb]);
    assert.deepEqual(second.notes(node), ['factory_reset', 'factory_reset']);
  });

  test(`${verb}: a ramdisk reboot survives a daemon crash, and the step runs again`, async (t) => {
    const script = { wipe: ['reboot and repeat', 'done'] };
    const { first, node, agent } = await begun(t, verb, [step('deploy.wipe'), reset], script);
    await first.idle();
    await agent.boot();
    await agent.beat();
    const second = await afterCrash(t, first);
    agent.session = second;
    await agent.boot();
    await agent.beat();
    assert.deepEqual(await second.state(node), end[verb]);
    const ran = second.notes(node).filter((note) => /^(wipe|factory_reset)/.test(note));
    assert.deepEqual(ran, ['wipe', 'wipe', 'factory_reset']);
  });

  test(`${verb}: a pending abort survives a daemon crash`, async (t) => {
    const { first, node, agent } = await begun(t, verb, [step('deploy.flash'), reset]);
    await first.idle();
    await agent.boot();
    await agent.beat();
    await first.verb(node, 'abort');
    const second = await afterCrash(t, first);
    agent.session = second;
    agent.end();
    await agent.beat();
    const [state] = await second.state(node);
    assert.equal(state, verb === 'clean' ? 'clean failed' : 'active');
    assert.match(second.node(node).last_error ?? '', /aborted by request at step deploy\.flash/);
    assert.doesNotMatch(second.notes(node).join(), /factory_reset/);
  });

  for (const [what, steps] of [
    ['a step of the driver', [step('bios.factory_reset'), reset]],
    [
      'a step on a child node',
      [step('bios.factory_reset', undefined, { execute_on_child_nodes: true }), reset],
    ],
    ['the preparation of the ramdisk', [step('deploy.wipe'), reset]],
  ] as const) {
    test(`${verb}: a crash during ${what} fails the flow, and the next flow completes`, async (t) => {
      const first = await startStepping(t);
      const slow = { factory_reset: [5000, 0, 0], prepareCleaning: [5000, 0], prepareService: [5000, 0] };
      const node = await first.stepping(verb === 'clean' ? 'manageable' : 'active', { driver_info: slow });
      const child = await first.stepping('active', { parent_node: node, driver_info: slow });
      await first.verb(node, verb, { [`${verb}_steps`]: steps });
      await first.clock.advance(1000);
      const second = await afterCrash(t, first);
      const { provision_state, target_provision_state, last_error, maintenance } = second.node(node);
      assert.deepEqual(
        [provision_state, target_provision_state, maintenance],
        [`${verb} failed`, verb === 'clean' ? 'manageable' : 'active', false],
      );
      assert.match(last_error ?? '', /the service was restarted/);
      assert.deepEqual([second.node(node).clean_step, second.node(node).service_step], [{}, {}]);
      assert.deepEqual(
        [node, child].map((uuid) => second.services.locks.holderOf(uuid)),
        [null, null],
      );
      if (verb === 'clean') assert.equal((await second.verb(node, 'manage')).status, 202);
      await complete(second, node, verb);
    });
  }
}

/** Runs another flow, without a ramdisk. */
async function complete(daemon: SteppingSession, node: string, verb: 'clean' | 'service') {
  const answer = await daemon.verb(node, verb, { [`${verb}_steps`]: [step('bios.apply', { settings: [] })] });
  assert.equal(answer.status, 202, answer.text);
  assert.deepEqual(await daemon.state(node), end[verb]);
  assert.ok(daemon.notes(node).includes('apply {"settings":[]}'));
}

test('a crash during verification returns the node to enroll, and a new attempt completes', async (t) => {
  const first = await startStepping(t);
  const node = await first.stepping('enroll', { driver_info: { check_clock: [5000, 0] } });
  await first.verb(node, 'manage');
  await first.clock.advance(1000);
  const second = await afterCrash(t, first);
  assert.deepEqual(await second.state(node), ['enroll', null]);
  assert.match(
    second.node(node).last_error ?? '',
    /interrupted in state "verifying": the service was restarted/,
  );
  await second.verb(node, 'manage');
  assert.deepEqual(await second.state(node), ['manageable', null]);
});
