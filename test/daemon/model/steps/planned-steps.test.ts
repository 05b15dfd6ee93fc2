import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  inRunningOrder,
  isReserved,
  type AvailableStep,
  planAvailable,
  planRequested,
  reservedSteps,
  stepInterfaces,
  waitSeconds,
} from '../../../../daemon/model/steps/planned-steps.ts';
import type { RequestedStep } from '../../../../daemon/model/steps/step-lists.ts';
import { stepPhases } from '../../../../daemon/model/steps/step-phases.ts';

const available = (
  type: string,
  step: string,
  priority = 0,
  more: Partial<AvailableStep> = {},
): AvailableStep => ({
  interface: type,
  step,
  source: 'driver',
  priority,
  abortable: false,
  requires_ramdisk: true,
  reboot_requested: false,
  argsinfo: {},
  description: null,
  destroys: null,
  ...more,
});

/** The interface types of each phase. Of two steps of equal priority, the one whose type comes earlier runs first. */
const ranks = {
  verify: 'power management firmware inspect deploy boot bios raid vendor network storage console rescue',
  clean: 'vendor power management firmware deploy bios raid',
  deploy: 'vendor power management firmware deploy bios raid',
  service: 'network vendor power management firmware deploy bios raid',
};

for (const phase of stepPhases) {
  test(`${phase} steps run by priority, and equal ones in the order of their interface types`, () => {
    const types = ranks[phase].split(' ');
    assert.deepEqual([...stepInterfaces[phase]], types);
    const equal = types.toReversed().map((type) => available(type, 'x', 5));
    const all = [...equal, available('raid', 'first', 9), available('power', 'last', 1)];
    assert.deepEqual(
      inRunningOrder(phase, all).map((step) => `${step.interface}.${step.step}`),
      ['raid.first', ...types.map((type) => `${type}.x`), 'power.last'],
    );
  });
}

test('planAvailable plans exactly the steps with a priority above 0', () => {
  const steps = [
    available('raid', 'opt_in', 0),
    available('deploy', 'low', 1),
    available('bios', 'high', 50),
  ];
  assert.deepEqual(
    planAvailable('clean', steps).map(({ step, priority }) => [step, priority]),
    [
      ['high', 50],
      ['low', 1],
    ],
  );
});

test('requested steps keep their order and arguments; all else is taken from the steps that the node offers', () => {
  const offers = [
    available('raid', 'create', 3, { abortable: true, argsinfo: { size: {} }, reboot_requested: true }),
    available('bios', 'reset', 0, { requires_ramdisk: false }),
  ];
  const { steps, unknown, problems } = planRequested(
    [
      { interface: 'bios', step: 'reset', order: 7 },
      { interface: 'raid', step: 'create', args: { size: 5 } },
      { interface: 'bios', step: 'reset', args: {} },
    ],
    offers,
  );
  assert.deepEqual([unknown, problems], [[], []]);
  assert.deepEqual(steps, [
    { interface: 'bios', step: 'reset', priority: 0, abortable: false, requires_ramdisk: false },
    {
      interface: 'raid',
      step: 'create',
      args: { size: 5 },
      priority: 3,
      abortable: true,
      requires_ramdisk: true,
      reboot_requested: true,
    },
    { interface: 'bios', step: 'reset', args: {}, priority: 0, abortable: false, requires_ramdisk: false },
  ]);
});

test('reserved steps and steps for child nodes are planned even if the node does not offer them, and keep their places', () => {
  const requested: RequestedStep[] = [
    { interface: 'deploy', step: 'hold' },
    { interface: 'bios', step: 'anything', execute_on_child_nodes: true, limit_child_node_execution: ['u'] },
    { interface: 'raid', step: 'wait', args: { seconds: 5 } },
  ];
  const { steps, unknown, problems } = planRequested(requested, []);
  assert.deepEqual([unknown, problems], [[], []]);
  assert.deepEqual(
    steps.map(({ step, requires_ramdisk, abortable }) => [step, requires_ramdisk, abortable]),
    [
      ['hold', false, true],
      ['anything', false, true],
      ['wait', false, true],
    ],
  );
  assert.deepEqual(steps[1]?.limit_child_node_execution, ['u']);
});

test('every problem of a request is reported', () => {
  const { unknown, problems } = planRequested(
    [
      { interface: 'bios', step: 'apply', args: { speed: 1, size: 2 } },
      { interface: 'bios', step: 'fly' },
      { interface: 'bios', step: 'wait', args: { seconds: -1 } },
      { interface: 'bios', step: 'reboot', args: { hard: true } },
      { interface: 'bios', step: 'wait', execute_on_child_nodes: true },
    ],
    [available('bios', 'apply', 0, { argsinfo: { settings: { required: true }, size: {} } })],
  );
  assert.deepEqual(
    unknown.map(({ step }) => step),
    ['fly'],
  );
  assert.deepEqual(problems, [
    'step bios.apply has unexpected arguments: speed. It takes settings, size',
    'step bios.apply lacks the required arguments settings',
    'argument "seconds" of step "wait" is -1; expected a number of seconds up to 2147483',
    'step bios.reboot has unexpected arguments: hard. It takes none',
    'step "wait" cannot run on child nodes',
  ]);
});

test('waitSeconds returns seconds given as a number or as digits, up to 2,147,483; undefined for any other value', () => {
  for (const [seconds, expected] of [
    [5, 5],
    ['30', 30],
    [0, 0],
    [2_147_483, 2_147_483],
    [2_147_484, undefined],
    ['soon', undefined],
    [null, undefined],
    [undefined, undefined],
  ] as const) {
    assert.equal(waitSeconds({ args: seconds === undefined ? {} : { seconds } }), expected, String(seconds));
  }
});

test('planning any request never throws and lists unavailable steps as unknown', () => {
  const name = fc.oneof(fc.constantFrom(...reservedSteps, 'apply', '__proto__', 'toString'), fc.string());
  const request = fc.array(
    fc.record(
      {
        interface: fc.constantFrom('bios', 'deploy', 'nothing'),
        step: name,
        args: fc.dictionary(fc.string(), fc.jsonValue()),
        execute_on_child_nodes: fc.boolean(),
      },
      { requiredKeys: ['interface', 'step'] },
    ),
  );
  const offers = [available('bios', 'apply', 1, { argsinfo: { settings: { required: true } } })];
  fc.assert(
    fc.property(request, (requested) => {
      const plan = planRequested(requested as RequestedStep[], offers);
      assert.deepEqual(
        plan.steps.map(({ step }) => step),
        requested.map(({ step }) => step),
      );
      const foreign = requested.filter(
        (each) =>
          each.execute_on_child_nodes !== true &&
          !isReserved(each.step) &&
          !(each.interface === 'bios' && each.step === 'apply'),
      );
      assert.equal(plan.unknown.length, foreign.length);
    }),
  );
});
