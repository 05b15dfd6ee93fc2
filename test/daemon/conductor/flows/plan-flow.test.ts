import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AvailableStep } from '../../../../daemon/model/steps/planned-steps.ts';
import { offer } from '../../../fakes/machines/stepping-agent.ts';
import { startStepping, step, type SteppingSession } from '../../../fakes/machines/stepping-session.ts';

interface PlannedStep {
  readonly interface: string;
  readonly step: string;
  readonly args: object;
  readonly priority: number;
  readonly source: string;
  readonly chosen_by: string | null;
}

interface Plan {
  readonly target: string;
  readonly phase: string;
  readonly steps: readonly PlannedStep[];
  readonly boots_ramdisk: boolean;
  readonly agent_steps_known: boolean | null;
  readonly problems: readonly string[];
}

async function plan(daemon: SteppingSession, node: string, target: string, more: object = {}) {
  const before = daemon.node(node);
  const { status, json, text } = await daemon.request('POST', `/v1/nodes/${node}/steps/plan`, {
    body: { target, ...more },
  });
  assert.equal(status, 200, text);
  assert.deepEqual(daemon.node(node), before);
  return json as Plan;
}

/** Returns a line for each step: `priority interface.step source chosen_by`. */
const lines = ({ steps }: Plan) =>
  steps.map(({ priority, interface: type, step: name, source, chosen_by: by }) =>
    `${priority} ${type}.${name} ${source} ${by ?? ''}`.trimEnd(),
  );

const settings = [{ name: 'Turbo', value: 'on' }];

test('the plan of manual cleaning lists the steps, their sources and what they destroy', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const clean_steps = [
    step('deploy.burn'),
    step('bios.hold'),
    step('deploy.wipe'),
    step('bios.apply', { settings, lab_password: 'hunter2' }),
  ];
  const told = await plan(daemon, node, 'clean', { clean_steps });
  assert.deepEqual(lines(told), [
    '0 deploy.burn unknown clean_steps',
    '0 bios.hold conductor clean_steps',
    '30 deploy.wipe driver clean_steps',
    '0 bios.apply driver clean_steps',
  ]);
  assert.deepEqual([told.phase, told.boots_ramdisk, told.agent_steps_known], ['clean', true, false]);
  assert.deepEqual(told.steps[2], {
    interface: 'deploy',
    step: 'wipe',
    args: {},
    priority: 30,
    abortable: false,
    requires_ramdisk: true,
    source: 'driver',
    chosen_by: 'clean_steps',
    description: 'The step wipe.',
    destroys: 'all data on all disks',
  });
  assert.deepEqual(told.steps[3]?.args, { settings, lab_password: '******' });
  assert.deepEqual(told.problems, [
    'step bios.apply has unexpected arguments: lab_password. It takes settings, reboot',
  ]);
});

test('the plan reports a wrong state, maintenance, a missing step and steps that need a forbidden ramdisk', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('active');
  daemon.services.db.nodes.update(node, {
    maintenance: true,
    driver_internal_info: { agent_cached_clean_steps: {} },
  });
  const clean_steps = [step('deploy.burn'), step('deploy.idle')];
  const { problems, boots_ramdisk } = await plan(daemon, node, 'clean', {
    clean_steps,
    disable_ramdisk: true,
  });
  assert.equal(problems.length, 4, problems.join('\n'));
  for (const [index, reason] of [
    /maintenance mode/,
    /the node has no step deploy\.burn/,
    /step deploy\.burn needs a ramdisk, but disable_ramdisk forbids one/,
    /step deploy\.idle needs a ramdisk, but disable_ramdisk forbids one/,
  ].entries())
    assert.match(problems[index] ?? '', reason);
  assert.equal(boots_ramdisk, true);
  const unfit = await plan(daemon, await daemon.stepping('enroll'), 'provide');
  assert.match(
    unfit.problems.join(),
    /"provide" can not be performed on node .* while it is in state "enroll"/,
  );
});

test('the plan of a deployment orders template, request and driver steps by priority', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('available');
  const name = 'CUSTOM_TURBO';
  const steps = [
    step('bios.apply', { settings }, { priority: 120 }),
    step('deploy.inject', {}, { priority: 70 }),
  ];
  assert.equal((await daemon.request('POST', '/v1/deploy_templates', { body: { name, steps } })).status, 201);
  await daemon.request('PUT', `/v1/nodes/${node}/traits`, { body: { traits: [name] } });
  daemon.services.db.nodes.update(node, { instance_info: { traits: [name] } });
  const deploy_steps = [step('raid.create_configuration', { logical_disks: [] }, { priority: 110 })];
  const unknown = await plan(daemon, node, 'active', { deploy_steps });
  assert.deepEqual(lines(unknown), [
    '120 bios.apply driver deploy template CUSTOM_TURBO',
    '110 raid.create_configuration driver deploy_steps',
    '100 deploy.deploy driver',
    '70 deploy.inject unknown deploy template CUSTOM_TURBO',
    '20 deploy.boot driver',
  ]);
  assert.deepEqual([unknown.agent_steps_known, unknown.problems], [false, []]);

  const cached = { deploy: [offer('deploy.inject', 0), offer('deploy.write_image', 80)] };
  daemon.services.db.nodes.update(node, {
    driver_internal_info: {
      agent_cached_deploy_steps: {
        deploy: cached.deploy.map((each) => ({
          ...(each as AvailableStep),
          source: 'agent',
          argsinfo: {},
          requires_ramdisk: true,
        })),
      },
    },
  });
  const known = await plan(daemon, node, 'active', { deploy_steps });
  assert.deepEqual(lines(known).slice(2), [
    '100 deploy.deploy driver',
    '80 deploy.write_image agent',
    '70 deploy.inject agent deploy template CUSTOM_TURBO',
    '20 deploy.boot driver',
  ]);
  assert.deepEqual([known.agent_steps_known, known.boots_ramdisk, known.problems], [true, true, []]);
  const core = await plan(daemon, node, 'active', {
    deploy_steps: [step('deploy.deploy', {}, { priority: 5 })],
  });
  assert.match(core.problems.join(), /deploy\.deploy is a core step/);
  daemon.services.db.nodes.update(node, { instance_info: { traits: ['CUSTOM_LOST'] } });
  const lost = await plan(daemon, node, 'active');
  assert.deepEqual(lost.steps, []);
  assert.match(lost.problems.join(), /lacks traits .* CUSTOM_LOST/);
});

