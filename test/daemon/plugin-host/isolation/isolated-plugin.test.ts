import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { type Clock, systemClock } from '../../../../daemon/lib/clock.ts';
import { Fault, fault } from '../../../../daemon/model/faults.ts';
import { isJsonObject, type JsonObject } from '../../../../daemon/model/json.ts';
import type { InterfaceType } from '../../../../daemon/model/machine/interface-types.ts';
import {
  definePower,
  type InspectInterface,
  type InspectionHook,
  type PowerInterface,
  type Task,
  type VendorInterface,
} from '../../../../daemon/plugin-api/index.ts';
import { type Rehearsal, rehearsalTask } from '../../../../daemon/plugin-kit/rehearsal.ts';
import { guard } from '../../../../daemon/plugin-host/contract/guard.ts';
import { Leases } from '../../../../daemon/plugin-host/contract/leases.ts';
import { PluginProcesses } from '../../../../daemon/plugin-host/isolation/plugin-processes.ts';
import type { Plugin } from '../../../../daemon/plugin-host/manifests/manifest.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { pluginFolder, pluginManifest } from '../../../fakes/plugin-folder.ts';

const code = `import { defineFault, defineInspect, definePower, extendInterface, defineVendor, fault, InspectionError } from '#plugin-api';
const doorOpen = defineFault('DoorOpen', 409, 'The door of node {node} is open.');
class Own extends Error { name = 'Own'; }
const base = { properties: { acme_slot: { description: 'Where it is.' } }, validate() {} };

class Power {
  properties = base.properties;
  supportedTargets = ['power on'];
  supportsPowerSync = true;
  #state = 'power off';
  validate() {}
  async getPowerState() { return this.#state; }
  async setPowerState(task, target) { this.#state = target; }
}
export const power = new Power();

const methods = {
  async update(task) {
    const before = task.node.health;
    await task.update({ health: 'OK' });
    return { before, after: task.node.health };
  },
  undeclared: (task) => task.update({ driver_info: { other: 1 } }),
  declared: async (task) => { await task.update({ driver_info: { acme_slot: '4' } }); return task.node.driver_info; },
  foreign: (task) => task.update({ provision_state: 'active' }),
  own: (task) => { throw doorOpen({ node: task.node.uuid }); },
  known: () => { throw fault('Invalid', { reason: 'bad {weather}' }); },
  inspection: () => { throw new InspectionError('no disks'); },
  // a plugin's own error passes through the daemon and is the same object again
  async through(task) {
    const own = new Own('mine');
    try { await task.bmc('192.0.2.1', { deadline: 5000 }, async () => { throw own; }); }
    catch (error) { return { same: error === own }; }
  },
  rejected: async (task) => { try { await task.addNote('refused'); } catch (error) { return { code: error.code, isFault: error instanceof Error }; } },
  rethrown: (task) => task.addNote('refused'),
  async driver(task) {
    return {
      state: await task.driver.power.getPowerState(task),
      targets: task.driver.power.supportedTargets,
      hasNmi: 'injectNmi' in task.driver.management,
    };
  },
  async state(task) {
    const state = { key: 'session', create: async () => ({ uses: 0 }), dispose: async () => undefined };
    return task.bmc('192.0.2.1', { deadline: 5000, state }, async ({ state }) => (state.uses += 1));
  },
  local: (task) => task.bmc('192.0.2.1', { deadline: 5000 }, async () => new Map([[1, 2]])).then((map) => map.get(1)),
  until: (task) => new Promise((_, reject) => task.signal.addEventListener('abort', () => reject(task.signal.reason))),
  async kept(task) { globalThis.kept = task; return null; },
  async stale() { try { return globalThis.kept.node.uuid; } catch (error) { return error.message; } },
  facts: async (task) => ({ running: task.ramdisk.isRunning, obstacle: task.boot.obstacle, option: task.configuration.acme.size, ports: task.ports.length }),
  exit: () => process.exit(7),
  hostileMessage: () => { throw Object.defineProperty(new Error(), 'message', { get() { throw new Error('no message'); } }); },
  revoked: () => { const { proxy, revoke } = Proxy.revocable({}, {}); revoke(); throw proxy; },
  circularFault: () => { const circle = {}; circle.circle = circle; throw Object.assign(doorOpen({ node: 'n' }), { parameters: { circle } }); },
};
const methodOf = (call) => ({ httpMethods: ['POST'], description: 'A test.', runs: 'wait', call });
export const vendor = defineVendor({
  ...base,
  nodeMethods: Object.fromEntries(Object.entries(methods).map(([name, call]) => [name, methodOf(async (task, given) => (await call(task, given)) ?? null)])),
  driverMethods: { context: methodOf(async (context) => Object.keys(context).sort()) },
  steps: { blink: { description: 'Blinks.', priorities: { clean: 5 }, run: async (task, given) => (given.twice === 'yes' ? 'reboot' : 'done') } },
});
export const extension = extendInterface('power', 'fake', (fake) => ({
  ...fake,
  async getPowerState(task) { return (await fake.getPowerState(task)) === 'power on' ? 'power off' : 'power on'; },
}));
export const hook = {
  dependencies: ['architecture'],
  call() {},
  checkConfiguration({ acme }) { if (acme.size > 2) throw new Error('[acme] size is ' + acme.size + '; expected at most 2'); },
};
export const inspect = defineInspect({
  ...base,
  inspectHardware: async () => ({ inventory: { cpu: { count: 4 } } }),
  passOn: async (task, report) => { await task.addNote(new TextDecoder().decode(report)); },
  poll: { interval: 5, check: async () => ({ report: new TextEncoder().encode('{"inventory":{}}') }) },
});
`;

