// Validation of deploy requests.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '../../../../../daemon/model/json.ts';
import { template, wanting } from '../../../../fakes/deploy-templates.ts';
import { startStepping, step } from '../../../../fakes/machines/stepping-session.ts';

const deployStep = (name: string, priority: number, args: object = {}) => step(name, args, { priority });

test('an invalid deploy request is rejected and changes nothing', async (t) => {
  const daemon = await startStepping(t, { ini: '[api]\ndisallow_deploy_steps = bios.flash\n' });
  await template(daemon, 'CUSTOM_BROKEN', [deployStep('bios.apply', 50)]);
  const cases: readonly (readonly [object, RegExp, Json?])[] = [
    [{ deploy_steps: [deployStep('bios.apply', 10)] }, /deploy_steps: step bios\.apply lacks .* settings/],
    [{ deploy_steps: [deployStep('deploy.deploy', 10)] }, /deploy\.deploy is a core step/],
    [
      { deploy_steps: [deployStep('deploy.deploy', 0), deployStep('deploy.boot', 0)] },
      /the plan has no steps/,
    ],
    [{ deploy_steps: [deployStep('bios.flash', 10)] }, /bios\.flash is not allowed in deploy_steps/],
    [{}, /deploy template CUSTOM_BROKEN: step bios\.apply lacks/, ['CUSTOM_BROKEN']],
    [{}, /lacks traits that its instance_info requires: CUSTOM_UNKNOWN/, ['CUSTOM_UNKNOWN']],
    [{}, /instance_info\/traits of node .* is not a list of strings/, 'CUSTOM_BROKEN'],
  ];
  for (const [more, reason, traits = []] of cases) {
    const node = await daemon.stepping('available');
    await wanting(daemon, node, ['CUSTOM_BROKEN'], traits);
    const answer = await daemon.verb(node, 'active', more);
    assert.equal(answer.status, 400, answer.text);
    assert.match(answer.fault, reason);
    assert.deepEqual(await daemon.state(node), ['available', null]);
    assert.deepEqual(daemon.notes(node), []);
  }
});

test('node validation reports invalid instance traits and deploy templates', async (t) => {
  const daemon = await startStepping(t);
  await template(daemon, 'CUSTOM_BROKEN', [deployStep('bios.apply', 50)]);
  await template(daemon, 'CUSTOM_OF_AGENT', [deployStep('deploy.unheard_of', 50)]);
  const node = await daemon.stepping('available');
  for (const [traits, reason] of [
    [['CUSTOM_OF_AGENT'], undefined],
    [['CUSTOM_BROKEN'], /deploy template CUSTOM_BROKEN: step bios\.apply lacks .* settings/],
    [['CUSTOM_OTHER'], /lacks traits/],
  ] as const) {
    await wanting(daemon, node, ['CUSTOM_OF_AGENT', 'CUSTOM_BROKEN'], traits);
    const { body } = await daemon.request('GET', `/v1/nodes/${node}/validate`);
    const { result, reason: told } = body['deploy'] as { result: boolean; reason?: string };
    assert.equal(result, reason === undefined, told);
    if (reason) assert.match(told ?? '', reason);
  }
});

test('node validation warns of an unfit deploy template that a trait of the node enables, and refuses no deployment for it', async (t) => {
  const daemon = await startStepping(t);
  await template(daemon, 'CUSTOM_BROKEN', [deployStep('bios.apply', 50)]);
  await template(daemon, 'CUSTOM_FINE', [deployStep('bios.apply', 50, { settings: [] })]);
  const node = await daemon.stepping('available');
  await wanting(daemon, node, ['CUSTOM_BROKEN', 'CUSTOM_FINE'], ['CUSTOM_FINE']);
  const { body } = await daemon.request('GET', `/v1/nodes/${node}/validate`);
  const { result, reason } = body['deploy'] as { result: boolean; reason?: string };
  assert.equal(result, true);
  assert.match(
    reason ?? '',
    /^Deployments whose instance requires the trait of such a template would be refused: deploy template CUSTOM_BROKEN: step bios\.apply lacks .* settings[^;]*\.$/,
  );
  assert.equal((await daemon.verb(node, 'active')).status, 202);
});