test('the plan of provide and undeploy lists the steps of automated cleaning', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('manageable');
  const told = await plan(daemon, node, 'provide');
  assert.deepEqual(lines(told), [
    '30 management.set_clock driver',
    '30 deploy.wipe driver',
    '30 deploy.polish driver',
  ]);
  assert.deepEqual([told.phase, told.boots_ramdisk, told.problems], ['clean', true, []]);
  const inUse = await daemon.stepping('active');
  assert.deepEqual(lines(await plan(daemon, inUse, 'deleted')), lines(told));
  daemon.services.db.nodes.update(inUse, { automated_clean: false, protected: true });
  const none = await plan(daemon, inUse, 'undeploy');
  assert.deepEqual([none.steps, none.boots_ramdisk], [[], false]);
  assert.match(none.problems.join(), /is protected/);
});

test('the plan of manual and automated cleaning lists the steps of a runbook', async (t) => {
  const daemon = await startStepping(t, {
    ini: 'automated_cleaning_step_source = hybrid\nautomated_cleaning_runbook = CUSTOM_BOOK\n',
  });
  const steps = [
    { interface: 'bios', step: 'factory_reset', args: {}, order: 2 },
    { interface: 'bios', step: 'apply', args: { settings }, order: 1 },
  ];
  const made = await daemon.request('POST', '/v1/runbooks', {
    body: { name: 'CUSTOM_BOOK', steps, disable_ramdisk: true },
    version: 111,
  });
  assert.equal(made.status, 201, made.text);
  await daemon.request('PUT', `/v1/runbooks/CUSTOM_BOOK/traits`, { body: { traits: ['CUSTOM_BOOK'] } });
  const node = await daemon.stepping('manageable');
  await daemon.request('PUT', `/v1/nodes/${node}/traits`, { body: { traits: ['CUSTOM_BOOK'] } });
  const expected = [
    '0 bios.apply driver runbook CUSTOM_BOOK',
    '0 bios.factory_reset driver runbook CUSTOM_BOOK',
  ];
  for (const [target, more] of [
    ['clean', { runbook: 'CUSTOM_BOOK' }],
    ['provide', {}],
  ] as const) {
    const told = await plan(daemon, node, target, more);
    assert.deepEqual(lines(told), expected, told.problems.join());
    assert.deepEqual([told.boots_ramdisk, told.problems], [false, []]);
  }
});

test('the plan of automated cleaning reports a missing runbook as its only problem', async (t) => {
  const daemon = await startStepping(t, { ini: 'automated_cleaning_step_source = runbook\n' });
  const { problems } = await plan(daemon, await daemon.stepping('manageable'), 'provide');
  assert.equal(problems.length, 1, problems.join('\n'));
  assert.match(problems[0] ?? '', /no runbook for automated cleaning/);
});

test('service and verification can be planned', async (t) => {
  const daemon = await startStepping(t);
  const service = await plan(daemon, await daemon.stepping('active'), 'service', {
    service_steps: [step('bios.factory_reset')],
  });
  assert.deepEqual(lines(service), ['0 bios.factory_reset driver service_steps']);
  assert.deepEqual([service.phase, service.boots_ramdisk], ['service', false]);
  const verify = await plan(daemon, await daemon.stepping('enroll'), 'manage');
  assert.deepEqual(lines(verify), ['7 management.check_clock driver', '5 management.set_clock driver']);
  assert.deepEqual([verify.phase, verify.agent_steps_known], ['verify', null]);
});

test('the first history entry of a deployment lists the planned steps', async (t) => {
  const daemon = await startStepping(t);
  const node = await daemon.stepping('available');
  const more = { deploy_steps: [step('bios.apply', { settings }, { priority: 60 })] };
  const told = await plan(daemon, node, 'active', more);
  assert.equal((await daemon.verb(node, 'active', more)).status, 202);
  assert.deepEqual(await daemon.state(node), ['active', null]);
  const history = await daemon.request('GET', `/v1/nodes/${node}/history?detail=true`);
  const begun = String(history.body.history[0]?.['event']);
  const names = told.steps.map((each) => `${each.interface}.${each.step}`);
  assert.deepEqual(begun.match(/\w+\.\w+(?= \{|,|\.$)/g), names);
});