const quiet = { debug() {}, info() {}, warn() {}, error() {}, child: () => quiet };

async function isolated(t: TestContext, clock: Clock = systemClock) {
  const folder = path.join(pluginFolder(t, { 'acme/acme.js': code }), 'acme');
  const plugin: Plugin = { folder, isInTree: false, manifest: pluginManifest('acme') };
  const processes = new PluginProcesses({
    configuration: { acme: { size: 3 } },
    memoryMebibytes: 128,
    clock,
    log: quiet,
  });
  t.after(() => processes.close());
  const by = { clock, timeoutSeconds: 60, leases: new Leases() };
  const url = pathToFileURL(path.join(folder, 'acme.js')).href;
  const load = async <I>(type: InterfaceType): Promise<I> => {
    const value = await processes.of(plugin).load(url, type);
    assert.ok(value !== undefined);
    return guard(value as never, { type, name: 'acme', plugin: 'acme' }, by) as unknown as I;
  };
  const acme = { load: (exported: string) => processes.of(plugin).load(url, exported) };
  return { load, processes, acme };
}

type Run = (name: string, task?: Task) => Promise<unknown>;

async function vendorMethods(t: TestContext): Promise<Run> {
  const { load } = await isolated(t);
  const { nodeMethods } = await load<VendorInterface>('vendor');
  return async (name, task = rehearsalTask()) => nodeMethods?.[name]?.call(task, {}, 'POST');
}

const refusingNotes = (): Rehearsal => {
  const task = rehearsalTask();
  return Object.defineProperty(task, 'addNote', {
    value: async () => {
      throw fault('NodeLocked', { node: 'n', host: 'h' });
    },
  });
};

test('an interface that is an object of a class keeps its methods and its own state', async (t) => {
  const { load } = await isolated(t);
  const power = await load<PowerInterface>('power');
  const task = rehearsalTask();
  assert.deepEqual(power.supportedTargets, ['power on']);
  await power.setPowerState(task, 'power on', 60);
  assert.equal(await power.getPowerState(task), 'power on');
});

test('a plugin sees its change of the node when task.update has resolved, and cannot change undeclared driver_info', async (t) => {
  const run = await vendorMethods(t);
  const task = rehearsalTask();
  assert.deepEqual(await run('update', task), { before: null, after: 'OK' });
  assert.equal(task.node.health, 'OK');
  assert.deepEqual(await run('declared'), { acme_slot: '4' });
  await assert.rejects(run('undeclared'), /cannot change driver_info\/other/);
});

test('the task has the state of the ramdisk, the configuration and the ports', async (t) => {
  const run = await vendorMethods(t);
  assert.deepEqual(await run('facts'), { running: false, obstacle: null, option: 3, ports: 0 });
});

test('faults of the daemon and of the plugin arrive as they are', async (t) => {
  const run = await vendorMethods(t);
  const task = rehearsalTask();
  await assert.rejects(run('own', task), {
    code: 'DoorOpen',
    status: 409,
    message: `The door of node ${task.node.uuid} is open.`,
  });
  await assert.rejects(run('known'), { code: 'Invalid', status: 400, message: 'bad {weather}' });
  await assert.rejects(run('inspection'), { name: 'InspectionError', message: 'no disks' });
});

test('an operation that fails with an error that cannot be read or sent fails at once, with a sentence', async (t) => {
  const run = await vendorMethods(t);
  for (const name of ['hostileMessage', 'revoked', 'circularFault'])
    await assert.rejects(run(name), /what was thrown cannot be read|cannot be handed over: .*circular/);
});

test("a plugin's error that the daemon hands back is the same object, and a fault of the daemon keeps its code", async (t) => {
  const run = await vendorMethods(t);
  assert.deepEqual(await run('through'), { same: true });
  const task = refusingNotes();
  assert.deepEqual(await run('rejected', task), { code: 'NodeLocked', isFault: true });
  await assert.rejects(
    run('rethrown', task),
    (error) => error instanceof Fault && error.code === 'NodeLocked',
  );
});

test('the abort of a task reaches the plugin with its reason', async (t) => {
  const run = await vendorMethods(t);
  const task = rehearsalTask();
  const ended = run('until', task);
  const reason = new Error('the service is stopping');
  setTimeout(() => task.abort(reason), 50);
  await assert.rejects(ended, (error) => error === reason);
});

test('the driver of the node can be read and called', async (t) => {
  const run = await vendorMethods(t);
  assert.deepEqual(await run('driver'), {
    state: null,
    targets: ['power on', 'power off', 'rebooting'],
    hasNmi: false,
  });
});

