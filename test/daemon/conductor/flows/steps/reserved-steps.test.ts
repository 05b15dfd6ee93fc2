import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offer, steppingAgent } from '../../../../fakes/machines/stepping-agent.ts';
import { startStepping, step } from '../../../../fakes/machines/stepping-session.ts';

const reset = step('bios.factory_reset');

test('power steps change the power state at their position in the list', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const clean_steps = [step('power.power_off'), reset, step('bios.power_on'), step('deploy.reboot'), reset];
  await daemon.verb(node, 'clean', { clean_steps });
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  const order = [
    ...daemon.log().matchAll(/"target":"(power off|power on|rebooting)"|"step":"(bios\.factory_reset)"/g),
  ];
  assert.deepEqual(
    order.map(([, power, ran]) => power ?? ran),
    ['power off', 'bios.factory_reset', 'power on', 'rebooting', 'bios.factory_reset'],
  );
  assert.equal(daemon.node(node).power_state, 'power on');
});

test('a hold step stops manual cleaning until unhold', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  await daemon.verb(node, 'clean', { clean_steps: [reset, step('deploy.hold'), reset] });
  assert.deepEqual(await daemon.state(node), ['clean hold', 'manageable']);
  await daemon.clock.advance(24 * 3600 * 1000);
  assert.deepEqual(await daemon.state(node), ['clean hold', 'manageable']);
  assert.deepEqual(daemon.notes(node), ['factory_reset']);
  assert.equal((await daemon.verb(node, 'unhold')).status, 202);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  assert.deepEqual(daemon.notes(node), ['factory_reset', 'factory_reset']);
});

test('a timed wait step unlocks the node, and the flow continues by itself when the time is over', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  await daemon.verb(node, 'clean', { clean_steps: [step('deploy.wait', { seconds: 5400 }), reset] });
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  assert.equal(daemon.services.locks.holderOf(node), null);
  // longer than clean_callback_timeout, which starts at the end of the wait
  await daemon.clock.advance(5_399_000);
  assert.deepEqual(await daemon.state(node), ['clean wait', 'manageable']);
  await daemon.clock.advance(1000);
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  assert.deepEqual(daemon.notes(node), ['factory_reset']);
});

test('a heartbeat ends a wait step without a time but not one with a time', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [offer('deploy.erase', 0)];
  const clean_steps = [step('deploy.wait'), step('deploy.wait', { seconds: 60 }), step('deploy.erase')];
  await daemon.verb(node, 'clean', { clean_steps });
  await daemon.idle();
  await agent.boot();
  await agent.beat();
  assert.deepEqual(daemon.node(node).clean_step['args'], undefined);
  await agent.beat();
  assert.deepEqual(daemon.node(node).clean_step['args'], { seconds: 60 });
  await agent.beat();
  assert.deepEqual(agent.asked, ['get_clean_steps']);
  await daemon.clock.advance(60_000);
  await daemon.idle();
  assert.deepEqual(agent.asked, ['get_clean_steps', 'execute_clean_step erase']);
});

test('a step runs on all child nodes or on the listed ones', async (t) => {
  const daemon = await startStepping(t);
  const parent = await daemon.stepping('manageable');
  const children = [
    await daemon.stepping('active', { parent_node: parent }),
    await daemon.stepping('active', { parent_node: parent }),
  ];
  const onChildren = { execute_on_child_nodes: true };
  const clean_steps = [
    step('bios.factory_reset', undefined, onChildren),
    reset,
    step('bios.apply', { settings: [] }, { ...onChildren, limit_child_node_execution: [children[1]] }),
    step('power.power_off', undefined, onChildren),
  ];
  assert.equal((await daemon.verb(parent, 'clean', { clean_steps })).status, 202);
  assert.deepEqual(await daemon.state(parent), ['manageable', null]);
  assert.deepEqual(daemon.notes(parent), ['factory_reset']);
  assert.deepEqual(
    children.map((child) => daemon.notes(child)),
    [['factory_reset'], ['factory_reset', 'apply {"settings":[]}']],
  );
  assert.deepEqual(
    [parent, ...children].map((node) => daemon.node(node).power_state),
    ['power on', 'power off', 'power off'],
  );
  assert.deepEqual(
    children.map((child) => daemon.node(child).provision_state),
    ['active', 'active'],
  );
});

test('a step that cannot be completed on the child nodes fails the flow of the parent node', async (t) => {
  const daemon = await startStepping(t);
  const cases: readonly (readonly [object, object, RegExp])[] = [
    [{}, step('bios.fly'), /neither the bios interface of node .* has the step bios\.fly/],
    [{ driver_info: { factory_reset: 'broken' } }, reset, /Step bios\.factory_reset failed: broken/],
    [
      { driver_info: { factory_reset: 'wait' } },
      reset,
      /is still running on child node .*permit_child_node_step_async_result/,
    ],
  ];
  for (const [fields, wanted, reason] of cases) {
    const parent = await daemon.stepping('manageable');
    const child = await daemon.stepping('active', { parent_node: parent, ...fields });
    await daemon.verb(parent, 'clean', { clean_steps: [{ ...wanted, execute_on_child_nodes: true }] });
    assert.deepEqual(await daemon.state(parent), ['clean failed', 'manageable']);
    assert.match(daemon.node(parent).last_error ?? '', reason);
    assert.equal(daemon.services.locks.holderOf(child), null);
  }
  const parent = await daemon.stepping('manageable');
  const stranger = await daemon.stepping('active');
  const limited = { execute_on_child_nodes: true, limit_child_node_execution: [stranger] };
  await daemon.verb(parent, 'clean', { clean_steps: [step('bios.factory_reset', undefined, limited)] });
  assert.deepEqual(await daemon.state(parent), ['clean failed', 'manageable']);
  assert.match(
    daemon.node(parent).last_error ?? '',
    new RegExp(`${stranger} is not a child of node ${parent}`),
  );
});

test('permit_child_node_step_async_result lets the flow of the parent node go on while a child node runs a step', async (t) => {
  const daemon = await startStepping(t, { ini: 'permit_child_node_step_async_result = true\n' });
  const parent = await daemon.stepping('manageable');
  const child = await daemon.stepping('active', {
    parent_node: parent,
    driver_info: { factory_reset: 'wait' },
  });
  await daemon.verb(parent, 'clean', {
    clean_steps: [step('bios.factory_reset', undefined, { execute_on_child_nodes: true })],
  });
  assert.deepEqual(await daemon.state(parent), ['manageable', null]);
  assert.deepEqual(daemon.notes(child), ['factory_reset']);
});

test('a locked child node fails the flow of the parent node, and last_error names the child node', async (t) => {
  const daemon = await startStepping(t);
  const parent = await daemon.stepping('manageable');
  const child = await daemon.stepping('active', { parent_node: parent });
  daemon.services.locks.tryAcquire(child);
  await daemon.verb(parent, 'clean', {
    clean_steps: [step('bios.factory_reset', undefined, { execute_on_child_nodes: true })],
  });
  assert.deepEqual(await daemon.state(parent), ['clean failed', 'manageable']);
  assert.match(daemon.node(parent).last_error ?? '', new RegExp(`Node ${child} is locked`));
});
