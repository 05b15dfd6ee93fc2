import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault, fault } from '../../../../daemon/model/faults.ts';
import type { InterfaceType } from '../../../../daemon/model/machine/interface-types.ts';
import { guard } from '../../../../daemon/plugin-host/contract/guard.ts';
import { type DriverInterface, InspectionError, type Task } from '../../../../daemon/plugin-api/index.ts';
import { Leases } from '../../../../daemon/plugin-host/contract/leases.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { fakeTask } from '../../../fakes/task.ts';

type Call = (task: Task, ...rest: readonly unknown[]) => Promise<unknown>;

/** The operation, guarded as the daemon guards it. */
function guarded(type: InterfaceType, name: string, run: (task: Task) => unknown, clock = fakeClock()): Call {
  const inner = { properties: {}, validate() {}, [name]: run } as DriverInterface;
  const safe = guard(
    inner,
    { type, name: 'acme', plugin: 'acme-plugin' },
    { clock, timeoutSeconds: 30, leases: new Leases() },
  );
  return (safe as unknown as Record<string, Call>)[name] ?? assert.fail();
}

const failed = (reason: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Fault, String(error));
  assert.equal(error.code, 'PluginFailed');
  assert.match(
    error.message,
    /^The power interface acme of plugin acme-plugin failed in getPowerState on node [\da-f-]{36}: /,
  );
  assert.match(error.message, reason);
  return true;
};

function nothing(): unknown {
  return undefined;
}
const misdeeds: readonly (readonly [string, () => unknown, RegExp])[] = [
  [
    'throws',
    () => {
      throw new TypeError('no such field');
    },
    /TypeError: no such field$/,
  ],
  [
    'throws a value that is not an Error',
    () => {
      throw 'a word';
    },
    /a word$/,
  ],
  [
    'throws undefined',
    () => {
      throw nothing();
    },
    /undefined$/,
  ],
  ['rejects', () => Promise.reject(new Error('no luck')), /failed in getPowerState on node .*: no luck$/],
  ['rejects with null', () => Promise.reject(null), /null$/],
  [
    'returns an unknown state',
    () => 'banana',
    /returned "banana"; expected one of "power on", "power off", "error", null$/,
  ],
  ['returns an object', () => ({ state: 'on' }), /returned an object with state; expected/],
  [
    'returns a hundred million characters',
    () => 'x'.repeat(100_000_000),
    /returned a string of 100000000 characters/,
  ],
];

for (const [what, run, reason] of misdeeds) {
  test(`an operation that ${what} fails with an error that names plugin, interface and operation`, async () => {
    const task = fakeTask();
    await assert.rejects(guarded('power', 'getPowerState', run)(task), failed(reason));
    assert.equal(task.logged.length, 1, 'the failure is logged once');
  });
}

test('an operation that never ends times out and can no longer change the node', async () => {
  const clock = fakeClock();
  let late: Task | undefined;
  const call = guarded('power', 'getPowerState', (task) => ((late = task), new Promise(() => {})), clock);
  const task = fakeTask();
  const outcome = assert.rejects(
    call(task),
    failed(/it has not ended within 30 s \(\[plugins\] operation_timeout\)$/),
  );
  await clock.advance(30_000);
  await outcome;
  assert.equal(late?.signal.aborted, true);
  await assert.rejects(async () => late?.update({ boot_mode: 'uefi' }), /the operation is over/);
  assert.deepEqual(task.done, []);
  assert.equal(clock.pending, 0);
});

test('an operation that ends in time can use its task, and its value is returned', async () => {
  const clock = fakeClock();
  const call = guarded(
    'power',
    'getPowerState',
    async (task) => {
      await task.clock.sleep(1000);
      await task.update({ boot_mode: 'uefi' });
      return task.node.boot_mode === 'uefi' ? 'power on' : 'error';
    },
    clock,
  );
  const task = fakeTask();
  assert.equal(await call(task), 'power on');
  assert.deepEqual(task.done, ['sleep 1000', 'update']);
  assert.equal(clock.pending, 0);
});

