// For every reading of every operation, the BMC misbehaves in every way. An operation may fail only if the reading is one that it
// needs, and then with a fault that says what the BMC did.
import assert from 'node:assert/strict';
import { after, test, type TestContext } from 'node:test';
import { Fault } from '../../../../daemon/model/faults.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import { redfishLab } from '../redfish-lab.ts';
import { lasting, type Misbehaviour, passing } from './misbehaviours.ts';
import { type Operation, operations } from './operations.ts';

const SHAPES = [{ expand: false }, { expand: true }] as const;

const start = async (t: Pick<TestContext, 'after'>, operation: Operation, differences: object) => {
  const lab = await redfishLab(t, {
    differences,
    node: operation.node ?? {},
    task: { driver: { power: redfishPower } },
  });
  operation.begin?.(lab);
  return lab;
};

/** The paths that the operation reads. */
async function readings(operation: Operation, differences: object): Promise<readonly string[]> {
  const ended = new Endings();
  const { bmc, ...lab } = await start(ended, operation, differences);
  await operation.run({ ...lab, bmc });
  const paths = bmc.requests.filter(({ method }) => method === 'GET').map(({ path }) => path);
  await ended.end();
  return [...new Set(paths)];
}

/** Returns what is wrong about the outcome; undefined when the operation did its work, or may have failed. */
async function flaw(
  operation: Operation,
  differences: object,
  path: string,
  { does, times }: Misbehaviour,
): Promise<string | undefined> {
  const ended = new Endings();
  const lab = await start(ended, operation, differences);
  lab.bmc.faults.add({ method: 'GET', path, isWholePath: true, does, ...(times && { times }) });
  try {
    await operation.run(lab);
    return undefined;
  } catch (error) {
    if (!(error instanceof Fault)) return String(error);
    const isNeeded = Object.keys(operation.needs).some((part) => path.endsWith(part));
    return times !== undefined && isNeeded ? undefined : error.message;
  } finally {
    await ended.end();
  }
}

/** Ends a lab before the test ends. */
class Endings {
  readonly #actions: (() => unknown)[] = [];

  after(action: () => unknown): void {
    this.#actions.push(action);
  }

  async end(): Promise<void> {
    for (const action of this.#actions) await action();
  }
}

let [swept, readingsSwept] = [0, 0];

for (const [name, operation] of Object.entries(operations))
  test(`${name}: fails only for what it needs, whatever the BMC answers to one of its readings`, async () => {
    const flaws: string[] = [];
    for (const differences of SHAPES)
      for (const path of await readings(operation, differences)) {
        readingsSwept += 1;
        for (const misbehaviour of [...lasting, ...passing]) {
          swept += 1;
          const wrong = await flaw(operation, differences, path, misbehaviour);
          if (wrong !== undefined) flaws.push(`${path}, ${misbehaviour.name}: ${wrong}`);
        }
      }
    assert.deepEqual(flaws, []);
  });

after(() => {
  const kinds = lasting.length + passing.length;
  console.log(
    `${Object.keys(operations).length} operations, ${readingsSwept} readings, ${kinds} kinds of misbehaviour: ${swept} runs`,
  );
});
