// What operators ask of machines in each state: the verbs whose firmware boots are counted, and why a machine boots for them.
import type { ProvisionState } from '../../daemon/model/states/provision-states.ts';
import type { SimulatedMachine } from '../../daemon/simulator/machine.ts';

/** A request, and the state in which the node is afterwards. */
export interface Request {
  /** The target of the request: a provision verb, or a power state. */
  readonly target: string;
  readonly ends: ProvisionState;
  /** Further fields of the request. */
  readonly more?: object;
  /** Done to the machine before the request. */
  readonly trouble?: (machine: SimulatedMachine) => void;
  /** Done to the machine when the request has ended. */
  readonly repair?: (machine: SimulatedMachine) => void;
}

export interface Journey {
  readonly verb: string;
  /** The state in which the verb is asked for, in words. */
  readonly from: string;
  readonly before: readonly Request[];
  readonly counted: readonly Request[];
  /** Why the machine boots, or why it need not. */
  readonly why: string;
}

const image = { image_source: 'http://images.test/debian.raw', image_checksum: 'a'.repeat(64) };
/** The instance_info of all nodes. */
export const instance = { ...image, image_disk_format: 'raw' };

const manage: Request = { target: 'manage', ends: 'manageable' };
const inspect: Request = { target: 'inspect', ends: 'manageable' };
const provide: Request = { target: 'provide', ends: 'available' };
const deploy: Request = { target: 'active', ends: 'active' };
const rebuild: Request = { target: 'rebuild', ends: 'active' };
const undeploy: Request = { target: 'deleted', ends: 'available' };
const rescue: Request = { target: 'rescue', ends: 'rescue', more: { rescue_password: 's3cr3t' } };
const unrescue: Request = { target: 'unrescue', ends: 'active' };
const erase = { interface: 'deploy', step: 'erase_devices_metadata' };
const clean: Request = { target: 'clean', ends: 'manageable', more: { clean_steps: [erase] } };
const service: Request = {
  target: 'service',
  ends: 'active',
  more: { service_steps: [{ interface: 'deploy', step: 'burnin_cpu' }] },
};

const off = (ends: ProvisionState): Request => ({ target: 'power off', ends });

/** The request fails because one of the agent's steps fails, which works the next time. */
const failing = (request: Request, step: string, ends: ProvisionState): Request => ({
  ...request,
  ends,
  trouble: ({ troubles }) => troubles.failingSteps.set(step, 'the disk is write protected'),
  repair: ({ troubles }) => troubles.failingSteps.clear(),
});

/** The request waits for ever, because the agent says nothing. */
const waiting = (request: Request, ends: ProvisionState): Request => ({
  ...request,
  ends,
  trouble: ({ troubles }) => void (troubles.mute = true),
  repair: ({ troubles }) => void (troubles.mute = false),
});

const abort = (ends: ProvisionState): Request => ({ target: 'abort', ends });

const manageable = [manage];
const inspected = [manage, inspect];
const available = [...inspected, provide];
const active = [...available, deploy];
const rescued = [...active, rescue];
const deployFailed = [...available, failing(deploy, 'write_image', 'deploy failed')];
const serviceFailed = [...active, failing(service, 'burnin_cpu', 'service failed')];

/** From a machine of which only the BMC is known to its instance. */
export const wholeLife: Journey = {
  verb: 'manage, inspect, provide, deploy',
  from: 'enroll',
  before: [],
  counted: active,
  why: 'the ramdisk for inspection, cleaning and deployment, one after another, and the instance',
};

