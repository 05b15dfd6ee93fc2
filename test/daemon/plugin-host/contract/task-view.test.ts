import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NodeTask } from '../../../../daemon/conductor/tasks/task.ts';
import { guard } from '../../../../daemon/plugin-host/contract/guard.ts';
import type { DriverInterface, Task } from '../../../../daemon/plugin-api/index.ts';
import { fakeClock } from '../../../fakes/clock.ts';
import { startInProcess } from '../../../fakes/in-process-daemon.ts';

/** Every object reachable from `start` by own and inherited properties and getters, with the path to it. */
function reachable(start: unknown): Map<unknown, string> {
  const seen = new Map<unknown, string>();
  const queue: [unknown, string][] = [[start, 'task']];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    const [value, way] = next;
    if (!isObject(value) || seen.has(value)) continue;
    seen.set(value, way);
    const prototype: unknown = Object.getPrototypeOf(value);
    queue.push([prototype, `${way}.__proto__`]);
    for (const holder of [value, prototype]) {
      if (!isObject(holder)) continue;
      for (const name of Reflect.ownKeys(holder))
        queue.push([valueOf(value, name), `${way}.${String(name)}`]);
    }
  }
  return seen;
}

const isObject = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';

function valueOf(holder: object, name: string | symbol): unknown {
  try {
    return Reflect.get(holder, name) as unknown;
  } catch {
    // a getter that throws
    return undefined;
  }
}

/** Runs `look` inside a guarded plugin call. */
async function inPlugin(task: Task, look: (given: Task) => void): Promise<void> {
  const inner = {
    properties: {},
    validate: (given: Task) => look(given),
    supportedBootDevices(given: Task) {
      look(given);
      return ['pxe'];
    },
  } as unknown as DriverInterface;
  const origin = { type: 'management', name: 'acme', plugin: 'acme' } as const;
  const safe = guard(inner, origin, { clock: fakeClock(), timeoutSeconds: 30 }) as unknown as Readonly<
    Record<'validate' | 'supportedBootDevices', (task: Task) => unknown>
  >;
  await safe.validate(task);
  safe.supportedBootDevices(task);
}

test('a plugin cannot reach daemon internals from its task', async (t) => {
  const { services, ...daemon } = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const node = services.db.nodes.get(uuid);
  assert.ok(node);
  const task = new NodeTask({ services, caller: null }, node);
  // the configuration is part of the task
  const { sections, config: _, log, ...inner } = services;
  const secret = new Set<unknown>([task, services, log, ...Object.values(inner)]);
  for (const part of Object.values(services.db)) secret.add(part);
  let looks = 0;
  await inPlugin(task, (given) => {
    looks += 1;
    const found = reachable(given);
    assert.ok(found.has(given.node) && found.has(sections), 'the walk sees what the task has');
    for (const value of secret)
      if (isObject(value)) assert.equal(found.get(value), undefined, 'the plugin gets there');
  });
  assert.equal(looks, 2);
});

test('task members work when detached and throw after the call ends', async (t) => {
  const { services, ...daemon } = await startInProcess(t);
  const { uuid } = await daemon.createNode();
  const node = services.db.nodes.get(uuid);
  assert.ok(node);
  let kept: Task | undefined;
  await inPlugin(new NodeTask({ services, caller: null }, node), (given) => {
    const update = Reflect.get(given, 'update');
    const now = Reflect.get(given, 'now');
    update({ properties: { cpus: now() > 0 ? 4 : 0 } });
    kept = given;
  });
  assert.deepEqual(services.db.nodes.get(uuid)?.properties, { cpus: 4 });
  assert.throws(() => kept?.node, /the operation is over/);
  assert.throws(() => kept?.update({}), /the operation is over/);
});
