// Runs an interface without a machine, to see how it validates records and whether its operations keep the contract.
import type { Clock } from '../../lib/clock.ts';
import { Fault, reasonOf } from '../../model/faults.ts';
import type { JsonObject } from '../../model/json.ts';
import type {
  DriverInterface,
  InspectInterface,
  PropertySpec,
  Task,
  VendorInterface,
} from '../../plugin-api/index.ts';
import { type Rehearsal, rehearsalTask } from '../rehearsal.ts';
import { afterTurns } from '../../lib/limits/after-turns.ts';
import { contract } from '../../plugin-api/contract/interfaces.ts';
import { guard, type GuardedBy, type Origin } from '../../plugin-host/contract/guard.ts';
import { Leases } from '../../plugin-host/contract/leases.ts';
import { hostileSecrets, hostileValues, sampleDriverInfo, SECRET } from './sample-values.ts';

const TIMEOUT_SECONDS = 5;

/** The timers of this clock keep the process alive, unlike those of the daemon's clock. */
const clock: Clock = { now: () => Date.now(), monotonic: () => performance.now(), after: afterTurns };

export const rehearsalGuard = (): GuardedBy => ({
  clock,
  timeoutSeconds: TIMEOUT_SECONDS,
  leases: new Leases(),
});

type Guarded = DriverInterface & Readonly<Record<string, unknown>>;
type Operation = (task: Task, ...rest: readonly unknown[]) => Promise<unknown>;

interface Rehearsed {
  readonly inner: DriverInterface;
  readonly safe: Guarded;
  readonly origin: Origin;
  readonly configuration: Task['configuration'];
}

/** Returns a sentence for each breach of the contract. */
export async function rehearseInterface(
  inner: DriverInterface,
  origin: Origin,
  configuration: Task['configuration'],
): Promise<readonly string[]> {
  const safe = guard(inner, origin, rehearsalGuard()) as Guarded;
  const rehearsed = { inner, safe, origin, configuration };
  const problems = [
    ...unknownMembers(inner, origin),
    ...(await validation(rehearsed)),
    ...(await operations(rehearsed)),
  ];
  return [...new Set(problems)];
}

function unknownMembers(inner: DriverInterface, { type }: Origin): readonly string[] {
  const known = Object.keys(contract[type]);
  return Object.keys(inner)
    .filter((name) => !known.includes(name))
    .map((name) => `${name} is not a member of ${type} interfaces. They have: ${known.join(', ')}`);
}

async function validation(rehearsed: Rehearsed): Promise<readonly string[]> {
  const { properties } = rehearsed.inner;
  const problems = [
    ...(await missingOnes(rehearsed)),
    ...(await judged(rehearsed, sampleDriverInfo(properties))).problems,
  ];
  for (const name of Object.keys(properties)) {
    const values = properties[name]?.secret === true ? [...hostileValues, ...hostileSecrets] : hostileValues;
    for (const value of values) {
      const info = { ...sampleDriverInfo(properties), [name]: value } as JsonObject;
      problems.push(...(await judged(rehearsed, info)).problems);
    }
  }
  return problems;
}

async function missingOnes(rehearsed: Rehearsed): Promise<readonly string[]> {
  const { properties } = rehearsed.inner;
  const required = Object.keys(properties).filter((name) => properties[name]?.required === true);
  const problems: string[] = [];
  for (const name of required) {
    const { [name]: _, ...rest } = sampleDriverInfo(properties);
    const { refusal } = await judged(rehearsed, rest);
    if (refusal === undefined) problems.push(`validate accepts a node without ${name}, which is required`);
    else if (!refusal.includes(name))
      problems.push(`validate refuses a node without ${name} but does not name it: ${refusal}`);
  }
  return problems;
}

interface Judgement {
  readonly refusal: string | undefined;
  readonly problems: readonly string[];
}