export const journeys: readonly Journey[] = [
  wholeLife,
  { verb: 'manage', from: 'enroll', before: [], counted: [manage], why: 'only the BMC is asked' },
  {
    verb: 'inspect',
    from: 'manageable, the machine off',
    before: manageable,
    counted: [inspect],
    why: 'the ramdisk reports when it boots',
  },
  {
    verb: 'inspect',
    from: 'manageable, after an inspection',
    before: inspected,
    counted: [inspect],
    why: 'the ramdisk reports when it boots',
  },
  {
    verb: 'clean',
    from: 'manageable, the machine off',
    before: manageable,
    counted: [clean],
    why: 'the ramdisk',
  },
  {
    verb: 'clean',
    from: 'manageable, after an inspection',
    before: inspected,
    counted: [clean],
    why: 'the ramdisk, unless it was kept',
  },
  {
    verb: 'provide',
    from: 'manageable, the machine off',
    before: manageable,
    counted: [provide],
    why: 'the ramdisk',
  },
  {
    verb: 'provide',
    from: 'manageable, after an inspection or cleaning',
    before: inspected,
    counted: [provide],
    why: 'the ramdisk, unless it was kept',
  },
  {
    verb: 'provide',
    from: 'manageable, after a failed cleaning',
    before: [
      ...inspected,
      failing(provide, 'erase_devices_metadata', 'clean failed'),
      { target: 'manage', ends: 'manageable' },
    ],
    counted: [provide],
    why: 'a new ramdisk: one in which something failed is not used again',
  },
  {
    verb: 'deploy',
    from: 'available, after cleaning',
    before: available,
    counted: [deploy],
    why: 'the ramdisk, unless it was kept, and the instance',
  },
  {
    verb: 'deploy',
    from: 'available, the machine off',
    before: [...available, off('available')],
    counted: [deploy],
    why: 'the ramdisk and the instance',
  },
  {
    verb: 'deploy',
    from: 'deploy failed',
    before: deployFailed,
    counted: [deploy],
    why: 'a new ramdisk, and the instance',
  },
  {
    verb: 'rebuild',
    from: 'active',
    before: active,
    counted: [rebuild],
    why: 'the ramdisk and the instance',
  },
  {
    verb: 'rebuild',
    from: 'deploy failed',
    before: deployFailed,
    counted: [rebuild],
    why: 'a new ramdisk, and the instance',
  },
  {
    verb: 'undeploy',
    from: 'active',
    before: active,
    counted: [undeploy],
    why: 'the ramdisk, which cleans the machine',
  },
  {
    verb: 'undeploy',
    from: 'deploy failed',
    before: deployFailed,
    counted: [undeploy],
    why: 'a new ramdisk, which cleans the machine',
  },
  {
    verb: 'undeploy',
    from: 'wait call-back',
    before: [...available, off('available'), waiting(deploy, 'wait call-back')],
    counted: [undeploy],
    why: 'a new ramdisk, which cleans the machine',
  },
  {
    verb: 'undeploy',
    from: 'rescue',
    before: rescued,
    counted: [undeploy],
    why: 'the ramdisk: the agent of the rescue system has ended',
  },
  {
    verb: 'undeploy',
    from: 'service failed',
    before: serviceFailed,
    counted: [undeploy],
    why: 'a new ramdisk, which cleans the machine',
  },
  {
    verb: 'service',
    from: 'active',
    before: active,
    counted: [service],
    why: 'the ramdisk, and the instance again',
  },
  {
    verb: 'service',
    from: 'service failed',
    before: serviceFailed,
    counted: [service],
    why: 'a new ramdisk, and the instance again',
  },
  {
    verb: 'abort',
    from: 'service failed',
    before: serviceFailed,
    counted: [abort('active')],
    why: 'the instance boots again',
  },
  { verb: 'rescue', from: 'active', before: active, counted: [rescue], why: 'the rescue system' },
  {
    verb: 'rescue',
    from: 'service failed',
    before: serviceFailed,
    counted: [rescue],
    why: 'the rescue system, which may be another ramdisk',
  },
  { verb: 'unrescue', from: 'rescue', before: rescued, counted: [unrescue], why: 'the instance' },
  {
    verb: 'abort',
    from: 'inspect wait',
    before: [manage, waiting(inspect, 'inspect wait')],
    counted: [abort('inspect failed')],
    why: 'the machine is switched off',
  },
  {
    verb: 'abort',
    from: 'clean wait',
    before: [manage, waiting(provide, 'clean wait')],
    counted: [abort('clean failed')],
    why: 'the machine is left as it is',
  },
  {
    verb: 'abort',
    from: 'wait call-back',
    before: [...available, off('available'), waiting(deploy, 'wait call-back')],
    counted: [abort('deploy failed')],
    why: 'the machine is switched off',
  },
  {
    verb: 'adopt',
    from: 'manageable',
    before: manageable,
    counted: [{ target: 'adopt', ends: 'active' }],
    why: 'the instance runs already',
  },
];