test("faults, inspection errors, database errors and the daemon's abort pass unchanged", async () => {
  const sqlite = Object.assign(new Error('disk full'), { code: 'SQLITE_FULL' });
  const passing = [fault('BmcUnreachable', { node: 'n' }), new InspectionError('unwanted'), sqlite];
  for (const error of passing) {
    const call = guarded('power', 'getPowerState', () => Promise.reject(error));
    await assert.rejects(call(fakeTask()), (seen) => seen === error);
  }
  const stopping = fakeTask();
  const call = guarded('power', 'getPowerState', async (task) => {
    stopping.abort();
    await task.clock.sleep(1);
  });
  await assert.rejects(call(stopping), { name: 'AbortError' });
});

const json = (runs: () => unknown) => ({
  call: { httpMethods: ['GET'], description: 'd', runs: 'wait', call: runs },
});

test('steps, periodic work and vendor methods are guarded', async () => {
  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const inner = {
    properties: {},
    validate() {},
    steps: { wipe: { description: 'd', priorities: {}, run: async () => 'finished' } },
    periodic: {
      look: {
        description: 'd',
        interval: 5,
        run: () => {
          throw new Error('blind');
        },
      },
    },
    nodeMethods: json(() => circle),
    driverMethods: json(() => Array.from({ length: 2_000_000 }, () => 0)),
  };
  const safe = guard(
    inner as unknown as DriverInterface,
    { type: 'vendor', name: 'acme', plugin: 'p' },
    { clock: fakeClock(), timeoutSeconds: 1, leases: new Leases() },
  ) as unknown as {
    steps: { wipe: { run: Call } };
    periodic: { look: { run: Call; interval: number } };
    nodeMethods: { call: { call: Call } };
    driverMethods: { call: { call: Call } };
  };
  assert.equal(safe.periodic.look.interval, 5);
  const task = fakeTask();
  await assert.rejects(
    safe.steps.wipe.run(task),
    /steps\.wipe\.run on node .*returned "finished"; expected one of "done", "wait"/,
  );
  await assert.rejects(safe.periodic.look.run(task), /periodic\.look\.run on node .*: blind/);
  await assert.rejects(
    safe.nodeMethods.call.call(task),
    /nodeMethods\.call\.call on node .*returned an object with self; expected JSON/,
  );
  await assert.rejects(
    safe.driverMethods.call.call(task),
    /returned a list of length 2000000; expected JSON/,
  );
});

test('the result of poll.check is validated', async () => {
  const good = ['waiting', { report: undefined }, { report: new Uint8Array(2) }];
  const wrong = [undefined, 'done', { report: 'text' }, []];
  const answers = [...good, ...wrong];
  const inner = {
    properties: {},
    validate() {},
    poll: { interval: 5, check: async () => answers.shift() },
  };
  const { poll } = guard(
    inner,
    { type: 'inspect', name: 'acme', plugin: 'p' },
    { clock: fakeClock(), timeoutSeconds: 1, leases: new Leases() },
  ) as unknown as { poll: { interval: number; check: Call } };
  assert.equal(poll.interval, 5);
  for (const answer of good) assert.equal(await poll.check(fakeTask()), answer);
  const refused = /poll\.check on node .*: .*it returned .*expected "waiting", or an object/;
  for (const _ of wrong) await assert.rejects(poll.check(fakeTask()), refused);
});

test('an interface may be an instance of a class with its operations on the prototype', async () => {
  class Machine {
    readonly properties = {};
    readonly state = 'power on';
    validate() {}
    async getPowerState() {
      return this.state;
    }
  }
  const safe = guard(
    new Machine(),
    { type: 'power', name: 'acme', plugin: 'p' },
    { clock: fakeClock(), timeoutSeconds: 1, leases: new Leases() },
  );
  assert.equal(await (safe as unknown as { getPowerState: Call }).getPowerState(fakeTask()), 'power on');
});
