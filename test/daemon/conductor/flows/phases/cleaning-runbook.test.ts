import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { startStepping, step, type SteppingSession } from '../../../../fakes/machines/stepping-session.ts';

const reset = { ...step('bios.factory_reset'), order: 2 };
const apply = { ...step('bios.apply', { settings: [] }), order: 1 };
const applied = 'apply {"settings":[]}';

async function runbook(daemon: SteppingSession, name: string, steps: readonly object[], fields: object = {}) {
  const answer = await daemon.request('POST', '/v1/runbooks', { body: { name, steps, ...fields } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.uuid;
}

async function trait(daemon: SteppingSession, path: string, name: string) {
  assert.equal((await daemon.request('PUT', `${path}/traits/${name}`)).status, 204);
}

const start = (t: TestContext, ini: string) =>
  startStepping(t, { ini: `automated_cleaning_step_source = runbook\n${ini}` });

test('automated cleaning runs the steps of the runbook in ascending `order`', async (t) => {
  const daemon = await start(t, 'automated_cleaning_runbook = scrub\n');
  const uuid = await runbook(daemon, 'scrub', [reset, apply]);
  await trait(daemon, `/v1/runbooks/${uuid}`, 'CUSTOM_SCRUB');
  const node = await daemon.stepping('manageable');
  await trait(daemon, `/v1/nodes/${node}`, 'CUSTOM_SCRUB');
  assert.equal((await daemon.verb(node, 'provide')).status, 202);
  assert.deepEqual(await daemon.state(node), ['available', null]);
  assert.deepEqual(daemon.notes(node), [applied, 'factory_reset']);
  const { body } = await daemon.request('GET', `/v1/nodes/${node}/history/detail`);
  assert.deepEqual(
    body.history.map(({ event_type }) => event_type),
    ['automated_cleaning_start', 'automated_cleaning_end'],
  );
});

test('provide is rejected if the node has no cleaning runbook or none of the traits of its runbook', async (t) => {
  const daemon = await start(t, 'automated_cleaning_runbook_by_resource_class = gpu:polish\n');
  await runbook(daemon, 'polish', [reset]);
  for (const [resource_class, status, reason] of [
    [null, 400, /no runbook for automated cleaning.*automated_cleaning_step_source/],
    ['gpu', 400, /Runbook polish is not approved.*none of the runbook's traits \(the runbook has none\)/],
  ] as const) {
    const node = await daemon.stepping('manageable', { resource_class });
    const answer = await daemon.verb(node, 'provide');
    assert.equal(answer.status, status);
    assert.match(answer.fault, reason);
    assert.equal(daemon.node(node).provision_state, 'manageable');
  }
});

test('the runbook of the node overrides that of its resource class and the default', async (t) => {
  const daemon = await start(
    t,
    `automated_cleaning_runbook_validate_traits = false
automated_cleaning_runbook_from_node = true
automated_cleaning_runbook_by_resource_class = gpu:of-class
automated_cleaning_runbook = of-all
`,
  );
  await runbook(daemon, 'of-all', [apply]);
  await runbook(daemon, 'of-class', [reset]);
  const ofNode = await runbook(daemon, 'of-node', [reset, apply]);
  for (const [fields, ran] of [
    [{}, [applied]],
    [{ resource_class: 'gpu' }, ['factory_reset']],
    [{ resource_class: 'gpu', driver_info: { cleaning_runbook: ofNode } }, [applied, 'factory_reset']],
  ] as const) {
    const node = await daemon.stepping('manageable', fields);
    await daemon.verb(node, 'provide');
    assert.deepEqual(await daemon.state(node), ['available', null]);
    assert.deepEqual(daemon.notes(node), ran);
  }
});

test('hybrid cleaning ignores a node runbook that the configuration does not allow', async (t) => {
  const daemon = await startStepping(t, {
    ini: `automated_cleaning_step_source = hybrid
automated_cleaning_runbook_validate_traits = false
clean_step_priority_override = bios.factory_reset:5,deploy.wipe:0,deploy.polish:0,management.set_clock:0
`,
  });
  await runbook(daemon, 'lazy', [apply]);
  const node = await daemon.stepping('manageable', { driver_info: { cleaning_runbook: 'lazy' } });
  await daemon.verb(node, 'provide');
  // the ramdisk boots because the agent may have steps
  assert.deepEqual(await daemon.state(node), ['clean wait', 'available']);
});

test('cleaning by a runbook with disable_ramdisk fails before any step runs if a step needs a ramdisk', async (t) => {
  const daemon = await start(
    t,
    'automated_cleaning_runbook = scrub\nautomated_cleaning_runbook_validate_traits = false\n',
  );
  await runbook(daemon, 'scrub', [apply, { ...step('deploy.wipe'), order: 9 }], { disable_ramdisk: true });
  const node = await daemon.stepping('manageable');
  await daemon.verb(node, 'provide');
  assert.deepEqual(await daemon.state(node), ['clean failed', 'available']);
  assert.match(daemon.node(node).last_error ?? '', /deploy\.wipe needs a ramdisk/);
  assert.deepEqual(daemon.notes(node), []);
});

test('manual cleaning and service accept a runbook instead of steps', async (t) => {
  const daemon = await startStepping(t);
  const uuid = await runbook(daemon, 'scrub', [reset, apply]);
  await trait(daemon, `/v1/runbooks/${uuid}`, 'CUSTOM_SCRUB');
  for (const [verb, from] of [
    ['clean', 'manageable'],
    ['service', 'active'],
  ] as const) {
    const node = await daemon.stepping(from);
    assert.equal((await daemon.verb(node, verb, { runbook: 'scrub' })).status, 400);
    await trait(daemon, `/v1/nodes/${node}`, 'CUSTOM_SCRUB');
    assert.equal((await daemon.verb(node, verb, { runbook: uuid })).status, 202);
    assert.deepEqual(await daemon.state(node), [from, null]);
    assert.deepEqual(daemon.notes(node), [applied, 'factory_reset']);
  }
});
