// The state machine, checked against a table: transitions, classes, permissions and restarts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProvisionEvent, WaitEvent } from '../../../../daemon/model/states/provision-events.ts';
import {
  afterRestart,
  classOf,
  defaultTarget,
  eventsOf,
  isFailure,
  isProvisionState,
  isStable,
  isUnstable,
  next,
  permissionIn,
  provisionStates,
  type ProvisionState,
  statesOfClass,
  statesThat,
} from '../../../../daemon/model/states/provision-states.ts';

// from | events | to | target provision state on entry
const table = `
  enroll          | manage          | verifying       | manageable
  verifying       | done            | manageable      | —
  verifying       | fail            | enroll          | —
  manageable      | provide         | cleaning        | available
  manageable      | clean           | cleaning        | available
  manageable      | inspect         | inspecting      | manageable
  manageable      | adopt           | adopting        | active
  available       | deploy          | deploying       | active
  available       | manage          | manageable      | —
  cleaning        | done            | available       | —
  cleaning        | manage          | manageable      | —
  cleaning        | wait            | clean wait      | available
  cleaning        | hold            | clean hold      | available
  cleaning        | fail            | clean failed    | available
  clean wait      | resume          | cleaning        | available
  clean wait      | hold            | clean hold      | available
  clean wait      | fail, abort     | clean failed    | available
  clean hold      | unhold          | clean wait      | available
  clean hold      | abort           | clean failed    | available
  clean failed    | manage          | manageable      | —
  inspecting      | done            | manageable      | —
  inspecting      | wait            | inspect wait    | manageable
  inspecting      | fail            | inspect failed  | manageable
  inspect wait    | resume          | inspecting      | manageable
  inspect wait    | done            | manageable      | —
  inspect wait    | fail, abort     | inspect failed  | manageable
  inspect failed  | manage          | manageable      | —
  inspect failed  | inspect         | inspecting      | manageable
  adopting        | done            | active          | —
  adopting        | fail            | adopt failed    | active
  adopt failed    | adopt           | adopting        | active
  adopt failed    | manage          | manageable      | —
  deploying       | done            | active          | —
  deploying       | wait            | wait call-back  | active
  deploying       | hold            | deploy hold     | active
  deploying       | fail            | deploy failed   | active
  wait call-back  | resume          | deploying       | active
  wait call-back  | hold            | deploy hold     | active
  wait call-back  | fail, abort     | deploy failed   | active
  wait call-back  | delete          | deleting        | available
  deploy hold     | unhold          | wait call-back  | active
  deploy hold     | abort           | deploy failed   | active
  deploy failed   | deploy, rebuild | deploying       | active
  deploy failed   | delete          | deleting        | available
  active          | rebuild         | deploying       | active
  active          | delete          | deleting        | available
  active          | rescue          | rescuing        | rescue
  active          | service         | servicing       | active
  error           | rebuild         | deploying       | active
  error           | delete          | deleting        | available
  deleting        | clean           | cleaning        | available
  deleting        | fail            | error           | —
  rescuing        | done            | rescue          | —
  rescuing        | wait            | rescue wait     | rescue
  rescuing        | fail            | rescue failed   | rescue
  rescue wait     | resume          | rescuing        | rescue
  rescue wait     | fail, abort     | rescue failed   | rescue
  rescue wait     | delete          | deleting        | available
  rescue          | rescue          | rescuing        | rescue
  rescue          | unrescue        | unrescuing      | active
  rescue          | delete          | deleting        | available
  rescue failed   | rescue          | rescuing        | rescue
  rescue failed   | unrescue        | unrescuing      | active
  rescue failed   | delete          | deleting        | available
  unrescuing      | done            | active          | —
  unrescuing      | fail            | unrescue failed | active
  unrescue failed | rescue          | rescuing        | rescue
  unrescue failed | unrescue        | unrescuing      | active
  unrescue failed | delete          | deleting        | available
  servicing       | done            | active          | —
  servicing       | wait            | service wait    | active
  servicing       | hold            | service hold    | active
  servicing       | fail            | service failed  | active
  service wait    | resume          | servicing       | active
  service wait    | hold            | service hold    | active
  service wait    | fail, abort     | service failed  | active
  service wait    | delete          | deleting        | available
  service hold    | service         | servicing       | active
  service hold    | unhold          | service wait    | active
  service hold    | fail, abort     | service failed  | active
  service failed  | service         | servicing       | active
  service failed  | wait            | service wait    | active
  service failed  | hold            | service hold    | active
  service failed  | rescue          | rescuing        | rescue
  service failed  | delete          | deleting        | available
  service failed  | abort           | active          | —
`;