test('a config drive is stored in instance_info but hidden from the API and the log', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('available');
  const configdrive = { meta_data: { hostname: 'a-host' } };
  assert.equal((await daemon.verb(node, 'active', { configdrive })).status, 202);
  await daemon.idle();
  assert.deepEqual(daemon.node(node).instance_info['configdrive'], configdrive);
  assert.doesNotMatch((await daemon.request('GET', `/v1/nodes/${node}`)).text, /a-host/);
  assert.doesNotMatch(daemon.log(), /a-host/);
});

test('the deploy interfaces direct and custom-agent reject a config drive that the agent could not write', async (t) => {
  const daemon = await startStepping(t);
  const instance_info = { image_source: 'http://images.test/a.raw', image_checksum: 'a'.repeat(64) };
  const noImage = { configdrive: Buffer.from('neither gzip nor ISO').toString('base64') };
  for (const deploy_interface of ['direct', 'custom-agent']) {
    const { uuid } = await daemon.createNode({ boot_interface: 'fake', deploy_interface, instance_info });
    for (const [state, verb] of [
      ['available', 'active'],
      ['active', 'rebuild'],
    ] as const) {
      daemon.services.db.nodes.update(uuid, { provision_state: state });
      const answer = await daemon.verb(uuid, verb, noImage);
      assert.equal(answer.status, 400, answer.text);
      assert.match(answer.fault, /configdrive: its content is neither an ISO 9660 or FAT image/);
      assert.deepEqual(await daemon.state(uuid), [state, null]);
      assert.deepEqual(daemon.node(uuid).instance_info, instance_info);
    }
  }
});

test('deploy.wait without seconds is rejected if the deployment boots no ramdisk', async (t) => {
  const daemon = await startStepping(t);
  const { uuid } = await daemon.createNode();
  daemon.services.db.nodes.update(uuid, { provision_state: 'available' });
  const answer = await daemon.verb(uuid, 'active', { deploy_steps: [deployStep('deploy.wait', 50)] });
  assert.equal(answer.status, 400);
  assert.match(answer.fault, /step "wait" needs the argument "seconds"/);
});

test('only one of two concurrent requests is accepted', async (t) => {
  const daemon = await startStepping(t);
  for (const [state, verbs] of [
    ['available', ['active', 'active']],
    ['active', ['rebuild', 'deleted']],
    ['active', ['deleted', 'rescue']],
  ] as const) {
    const node = await daemon.stepping(state, {
      driver_info: { prepare: 9000, tearDown: 9000, rescue: 9000 },
    });
    const answers = await Promise.all(
      verbs.map((verb) => daemon.verb(node, verb, verb === 'rescue' ? { rescue_password: 'x' } : {})),
    );
    assert.deepEqual(
      answers.map(({ status }) => status).toSorted((a, b) => a - b),
      [202, 409],
    );
  }
});

test('maintenance, protected and max_concurrent_deploy reject deploy requests', async (t) => {
  const daemon = await startStepping(t, { ini: 'max_concurrent_deploy = 1\n' });
  const node = await daemon.stepping('active');
  daemon.services.db.nodes.update(node, { protected: true });
  for (const verb of ['rebuild', 'deleted']) {
    const answer = await daemon.verb(node, verb);
    assert.equal(answer.status, 403);
    assert.match(answer.fault, /protected/);
  }
  daemon.services.db.nodes.update(node, { protected: false, maintenance: true });
  assert.match((await daemon.verb(node, 'rebuild')).fault, /maintenance/);
  const busy = await daemon.stepping('available', { driver_info: { prepare: 9000 } });
  assert.equal((await daemon.verb(busy, 'active')).status, 202);
  const other = await daemon.stepping('available');
  assert.equal((await daemon.verb(other, 'active')).status, 503);
  assert.deepEqual(daemon.node(other).provision_state, 'available');
});
