// The provision state machine: every state, what it permits, and the next state for each event.
// What a state permits and where an event leads is decided here alone; other code calls the functions below.
import type { Permissions, StateClass } from './state-permissions.ts';

interface Row<S extends string> extends Permissions {
  readonly class: StateClass;
  /** The target provision state on entry, unless the caller sets another. */
  readonly target?: S;
  readonly events: Readonly<Partial<Record<ProvisionEvent, S>>>;
}

export type ProvisionEvent =
  | 'manage'
  | 'provide'
  | 'clean'
  | 'inspect'
  | 'adopt'
  | 'deploy'
  | 'rebuild'
  | 'delete'
  | 'rescue'
  | 'unrescue'
  | 'service'
  | 'abort'
  | 'unhold'
  | 'done'
  | 'fail'
  | 'wait'
  | 'resume'
  | 'hold';

const define = <const S extends string>(rows: Readonly<Record<S, Row<NoInfer<S>>>>) => rows;

const states = define({
  enroll: {
    class: 'stable',
    remove: true,
    reconfigure: true,
    rewire: true,
    unsynced: true,
    lookup: 'fast-track',
    heartbeat: 'fast-track',
    events: { manage: 'verifying' },
  },
  verifying: {
    class: 'transient',
    target: 'manageable',
    update: true,
    steps: 'verify',
    events: { done: 'manageable', fail: 'enroll' },
  },
  manageable: {
    class: 'stable',
    remove: true,
    reconfigure: true,
    rewire: true,
    lookup: 'fast-track',
    heartbeat: 'fast-track',
    events: { provide: 'cleaning', clean: 'cleaning', inspect: 'inspecting', adopt: 'adopting' },
  },
  available: {
    class: 'stable',
    remove: 'if-configured',
    reconfigure: true,
    allocate: true,
    lookup: 'fast-track',
    heartbeat: 'fast-track',
    events: { deploy: 'deploying', manage: 'manageable' },
  },
  cleaning: {
    class: 'transient',
    powerLocked: true,
    target: 'available',
    lookup: true,
    heartbeat: 'record',
    steps: 'clean',
    countsAs: 'clean',
    events: {
      done: 'available',
      manage: 'manageable',
      wait: 'clean wait',
      hold: 'clean hold',
      fail: 'clean failed',
    },
  },
  'clean wait': {
    class: 'wait',
    powerLocked: true,
    target: 'available',
    lookup: true,
    heartbeat: 'act',
    unsynced: true,
    steps: 'clean',
    countsAs: 'clean',
    events: { resume: 'cleaning', hold: 'clean hold', fail: 'clean failed', abort: 'clean failed' },
  },
  'clean hold': {
    class: 'hold',
    target: 'available',
    heartbeat: 'record',
    steps: 'clean',
    events: { unhold: 'clean wait', abort: 'clean failed' },
  },
  'clean failed': {
    class: 'failed',
    target: 'available',
    update: true,
    steps: 'clean',
    events: { manage: 'manageable' },
  },
  inspecting: {
    class: 'transient',
    inspectionBoot: true,
    target: 'manageable',
    update: true,
    reconfigure: true,
    rewire: true,
    frozen: true,
    lookup: true,
    heartbeat: 'fast-track',
    events: { done: 'manageable', wait: 'inspect wait', fail: 'inspect failed' },
  },
  'inspect wait': {
    class: 'wait',
    inspectionReport: true,
    inspectionBoot: true,
    target: 'manageable',
    update: true,
    reconfigure: true,
    rewire: true,
    lookup: true,
    heartbeat: 'fast-track',
    events: { resume: 'inspecting', done: 'manageable', fail: 'inspect failed', abort: 'inspect failed' },
  },
  'inspect failed': {
    class: 'failed',
    target: 'manageable',
    update: true,
    events: { manage: 'manageable', inspect: 'inspecting' },
  },
  adopting: { class: 'transient', target: 'active', events: { done: 'active', fail: 'adopt failed' } },
  'adopt failed': {
    class: 'failed',
    target: 'active',
    update: true,
    remove: true,
    unsynced: true,
    events: { adopt: 'adopting', manage: 'manageable' },
  },
  deploying: {
    class: 'transient',
    target: 'active',
    lookup: true,
    heartbeat: 'record',
    steps: 'deploy',
    countsAs: 'deploy',
    events: { done: 'active', wait: 'wait call-back', hold: 'deploy hold', fail: 'deploy failed' },
  },
  'wait call-back': {
    class: 'wait',
    target: 'active',
    lookup: true,
    heartbeat: 'act',
    unsynced: true,
    steps: 'deploy',
    countsAs: 'deploy',
    events: {
      resume: 'deploying',
      hold: 'deploy hold',
      fail: 'deploy failed',
      abort: 'deploy failed',
      delete: 'deleting',
    },
  },
  'deploy hold': {
    class: 'hold',
    target: 'active',
    heartbeat: 'record',
    steps: 'deploy',
    events: { unhold: 'wait call-back', abort: 'deploy failed' },
  },
  'deploy failed': {
    class: 'failed',
    target: 'active',
    update: true,
    steps: 'deploy',
    events: { deploy: 'deploying', rebuild: 'deploying', delete: 'deleting' },
  },
  active: {
    class: 'stable',
    protect: true,
    inUse: true,
    events: { rebuild: 'deploying', delete: 'deleting', rescue: 'rescuing', service: 'servicing' },
  },
  error: { class: 'stable', update: true, events: { rebuild: 'deploying', delete: 'deleting' } },
  deleting: {
    class: 'transient',
    target: 'available',
    countsAs: 'clean',
    events: { clean: 'cleaning', fail: 'error' },
  },
  rescuing: {
    class: 'transient',
    target: 'rescue',
    lookup: true,
    heartbeat: 'record',
    events: { done: 'rescue', wait: 'rescue wait', fail: 'rescue failed' },
  },
  'rescue wait': {
    rescued: true,
    class: 'wait',
    target: 'rescue',
    lookup: true,
    heartbeat: 'act',
    events: { resume: 'rescuing', fail: 'rescue failed', abort: 'rescue failed', delete: 'deleting' },
  },
  rescue: {
    rescued: true,
    class: 'stable',
    protect: true,
    events: { rescue: 'rescuing', unrescue: 'unrescuing', delete: 'deleting' },
  },
  'rescue failed': {
    rescued: true,
    class: 'failed',
    target: 'rescue',
    update: true,
    events: { rescue: 'rescuing', unrescue: 'unrescuing', delete: 'deleting' },
  },
  unrescuing: { class: 'transient', target: 'active', events: { done: 'active', fail: 'unrescue failed' } },
  'unrescue failed': {
    rescued: true,
    class: 'failed',
    target: 'active',
    update: true,
    events: { rescue: 'rescuing', unrescue: 'unrescuing', delete: 'deleting' },
  },
  servicing: {
    class: 'transient',
    target: 'active',
    lookup: 'fast-track',
    heartbeat: 'record',
    steps: 'service',
    events: { done: 'active', wait: 'service wait', hold: 'service hold', fail: 'service failed' },
  },
  'service wait': {
    class: 'wait',
    target: 'active',
    lookup: true,
    heartbeat: 'act',
    steps: 'service',
    events: {
      resume: 'servicing',
      hold: 'service hold',
      fail: 'service failed',
      abort: 'service failed',
      delete: 'deleting',
    },
  },
  'service hold': {
    class: 'hold',
    target: 'active',
    update: true,
    lookup: 'fast-track',
    heartbeat: 'record',
    steps: 'service',
    events: { service: 'servicing', unhold: 'service wait', fail: 'service failed', abort: 'service failed' },
  },
  'service failed': {
    class: 'failed',
    target: 'active',
    update: true,
    steps: 'service',
    events: {
      service: 'servicing',
      wait: 'service wait',
      hold: 'service hold',
      rescue: 'rescuing',
      delete: 'deleting',
      abort: 'active',
    },
  },
});