interface Transition {
  readonly from: ProvisionState;
  readonly event: ProvisionEvent;
  readonly to: ProvisionState;
  readonly target: ProvisionState | null;
}

const state = (text: string | undefined): ProvisionState => {
  assert.ok(text !== undefined && isProvisionState(text), `${text} is no provision state`);
  return text;
};

const transitions: readonly Transition[] = table
  .trim()
  .split('\n')
  .flatMap((line) => {
    const [from, events = '', to, target] = line.split('|').map((cell) => cell.trim());
    return events.split(', ').map((event) => ({
      from: state(from),
      event: event as ProvisionEvent,
      to: state(to),
      target: target === '—' ? null : state(target),
    }));
  });

const sameStates = (actual: readonly ProvisionState[], expected: readonly ProvisionState[]) =>
  assert.deepEqual(actual.toSorted(), expected.toSorted());

const statesWith = (action: 'lookup' | 'heartbeat', wanted: unknown) =>
  provisionStates.filter((each) => permissionIn(each, action) === wanted);

const classes = {
  stable: ['enroll', 'manageable', 'available', 'active', 'error', 'rescue'],
  transient: [
    'verifying',
    'inspecting',
    'cleaning',
    'deploying',
    'deleting',
    'adopting',
    'rescuing',
    'unrescuing',
    'servicing',
  ],
  wait: ['inspect wait', 'clean wait', 'wait call-back', 'rescue wait', 'service wait'],
  failed: [
    'inspect failed',
    'clean failed',
    'deploy failed',
    'adopt failed',
    'rescue failed',
    'unrescue failed',
    'service failed',
  ],
  hold: ['clean hold', 'deploy hold', 'service hold'],
} as const;

test('there are 30 states and 93 transitions', () => {
  assert.equal(provisionStates.length, 30);
  assert.equal(transitions.length, 93);
});

for (const { from, event, to, target } of transitions) {
  test(`${event} leads from ${from} to ${to}`, () => {
    assert.equal(next(from, event), to);
    assert.equal(defaultTarget(to), target);
  });
}

test('no state accepts an event that the table does not list', () => {
  for (const from of provisionStates) {
    const events = transitions.filter((row) => row.from === from).map(({ event }) => event);
    assert.deepEqual(eventsOf(from).toSorted(), events.toSorted(), from);
  }
  assert.equal(next('enroll', 'deploy'), undefined);
  assert.equal(next('clean hold', 'fail'), undefined);
});

for (const [name, members] of Object.entries(classes)) {
  test(`the ${name} class contains exactly the listed states`, () => {
    sameStates(statesOfClass(name as keyof typeof classes), members);
    for (const member of members) assert.equal(classOf(member), name);
  });
}

test('isStable, isUnstable and isFailure follow the class of the state, and error is a failure too', () => {
  sameStates(provisionStates.filter(isStable), classes.stable);
  sameStates(provisionStates.filter(isUnstable), [...classes.transient, ...classes.wait]);
  sameStates(provisionStates.filter(isFailure), [...classes.failed, 'error']);
});

