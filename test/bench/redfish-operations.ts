// Counts the requests that a simulated BMC gets for each operation: from our plugin, and from sushy, the library of Ironic.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestContext } from 'node:test';
import { type FakeRedfish, type ShapeName, startFakeRedfish } from '#plugin-api/fake-redfish';
import { redfishBios } from '../../plugins/redfish/bios/bios.ts';
import { virtualMediaBoot } from '../../plugins/redfish/boot/virtual-media-boot.ts';
import { redfishInspect } from '../../plugins/redfish/inspect/inspect.ts';
import { redfishManagement } from '../../plugins/redfish/management/management.ts';
import { redfishPower } from '../../plugins/redfish/power/power.ts';
import { redfishLab, type RedfishLab } from '../plugins/redfish/redfish-lab.ts';
import { sushyPython } from '../setup/sushy-tools.ts';

export interface Operation {
  readonly name: string;
  /** The most requests that our plugin may send once it knows the BMC's paths and quirks, if the BMC expands collections. */
  readonly limit: number;
  readonly before?: (fake: FakeRedfish) => void;
  readonly ours: (lab: RedfishLab) => Promise<unknown>;
}

const images = {
  deploy_kernel: 'http://images.example/kernel',
  deploy_ramdisk: 'http://images.example/ramdisk',
};
const switchedOff = ({ machine }: FakeRedfish) => void (machine.power = 'Off');
const settings = [{ name: 'ProcVirtualization', value: 'Enabled' }];

/** The operations, in the order in which they are done. */
export const operations: readonly Operation[] = [
  { name: 'power sync', limit: 1, ours: ({ task }) => redfishPower.getPowerState(task) },
  {
    name: 'power sync without redfish_system_id',
    limit: 1,
    ours: ({ task }) => redfishPower.getPowerState(task),
  },
  {
    name: 'power on',
    // one request changes the power, one reads the result
    limit: 2,
    before: switchedOff,
    ours: ({ task }) => redfishPower.setPowerState(task, 'power on', 60),
  },
  {
    name: 'boot device',
    limit: 1,
    ours: ({ task }) => redfishManagement.setBootDevice?.(task, 'pxe', false) ?? Promise.resolve(),
  },
  {
    name: 'boot from a CD',
    limit: 5,
    before: switchedOff,
    ours: ({ task }) => virtualMediaBoot.prepareRamdisk?.(task, {}) ?? Promise.resolve(),
  },
  {
    name: 'eject the CD',
    limit: 2,
    before: switchedOff,
    ours: ({ task }) => redfishManagement.detachVirtualMedia?.(task, ['cdrom']) ?? Promise.resolve(),
  },
  {
    name: 'read the BIOS settings',
    limit: 1,
    ours: ({ task }) => redfishBios.readSettings?.(task) ?? Promise.resolve(),
  },
  {
    name: 'change a BIOS setting',
    limit: 2,
    ours: ({ task }) =>
      redfishBios.steps?.['apply_configuration']?.run(task, { settings }) ?? Promise.resolve(),
  },
  {
    name: 'read Secure Boot',
    limit: 1,
    ours: ({ task }) => redfishManagement.getSecureBoot?.(task) ?? Promise.resolve(),
  },
  { name: 'inspect', limit: 9, ours: async ({ task }) => redfishInspect.inspectHardware(task) },
  {
    name: 'read the sensors',
    limit: 2,
    ours: ({ task }) => redfishManagement.readSensors?.(task) ?? Promise.resolve(),
  },
  {
    name: 'read when the session is lost',
    limit: 3,
    before: ({ bmc }) => bmc.sessions.open.clear(),
    ours: ({ task }) => redfishPower.getPowerState(task),
  },
];

/** By the name of each operation: the number of its requests, or the error with which it failed. */
export type Counts = Readonly<Record<string, number | string>>;

export async function countOurs(ending: Pick<TestContext, 'after'>, shape: ShapeName): Promise<Counts> {
  const lab = await redfishLab(ending, {
    shape,
    info: images,
    node: { provision_state: 'cleaning' },
    task: { driver: { management: redfishManagement, power: redfishPower } },
  });
  Object.assign(lab.task, { setPower: () => Promise.reject(new Error('the machine is off already')) });
  return counted(lab, ({ ours }) => ours(lab).then(() => 'done', String));
}

export async function countSushys(ending: Pick<TestContext, 'after'>, shape: ShapeName): Promise<Counts> {
  const fake = await startFakeRedfish({ shape });
  ending.after(() => fake.stop());
  const words = [join(import.meta.dirname, 'load/sushy-operations.py'), fake.address];
  const sushy = spawn(sushyPython, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  ending.after(async () => void sushy.kill());
  const answers = createInterface({ input: sushy.stdout })[Symbol.asyncIterator]();
  return counted(fake, async ({ name }) => {
    if (!sushy.stdin.write(`${name}\n`)) await once(sushy.stdin, 'drain');
    const answer = await answers.next();
    return answer.done === true ? 'sushy ended' : answer.value;
  });
}

/** Carries out all operations twice and returns the counts of the second time, when the client knows the BMC. */
async function counted(fake: FakeRedfish, act: (operation: Operation) => Promise<string>): Promise<Counts> {
  const counts: Record<string, number | string> = {};
  for (const _ of ['unknown', 'known'])
    for (const operation of operations) {
      operation.before?.(fake);
      fake.bmc.forget();
      const said = await act(operation);
      counts[operation.name] = said === 'done' ? fake.bmc.requests.length : said;
    }
  assert.equal(Object.keys(counts).length, operations.length);
  return counts;
}
