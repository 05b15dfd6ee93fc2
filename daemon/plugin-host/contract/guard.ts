// Wraps plugin code: a throw, hang or bad result fails that one operation with a clear error.
import { activities, type Activity } from '../../lib/loop-watch/activity.ts';
import type { Clock } from '../../lib/clock.ts';
import { examinable, Fault, fault, reasonOf } from '../../model/faults.ts';
import type { InterfaceType } from '../../model/machine/interface-types.ts';
import {
  type DriverContext,
  type DriverInterface,
  InspectionError,
  type Task,
} from '../../plugin-api/index.ts';
import { contract } from '../../plugin-api/contract/interfaces.ts';
import { anything, describeValue, type Shape } from '../../plugin-api/contract/shapes.ts';
import type { Leases, Tenant } from './leases.ts';

export interface GuardedBy {
  readonly clock: Clock;
  /** An operation that takes longer fails. */
  readonly timeoutSeconds: number;
  readonly leases: Leases;
}

/** The interface and the plugin that the code belongs to, for messages. */
export interface Origin {
  readonly type: InterfaceType;
  readonly name: string;
  readonly plugin: string;
}

type Run = (context: DriverContext, ...rest: readonly unknown[]) => unknown;

interface Call {
  readonly owner: object;
  readonly run: Run;
  readonly operation: string;
  readonly shape: Shape;
}

/** Wraps an interface: an operation that breaks the contract throws PluginFailed. */
export function guard(inner: DriverInterface, origin: Origin, by: GuardedBy): DriverInterface {
  const members = contract[origin.type];
  const given = inner as unknown as Readonly<Record<string, unknown>>;
  const guarding: Guarding = { origin, by, tenant: { plugin: origin.plugin, properties: inner.properties } };
  const safe = Object.entries(members).flatMap(([name, { shape, results }]): [string, unknown][] => {
    const value = given[name];
    if (value === undefined) return [];
    if (results !== undefined) return [[name, guardNested(value, name, results, guarding)]];
    if (typeof value !== 'function') return [[name, value]];
    return [[name, waitedFor({ owner: inner, run: value as Run, operation: name, shape }, guarding)]];
  });
  return Object.freeze(Object.fromEntries(safe)) as unknown as DriverInterface;
}

interface Guarding {
  readonly origin: Origin;
  readonly by: GuardedBy;
  readonly tenant: Tenant;
}

function guardNested(
  value: unknown,
  path: string,
  shapes: Readonly<Record<string, Shape>>,
  guarding: Guarding,
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([name, inner]: [string, unknown]) => {
    const operation = `${path}.${name}`;
    if (typeof inner !== 'function') return [name, guardNested(inner, operation, shapes, guarding)];
    return [
      name,
      waitedFor({ owner: value, run: inner as Run, operation, shape: shapes[name] ?? anything }, guarding),
    ];
  });
  return Object.fromEntries(entries) as unknown;
}

function waitedFor({ owner, run, operation, shape }: Call, { origin, by, tenant }: Guarding): Run {
  return async (context, ...rest) => {
    const lease = by.leases.lease(context, tenant);
    const { promise: overdue, reject } = Promise.withResolvers<never>();
    const cancel = by.clock.after(by.timeoutSeconds * 1000, () =>
      reject(new Error(`it has not ended within ${by.timeoutSeconds} s ([plugins] operation_timeout)`)),
    );
    try {
      const work = async () => run.call(owner, lease.task, ...rest);
      const running = activities.run(activityOf(origin, operation), work);
      return admitted(await Promise.race([running, overdue]), shape);
    } catch (error) {
      throw told(examinable(error), { context, operation, origin });
    } finally {
      cancel();
      lease.end();
    }
  };
}

const activityOf = ({ type, name, plugin }: Origin, operation: string): Activity => ({
  ...activities.getStore(),
  plugin,
  interface: `${type} ${name}`,
  operation,
});

function admitted(value: unknown, shape: Shape): unknown {
  const known = value ?? null;
  if (shape.admits(known)) return known;
  throw new TypeError(`it returned ${describeValue(value)}; expected ${shape.expected}`);
}

interface Circumstances {
  readonly context: DriverContext;
  readonly operation: string;
  readonly origin: Origin;
}

/** Returns errors for the operator and errors of the daemon unchanged; logs any other error, and returns PluginFailed for it. */
function told(error: unknown, { context, operation, origin }: Circumstances): unknown {
  const meant = error instanceof Fault || error instanceof InspectionError;
  if (meant || isHosts(error, context.signal)) return error;
  context.log.error({ error, ...origin, operation }, 'a plugin failed');
  const isPlain = !(error instanceof Error) || error.name === 'Error';
  const reason = isPlain ? reasonOf(error) : `${error.name}: ${reasonOf(error)}`;
  // a rehearsal's node has no UUID
  const node = 'node' in context ? (context as Task).node.uuid : '';
  const place = node === '' ? '' : ` on node ${node}`;
  return fault('PluginFailed', { ...origin, operation, place, reason }, { cause: error });
}

/** Whether the error comes from the daemon, not from the plugin: the abort reason of the task's signal, or a database error. */
function isHosts(error: unknown, { aborted, reason }: AbortSignal): boolean {
  const isDatabases = error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_');
  return isDatabases || (aborted && error === reason);
}
