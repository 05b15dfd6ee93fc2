import assert from 'node:assert/strict';
import { test } from 'node:test';
import { offer, steppingAgent } from '../../../fakes/machines/stepping-agent.ts';
import { startStepping, step } from '../../../fakes/machines/stepping-session.ts';

interface Shown {
  readonly interface: string;
  readonly step: string;
  readonly priority: number;
}

const names = (json: unknown) =>
  (json as Shown[]).map((each) => `${each.interface}.${each.step} ${each.priority}`);

test('while the steps of the agent are unknown, cleaning/steps returns 202 with retry-request-after', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const heldUp = await daemon.stepping('cleaning');
  const booting = await daemon.request('GET', `/v1/nodes/${heldUp}/cleaning/steps`);
  assert.deepEqual([booting.status, booting.headers.get('retry-request-after')], [202, '300']);
  const before = await daemon.request('GET', `/v1/nodes/${node}/cleaning/steps`);
  assert.deepEqual([before.status, before.headers.get('retry-request-after')], [202, '-1']);
  assert.match(String(before.body['message']), /clean steps of node .* are not known yet/);
  await daemon.verb(node, 'clean', { clean_steps: [step('deploy.wipe')] });
  await daemon.idle();
  const meanwhile = await daemon.request('GET', `/v1/nodes/${node}/cleaning/steps`);
  assert.deepEqual([meanwhile.status, meanwhile.headers.get('retry-request-after')], [202, '300']);
});

test('all steps are listed by descending priority after cleaning, and min_priority leaves out lower ones', async (t) => {
  const daemon = await startStepping(t, { ini: 'clean_step_priority_override = deploy.polish:7\n' });
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  const argsinfo = { patterns: { description: 'What to erase.', required: true }, dry: {} };
  agent.steps.clean = [offer('deploy.erase', 99), offer('deploy.nvram', 0, { argsinfo })];
  await daemon.verb(node, 'clean', { clean_steps: [step('deploy.wipe')] });
  await daemon.idle();
  await agent.boot();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
  const path = `/v1/nodes/${node}/cleaning/steps`;
  const { status, json } = await daemon.request('GET', path);
  assert.equal(status, 200);
  assert.deepEqual(names(json), [
    'deploy.erase 99',
    'management.set_clock 30',
    'deploy.wipe 30',
    'deploy.polish 7',
    'management.clear_jobs 0',
    'deploy.idle 0',
    'deploy.nvram 0',
    'bios.factory_reset 0',
    'bios.apply 0',
    'bios.flash 0',
    'raid.create_configuration 0',
  ]);
  const told = json as Record<string, unknown>[];
  assert.deepEqual(told[0], { interface: 'deploy', step: 'erase', priority: 99, abortable: true, args: [] });
  assert.deepEqual(told[6]?.['args'], [
    { name: 'patterns', description: 'What to erase.', required: true },
    { name: 'dry', description: '', required: false },
  ]);
  const automated = await daemon.request('GET', `${path}?min_priority=1`);
  assert.equal(names(automated.json).at(-1), 'deploy.polish 7');
  assert.deepEqual(names((await daemon.request('GET', `${path}?min_priority=100`)).json), []);
});

test('the raid step in the example of the manual-cleaning specification is listed with its arguments', async (t) => {
  const daemon = await startStepping(t);
  const { uuid } = await daemon.createNode({ driver: 'stepping', name: 'my-awesome-node' });
  daemon.services.db.nodes.update(uuid, { driver_internal_info: { agent_cached_clean_steps: {} } });
  const { json } = await daemon.request('GET', '/v1/nodes/my-awesome-node/cleaning/steps');
  const raid = (json as Shown[]).find((each) => each.interface === 'raid');
  assert.partialDeepStrictEqual(raid, {
    interface: 'raid',
    step: 'create_configuration',
    args: [
      {
        name: 'create_root_volume',
        description:
          "Set to True (the default) to create root volume specified in the node's target_raid_config. False prevents the root volume from being created.",
        required: false,
      },
      {
        name: 'create_nonroot_volumes',
        description:
          "Set to True (the default) to create non-root volumes that may be specified in the node's target_raid_config. False prevents non-root volumes from being created.",
        required: false,
      },
    ],
    priority: 0,
    abortable: true,
  });
});

test('the example request of the manual-cleaning specification configures RAID and erases the devices', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const agent = await steppingAgent(t, daemon, node);
  agent.steps.clean = [offer('deploy.erase_devices', 10)];
  const clean_steps = [
    { interface: 'raid', step: 'create_configuration', args: { create_nonroot_volumes: false } },
    { interface: 'deploy', step: 'erase_devices' },
  ];
  assert.equal((await daemon.verb(node, 'clean', { clean_steps })).status, 202);
  await daemon.idle();
  await agent.boot();
  await agent.beat();
  assert.equal(daemon.notes(node).at(-1), 'create_configuration {"create_nonroot_volumes":false}');
  assert.equal(agent.asked.at(-1), 'execute_clean_step erase_devices');
  agent.end();
  await agent.beat();
  assert.deepEqual(await daemon.state(node), ['manageable', null]);
});

test('the steps of a node whose driver uses no agent are listed at once', async (t) => {
  const daemon = await startStepping(t);
  const { uuid } = await daemon.createNode();
  const { status, json } = await daemon.request('GET', `/v1/nodes/${uuid}/cleaning/steps`);
  assert.equal(status, 200);
  assert.ok(Array.isArray(json));
});

test('an invalid argument, an unknown node and a wrong method are refused', async (t) => {
  const daemon = await startStepping(t);
  const { uuid } = await daemon.createNode();
  const path = `/v1/nodes/${uuid}/cleaning/steps`;
  for (const [wrong, status] of [
    [`${path}?min_priority=-1`, 400],
    [`${path}?min_priority=high`, 400],
    [`${path}?limit=1`, 400],
    ['/v1/nodes/nobody/cleaning/steps', 404],
  ] as const) {
    assert.equal((await daemon.request('GET', wrong)).status, status, wrong);
  }
  assert.equal((await daemon.request('PUT', path)).status, 405);
  // the endpoint answers at every version, because no version of Ironic's API introduces it
  assert.equal((await daemon.request('GET', path, { version: 1 })).status, 200);
});