export type ProvisionState = keyof typeof states;

const row = (state: ProvisionState): Row<ProvisionState> => states[state];

export const provisionStates = Object.keys(states) as readonly ProvisionState[];

export const isProvisionState = (text: string): text is ProvisionState => Object.hasOwn(states, text);

/** Returns the next state after `event` in `state`; undefined if the event is not possible in it. */
export const next = (state: ProvisionState, event: ProvisionEvent): ProvisionState | undefined =>
  row(state).events[event];

export const eventsOf = (state: ProvisionState): readonly ProvisionEvent[] =>
  Object.keys(row(state).events) as ProvisionEvent[];

export const classOf = (state: ProvisionState): StateClass => row(state).class;

export const isStable = (state: ProvisionState): boolean => classOf(state) === 'stable';

/** Whether work is running or awaited in the state. Requests to change the boot mode or secure boot are refused then. */
export const isUnstable = (state: ProvisionState): boolean =>
  classOf(state) === 'transient' || classOf(state) === 'wait';

/** Whether the state means that a flow has failed: true for the `... failed` states and `error`. */
export const isFailure = (state: ProvisionState): boolean => classOf(state) === 'failed' || state === 'error';

/** Returns the target provision state on entry; null for stable states. */
export const defaultTarget = (state: ProvisionState): ProvisionState | null => row(state).target ?? null;

/** Returns the state of a node after a restart of the daemon: work that was running cannot be resumed, and fails. */
export function afterRestart(state: ProvisionState): ProvisionState {
  return classOf(state) === 'transient' ? (next(state, 'fail') ?? state) : state;
}

export function permissionIn<A extends keyof Permissions>(state: ProvisionState, action: A): Permissions[A] {
  return row(state)[action];
}

export const statesThat = (action: keyof Permissions): readonly ProvisionState[] =>
  provisionStates.filter((state) => permissionIn(state, action) !== undefined);

export const statesOfClass = (wanted: StateClass): readonly ProvisionState[] =>
  provisionStates.filter((state) => classOf(state) === wanted);