test('exactly the events wait, hold and unhold lead into a state in which a node waits or is on hold', () => {
  const waiting: readonly ProvisionState[] = [...classes.wait, ...classes.hold];
  const leading = provisionStates.flatMap((from) =>
    eventsOf(from).filter((event) => waiting.some((each) => each === next(from, event))),
  );
  assert.deepEqual([...new Set(leading)].toSorted(), ['hold', 'unhold', 'wait']);
  for (const from of provisionStates)
    for (const event of ['wait', 'hold', 'unhold'] satisfies WaitEvent[]) {
      const to = next(from, event);
      assert.ok(to === undefined || waiting.includes(to), `${from}: ${event}`);
    }
});

test('only stable states have no target', () => {
  sameStates(
    provisionStates.filter((each) => defaultTarget(each) === null),
    classes.stable,
  );
});

test('a restart fails running work and leaves every other state unchanged', () => {
  const failed: Partial<Record<ProvisionState, ProvisionState>> = {
    deploying: 'deploy failed',
    cleaning: 'clean failed',
    verifying: 'enroll',
    inspecting: 'inspect failed',
    adopting: 'adopt failed',
    rescuing: 'rescue failed',
    unrescuing: 'unrescue failed',
    deleting: 'error',
    servicing: 'service failed',
  };
  for (const each of provisionStates) assert.equal(afterRestart(each), failed[each] ?? each, each);
});

test('a node with a target state may be updated in exactly the listed states', () => {
  sameStates(statesThat('update'), [
    'deploy failed',
    'inspecting',
    'inspect failed',
    'inspect wait',
    'clean failed',
    'error',
    'verifying',
    'adopt failed',
    'rescue failed',
    'unrescue failed',
    'service hold',
    'service failed',
  ]);
});

test('a node may be deleted in exactly the listed states, in available only if configured', () => {
  sameStates(statesThat('remove'), ['manageable', 'enroll', 'adopt failed', 'available']);
  assert.equal(permissionIn('available', 'remove'), 'if-configured');
  assert.equal(permissionIn('manageable', 'remove'), true);
});

test('the permissions rewire, frozen and reconfigure hold in exactly the listed states', () => {
  sameStates(statesThat('rewire'), ['enroll', 'inspecting', 'inspect wait', 'manageable']);
  sameStates(statesThat('frozen'), ['inspecting']);
  sameStates(statesThat('reconfigure'), ['enroll', 'inspecting', 'inspect wait', 'manageable', 'available']);
});

test('lookup is allowed in exactly the listed states, and in more with fast track', () => {
  sameStates(statesWith('lookup', true), [
    'deploying',
    'wait call-back',
    'cleaning',
    'clean wait',
    'inspecting',
    'inspect wait',
    'rescuing',
    'rescue wait',
    'service wait',
  ]);
  sameStates(statesWith('lookup', 'fast-track'), [
    'enroll',
    'manageable',
    'available',
    'servicing',
    'service hold',
  ]);
});

test('a heartbeat may resume work, is only recorded, or needs fast track in exactly the listed states', () => {
  sameStates(statesWith('heartbeat', 'act'), ['wait call-back', 'clean wait', 'rescue wait', 'service wait']);
  sameStates(statesWith('heartbeat', 'record'), [
    'deploying',
    'cleaning',
    'rescuing',
    'deploy hold',
    'clean hold',
    'servicing',
    'service hold',
  ]);
  sameStates(statesWith('heartbeat', 'fast-track'), [
    'enroll',
    'manageable',
    'available',
    'inspecting',
    'inspect wait',
  ]);
});

test('power synchronisation skips exactly the listed states', () => {
  sameStates(statesThat('unsynced'), ['wait call-back', 'clean wait', 'enroll', 'adopt failed']);
});

test('verbs and names of Object.prototype members are not provision states', () => {
  for (const text of ['deploy', 'deleted', 'undeploy', 'rebuild', 'service', '', 'toString', '__proto__'])
    assert.equal(isProvisionState(text), false, text);
});
