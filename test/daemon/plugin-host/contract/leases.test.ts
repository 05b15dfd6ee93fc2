import assert from 'node:assert/strict';
import { test } from 'node:test';
import { types } from 'node:util';
import { NodeTask } from '../../../../daemon/conductor/tasks/task.ts';
import { guard } from '../../../../daemon/plugin-host/contract/guard.ts';
import { Leases } from '../../../../daemon/plugin-host/contract/leases.ts';
import { type DriverInterface, HttpClient, type Task } from '../../../../daemon/plugin-api/index.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { fakeTask } from '../../../fakes/task.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

/**
 * Returns the objects that can be reached from `start`, each with its path: through own and inherited properties, prototypes,
 * weak references, and the values in sets and maps.
 */
function reachable(start: unknown): Map<unknown, string> {
  const seen = new Map<unknown, string>();
  const queue: [unknown, string][] = [[start, 'task']];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [value, way] = next;
    if (!isObject(value) || seen.has(value)) continue;
    seen.set(value, way);
    const prototype: unknown = Object.getPrototypeOf(value);
    queue.push([prototype, `${way}.__proto__`]);
    for (const [inside, path] of insideOf(value)) queue.push([inside, `${way}${path}`]);
    for (const holder of [value, prototype]) {
      if (!isObject(holder)) continue;
      for (const name of Reflect.ownKeys(holder))
        queue.push([valueOf(value, name), `${way}.${String(name)}`]);
    }
  }
  return seen;
}

/**
 * Yields the values in a set or a map, or the target of a weak reference, with their paths. It calls the standard methods,
 * because the sets, maps and weak references inside Node.js have other prototypes.
 */
function* insideOf(value: object): Iterable<[unknown, string]> {
  if (types.isSet(value)) for (const entry of Set.prototype.values.call(value)) yield [entry, '.entry'];
  if (types.isMap(value)) for (const entry of Map.prototype.values.call(value)) yield [entry, '.entry'];
  try {
    yield [WeakRef.prototype.deref.call(value), '.deref()'];
  } catch {
    // deref() throws for every object that is not a WeakRef
  }
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

function valueOf(holder: object, name: string | symbol): unknown {
  try {
    return Reflect.get(holder, name) as unknown;
  } catch {
    // the getter throws
    return undefined;
  }
}

/** Runs `look` in two guarded calls of a plugin, `validate` and `setBootDevice`. */
async function inPlugin(task: Task, look: (given: Task) => unknown): Promise<void> {
  const inner = {
    properties: {},
    async validate(given: Task) {
      await look(given);
    },
    async setBootDevice(given: Task) {
      await look(given);
    },
  } as unknown as DriverInterface;
  const origin = { type: 'management', name: 'acme', plugin: 'acme' } as const;
  const safe = guard(inner, origin, {
    clock: fakeClock(),
    timeoutSeconds: 30,
    leases: new Leases(),
  }) as unknown as Readonly<Record<'validate' | 'setBootDevice', (task: Task) => unknown>>;
  await safe.validate(task);
  await safe.setBootDevice(task);
}

test('a plugin cannot reach daemon internals from anything that it is given', async (t) => {
  const { services, ...daemon } = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const node = services.db.nodes.get(uuid);
  assert.ok(node);
  const task = new NodeTask({ services, caller: null }, node);
  // a plugin may see the configuration: it is part of the task
  const { sections, config: _, log, ...inner } = services;
  const secret = new Set<unknown>([task, task.view, services, log, ...Object.values(inner)]);
  for (const part of Object.values(services.db)) secret.add(part);
  let looks = 0;
  const lookAt = (...given: readonly unknown[]) => {
    looks += 1;
    const found = reachable(given);
    for (const value of secret)
      if (isObject(value))
        assert.equal(found.get(value), undefined, 'the plugin reaches an internal object of the daemon');
    return found;
  };
  await inPlugin(task.view, async (given) => {
    const found = lookAt(given, given.signal);
    assert.ok(found.has(given.node) && found.has(sections), 'the walk sees what the task has');
    const state = {
      key: 'client',
      create(signal: AbortSignal) {
        lookAt(signal);
        return new HttpClient({ url: 'http://127.0.0.1:9', clock: given.clock, idleSeconds: 1 });
      },
      async dispose(client: HttpClient, signal: AbortSignal) {
        lookAt(client, signal);
        client.close();
      },
    };
    await given.bmc('http://127.0.0.1:9', { deadline: 1000, state }, async (conversation) => {
      assert.ok(Object.isFrozen(conversation));
      lookAt(conversation, conversation.signal, conversation.state);
    });
  });
  await services.bmcs.close();
  // two looks at tasks, two at conversations, and one each when the state that both conversations share is created and disposed of
  assert.equal(looks, 6);
});

test('task members work when detached; after the call ends, node, ramdisk and update throw, and the clock works', async (t) => {
  const { services, ...daemon } = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const node = services.db.nodes.get(uuid);
  assert.ok(node);
  let kept: Task | undefined;
  await inPlugin(new NodeTask({ services, caller: null }, node).view, (given) => {
    kept = given;
    const update = Reflect.get(given, 'update');
    const now = Reflect.get(given.clock, 'now');
    return update({ properties: { cpus: now() > 0 ? 4 : 0 } });
  });
  assert.deepEqual(services.db.nodes.get(uuid)?.properties, { cpus: 4 });
  assert.throws(() => kept?.node, /the operation is over/);
  assert.equal(kept?.clock.now(), services.clock.now(), 'time goes on');
  assert.throws(() => kept?.ramdisk.isRunning, /the operation is over/);
  await assert.rejects(async () => kept?.update({}), /the operation is over/);
});

test('the parts of a task are frozen', async (t) => {
  const { services, ...daemon } = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const node = services.db.nodes.get(uuid);
  assert.ok(node);
  await inPlugin(new NodeTask({ services, caller: null }, node).view, (given) => {
    for (const part of [
      given,
      given.clock,
      given.ramdisk,
      given.ramdisk.agent,
      given.boot,
      given.boot.dhcp,
      given.log,
    ])
      assert.ok(Object.isFrozen(part));
  });
});

test('a plugin cannot change a field of the node that belongs to the conductor', async (t) => {
  const { services, ...daemon } = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const node = services.db.nodes.get(uuid);
  assert.ok(node);
  const forged = { provision_state: 'active' } as object;
  const updating = inPlugin(new NodeTask({ services, caller: null }, node).view, (given) =>
    given.update(forged),
  );
  await assert.rejects(updating, /task\.update cannot change provision_state/);
  assert.equal(services.db.nodes.get(uuid)?.provision_state, 'enroll');
});

test('a task that was passed on to an interface of another plugin ends when its own call or the outer call ends', async () => {
  const leases = new Leases();
  const original = fakeTask();
  const outer = leases.lease(original, { plugin: 'acme', properties: {} });
  const inner = leases.lease(outer.task, { plugin: 'other', properties: {} });
  inner.end();
  assert.throws(() => inner.task.node, /the operation is over/);
  assert.equal(inner.task.signal.aborted, true);
  assert.equal(outer.task.node, original.node);
  const second = leases.lease(outer.task, { plugin: 'other', properties: {} });
  outer.end();
  assert.throws(() => second.task.node, /the operation is over/);
});
