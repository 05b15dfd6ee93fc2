// The steps of a deployment, planned from available steps, templates and the request.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planDeployment } from '../../../../daemon/model/steps/deploy-plan.ts';
import type { JsonObject } from '../../../../daemon/model/json.ts';
import type { AvailableStep } from '../../../../daemon/model/steps/planned-steps.ts';
import { type DeployStep, stepName } from '../../../../daemon/model/steps/step-lists.ts';

function offer(name: string, priority: number, more: Partial<AvailableStep> = {}): AvailableStep {
  const [type = '', step = ''] = name.split('.');
  return {
    interface: type,
    step,
    source: 'driver',
    priority,
    abortable: true,
    requires_ramdisk: true,
    reboot_requested: false,
    argsinfo: {},
    description: null,
    destroys: null,
    ...more,
  };
}

function chosen(name: string, priority: number, args: JsonObject = {}): DeployStep {
  const [type = '', step = ''] = name.split('.');
  return { interface: type, step, args, priority };
}

const available = [
  offer('deploy.deploy', 100),
  offer('deploy.write_image', 80),
  offer('deploy.tear_down_agent', 40),
  offer('raid.create_configuration', 0, { argsinfo: { level: { required: true }, size: {} } }),
  offer('bios.apply_configuration', 0, { argsinfo: { settings: { required: true } } }),
];

interface Choices {
  readonly requested?: readonly DeployStep[];
  readonly templates?: readonly { readonly name: string; readonly steps: readonly DeployStep[] }[];
  readonly disallowed?: readonly string[];
}

function plan({ requested = [], templates = [], disallowed = [] }: Choices) {
  const { steps, unknown, problems } = planDeployment(available, { requested, templates, disallowed });
  return {
    steps: steps.map((step) => `${step.priority} ${stepName(step)}`),
    args: steps.map(({ args }) => args).filter((args) => args !== undefined),
    by: steps.map(({ chosenBy }) => chosenBy).filter((by) => by !== null),
    unknown: unknown.map(stepName),
    problems,
  };
}

const OWN = ['100 deploy.deploy', '80 deploy.write_image', '40 deploy.tear_down_agent'];
const mirror = (priority: number, level = '1') => chosen('raid.create_configuration', priority, { level });

test('without templates and requests, only steps with a priority above 0 run', () => {
  assert.deepEqual(plan({}).steps, OWN);
});

test("a template's step takes its priority and arguments from the template", () => {
  const { steps, args, by } = plan({ templates: [{ name: 'CUSTOM_A', steps: [mirror(120)] }] });
  assert.deepEqual(steps, ['120 raid.create_configuration', ...OWN]);
  assert.deepEqual(args, [{ level: '1' }]);
  assert.deepEqual(by, ['deploy template CUSTOM_A']);
});

test("a requested step replaces the template's step including all arguments", () => {
  const templates = [
    { name: 'CUSTOM_A', steps: [chosen('raid.create_configuration', 120, { level: '1', size: 9 })] },
  ];
  const { steps, args, by } = plan({ templates, requested: [mirror(90, '5')] });
  assert.deepEqual(steps, ['100 deploy.deploy', '90 raid.create_configuration', ...OWN.slice(1)]);
  assert.deepEqual(args, [{ level: '5' }]);
  assert.deepEqual(by, ['deploy_steps']);
});

test('a step that occurs in several templates runs once for each', () => {
  const templates = [
    { name: 'CUSTOM_A', steps: [mirror(120)] },
    { name: 'CUSTOM_B', steps: [mirror(150, '0')] },
  ];
  const { steps, args, problems } = plan({ templates });
  assert.deepEqual(steps, ['150 raid.create_configuration', '120 raid.create_configuration', ...OWN]);
  assert.deepEqual(args, [{ level: '0' }, { level: '1' }]);
  assert.deepEqual(problems, []);
});

test('priority 0 skips a step, even a core step or one without its required arguments', () => {
  const requested = [
    chosen('deploy.deploy', 0),
    chosen('deploy.write_image', 0),
    chosen('raid.create_configuration', 0),
  ];
  assert.deepEqual(plan({ requested }), {
    steps: ['40 deploy.tear_down_agent'],
    args: [],
    by: [],
    unknown: [],
    problems: [],
  });
});

test('neither a request nor a template may change the priority of a core step, except to 0', () => {
  const steps = [chosen('deploy.deploy', 110)];
  assert.deepEqual(plan({ requested: steps }).problems, [
    'deploy_steps: deploy.deploy is a core step, which can only be left out, with priority 0',
  ]);
  assert.deepEqual(plan({ templates: [{ name: 'CUSTOM_A', steps }] }).problems, [
    'deploy template CUSTOM_A: deploy.deploy is a core step, which can only be left out, with priority 0',
  ]);
});

test('steps of equal priority run in the order of their interface types', () => {
  const requested = [
    chosen('raid.create_configuration', 80, { level: '1' }),
    chosen('bios.apply_configuration', 80, { settings: [] }),
  ];
  assert.deepEqual(plan({ requested }).steps, [
    '100 deploy.deploy',
    '80 deploy.write_image',
    '80 bios.apply_configuration',
    '80 raid.create_configuration',
    '40 deploy.tear_down_agent',
  ]);
});

test('missing and unknown arguments, repeated steps and unknown steps are reported', () => {
  const { problems, unknown } = plan({
    requested: [
      chosen('raid.create_configuration', 10, { speed: 1 }),
      chosen('deploy.dance', 10),
      chosen('deploy.dance', 20),
    ],
  });
  assert.deepEqual(problems, [
    'deploy_steps: step deploy.dance is listed more than once',
    'deploy_steps: step raid.create_configuration has unexpected arguments: speed. It takes level, size',
    'deploy_steps: step raid.create_configuration lacks the required arguments level',
  ]);
  assert.deepEqual(unknown, ['deploy.dance', 'deploy.dance']);
});

test('disallowed steps do not run, whether available or from a template', () => {
  const templates = [{ name: 'CUSTOM_A', steps: [mirror(120)] }];
  const disallowed = ['deploy.write_image', 'raid.create_configuration'];
  assert.deepEqual(plan({ templates, disallowed }).steps, ['100 deploy.deploy', '40 deploy.tear_down_agent']);
});

test("the conductor's own steps run at their priorities, as often as requested, and their arguments are checked", () => {
  const requested = [
    chosen('power.reboot', 90),
    chosen('power.wait', 70, { seconds: 5 }),
    chosen('power.wait', 50, { seconds: 9 }),
    chosen('deploy.hold', 0),
  ];
  const { steps, args, unknown, problems } = plan({ requested });
  assert.deepEqual(steps, [
    '100 deploy.deploy',
    '90 power.reboot',
    '80 deploy.write_image',
    '70 power.wait',
    '50 power.wait',
    '40 deploy.tear_down_agent',
  ]);
  assert.deepEqual([args, unknown, problems], [[{}, { seconds: 5 }, { seconds: 9 }], [], []]);
  assert.deepEqual(plan({ requested: [chosen('deploy.wait', 5, { seconds: 'long', hours: 1 })] }).problems, [
    'deploy_steps: step deploy.wait has unexpected arguments: hours. It takes seconds',
    'deploy_steps: argument "seconds" of step "wait" is "long"; expected a number of seconds up to 2147483',
  ]);
});