test('an interface that extends a base interface passes its task on to the base, also after its process was restarted', async (t) => {
  const clock = fakeClock();
  const { acme } = await isolated(t, clock);
  const extension = (await acme.load('extension')) as {
    readonly make: (base: PowerInterface) => Promise<PowerInterface>;
  };
  const asked: unknown[] = [];
  const base: PowerInterface = definePower({
    properties: {},
    supportedTargets: ['power off'],
    supportsPowerSync: true,
    validate() {},
    getPowerState: async (task) => {
      asked.push(task.node.uuid);
      return 'power on';
    },
    setPowerState: async () => undefined,
  });
  const made = await extension.make(base);
  const task = rehearsalTask({ node: { uuid: 'of-the-task' } });
  assert.deepEqual(made.supportedTargets, ['power off']);
  assert.equal(await made.getPowerState(task), 'power off');
  const vendor = (await acme.load('vendor')) as VendorInterface;
  await assert.rejects(async () => vendor.nodeMethods?.['exit']?.call(task, {}, 'POST'), /exit code 7/);
  await clock.advance(1000);
  assert.equal(await made.getPowerState(task), 'power off');
  assert.deepEqual(asked, ['of-the-task', 'of-the-task']);
});

test("a hook checks the configuration in its plugin's process, and its objection is reported", async (t) => {
  const { acme } = await isolated(t);
  const hook = (await acme.load('hook')) as InspectionHook;
  assert.deepEqual(hook.dependencies, ['architecture']);
  await assert.rejects(async () => hook.checkConfiguration?.({}), /\[acme\] size is 3; expected at most 2/);
});

test('what task.bmc() returns, and what the plugin keeps for a BMC, stay in the process of the plugin', async (t) => {
  const run = await vendorMethods(t);
  assert.equal(await run('local'), 2);
  assert.equal(await run('state'), 1);
});

test('a task that is kept beyond its operation throws', async (t) => {
  const run = await vendorMethods(t);
  await run('kept');
  assert.equal(await run('stale'), 'the operation is over');
});

test('vendor methods of a driver get a task without a node, and steps get their arguments', async (t) => {
  const { load } = await isolated(t);
  const vendor = await load<VendorInterface>('vendor');
  const { log, signal, configuration, clock } = rehearsalTask();
  const context = { log, signal, configuration, clock };
  assert.deepEqual(await vendor.driverMethods?.['context']?.call(context, {}, 'POST'), [
    'clock',
    'configuration',
    'log',
    'signal',
  ]);
  assert.equal(await vendor.steps?.['blink']?.run(rehearsalTask(), { twice: 'yes' }), 'reboot');
});

test('inspection reports pass between the daemon and a plugin as bytes, in both directions', async (t) => {
  const { load } = await isolated(t);
  const inspect = await load<InspectInterface>('inspect');
  const task = rehearsalTask();
  await inspect.passOn?.(task, new TextEncoder().encode('{"inventory": 1}'));
  assert.deepEqual(task.done, ['add note: {"inventory": 1}']);
  const progress = await inspect.poll?.check(task);
  assert.ok(isJsonObject(progress) && (progress as JsonObject)['report'] instanceof Uint8Array);
  assert.equal(inspect.poll?.interval, 5);
});

test('a process that ends is started again after growing pauses, and loads what it had loaded before', async (t) => {
  const clock = fakeClock();
  const { load, processes } = await isolated(t, clock);
  const { nodeMethods } = await load<VendorInterface>('vendor');
  const run = async (name: string) => nodeMethods?.[name]?.call(rehearsalTask(), {}, 'POST');
  for (const seconds of [1, 2, 4]) {
    await assert.rejects(run('exit'), /exit code 7/);
    await assert.rejects(run('facts'), new RegExp(`exit code 7.*It starts again in ${seconds} s`));
    await clock.advance(seconds * 1000 - 1);
    await assert.rejects(run('facts'), /It starts again in 1 s/);
    await clock.advance(1);
    assert.partialDeepStrictEqual(await run('facts'), { option: 3 });
  }
  assert.partialDeepStrictEqual(processes.health.get('acme'), { isRunning: true, ends: 3 });
});

/** The private memory of the only child process of this process. */
function privateKibibytes(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').trim().split(' ');
  assert.equal(children.length, 1);
  const rollup = readFileSync(`/proc/${children[0]}/smaps_rollup`, 'utf8');
  return Number(/^Private_Dirty: +(\d+)/m.exec(rollup)?.[1]);
}

test('after five thousand calls, the process has less than 16 MiB more private memory than after a thousand', async (t) => {
  const { load } = await isolated(t);
  const power = await load<PowerInterface>('power');
  const task = rehearsalTask();
  const call = async (times: number) => {
    for (let done = 0; done < times; done += 1) await power.getPowerState(task);
  };
  await call(1000);
  const before = privateKibibytes();
  await call(4000);
  const after = privateKibibytes();
  assert.ok(after < before + 16_384, `${before} -> ${after}`);
});