/** Runs `validate` on a node with the `driver_info`. */
async function judged({ safe, configuration }: Rehearsed, driver_info: JsonObject): Promise<Judgement> {
  const task = rehearsalTask({ node: { driver_info }, configuration, bmcsAreSilent: true });
  const error = await failureOf(() => safe.validate(task));
  const refusal = error === undefined ? undefined : reasonOf(error);
  return {
    refusal,
    problems: [
      ...(isBreach(error) ? [reasonOf(error)] : []),
      ...(task.done.length > 0 ? [`validate changes the node or its machine: ${task.done.join(', ')}`] : []),
      ...(error instanceof Fault && error.code === 'BmcFailure'
        ? ['validate talks to the BMC; it must only read the record']
        : []),
      ...(refusal?.includes(SECRET) === true && secretIn(driver_info, safe.properties)
        ? ['validate repeats a secret when it refuses a node']
        : []),
    ],
  };
}

const secretIn = (info: JsonObject, properties: Readonly<Record<string, PropertySpec>>): boolean =>
  Object.entries(info).some(
    ([name, value]) => properties[name]?.secret === true && JSON.stringify(value).includes(SECRET),
  );

async function operations(rehearsed: Rehearsed): Promise<readonly string[]> {
  const { safe, origin, inner } = rehearsed;
  const driver_info = sampleDriverInfo(inner.properties);
  if ((await judged(rehearsed, driver_info)).refusal !== undefined) return [];
  const { configuration } = rehearsed;
  const problems = await Promise.all(
    callsOf(safe, origin).flatMap((call) =>
      [false, true].map((stops) => {
        const task = rehearsalTask({ node: { driver_info }, configuration, bmcsAreSilent: true });
        return ending(call, task, stops);
      }),
    ),
  );
  return problems.flat();
}

/** Runs the operation and returns how it breaches the contract. `stops`: whether the task is aborted while the operation runs. */
async function ending([name, run]: NamedCall, task: Rehearsal, stops: boolean): Promise<readonly string[]> {
  const ended = failureOf(() => run(task));
  if (stops) task.abort(new Error('the rehearsal is over'));
  const error = await ended;
  const reason = reasonOf(error);
  return [
    ...(isBreach(error) ? [`${reason}${stops ? ', when its task is aborted' : ''}`] : []),
    ...(reason.includes(SECRET) ? [`${name} repeats a secret when it fails`] : []),
  ];
}

type NamedCall = readonly [name: string, run: (task: Rehearsal) => unknown];

function callsOf(safe: Guarded, { type }: Origin): readonly NamedCall[] {
  const own = Object.entries(contract[type]).flatMap(([name, { kind, given }]): NamedCall[] => {
    const run = safe[name] as Operation | undefined;
    if (kind === 'value' || run === undefined) return [];
    return [[name, (task) => run(task, ...given.map(({ sample }) => structuredClone(sample)))]];
  });
  const steps = Object.entries(safe.steps ?? {}).map(([name, step]): NamedCall => {
    const given = Object.keys(step.arguments ?? {}).map((argument) => [argument, 'example']);
    return [`steps.${name}`, (task) => step.run(task, Object.fromEntries(given))];
  });
  const { poll } = safe as Partial<InspectInterface>;
  const polls: readonly NamedCall[] = poll === undefined ? [] : [['poll.check', (task) => poll.check(task)]];
  const periodic = Object.entries(safe.periodic ?? {}).map(([name, work]): NamedCall => [
    `periodic.${name}`,
    (task) => work.run(task),
  ]);
  return [...own, ...steps, ...polls, ...periodic, ...vendorCalls(safe)];
}

function vendorCalls({ nodeMethods, driverMethods }: Guarded): readonly NamedCall[] {
  const methods = Object.entries({ nodeMethods, driverMethods } as Readonly<
    Record<string, VendorInterface['nodeMethods']>
  >);
  return methods.flatMap(([member, all]) =>
    Object.entries(all ?? {}).map(([name, method]): NamedCall => [
      `${member}.${name}`,
      async (task) => {
        await method.validate?.(task, {});
        await method.call(task, {}, method.httpMethods[0] ?? 'GET');
      },
    ]),
  );
}

async function failureOf(run: () => unknown): Promise<unknown> {
  try {
    await run();
    return undefined;
  } catch (error) {
    return error;
  }
}

const isBreach = (error: unknown) => error instanceof Fault && error.code === 'PluginFailed';
