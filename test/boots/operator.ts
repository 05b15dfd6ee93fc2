// An operator who brings machines through their life whatever happens, and looks at each machine whenever its node claims something.
import type { Node } from '../../daemon/model/records/node.ts';
import { isAtRest, isFailure } from '../../daemon/model/states/provision-states.ts';
import type { SimulatedMachine } from '../../daemon/simulator/machine.ts';
import { instance } from './journeys.ts';

/** What the operator wants in turn, and the states in which the node then is. */
const GOALS = [
  ['inspect', 'manageable'],
  ['provide', 'available'],
  ['active', 'active'],
  ['rebuild', 'active'],
  ['deleted', 'available'],
  ['active', 'active'],
] as const;

type SeenNode = Pick<Node, 'provision_state' | 'last_error' | 'maintenance'> & {
  readonly isLocked: boolean;
};

export interface OperatedMachine {
  readonly name: string;
  readonly uuid: string;
  readonly machine: SimulatedMachine;
}

/** A change of the node in JSON Patch, and the verb to ask for then. */
export interface Order {
  readonly target: string;
  readonly patch: readonly object[];
}

/** One machine's operator. The disk of the machine holds the data of an earlier tenant, which a cleaning must erase. */
export class Operator {
  readonly operated: OperatedMachine;
  #goal = 0;
  #asked = '';
  #images = 0;

  constructor(operated: OperatedMachine) {
    this.operated = operated;
    operated.machine.disk = { image_info: { id: 'the data of an earlier tenant' }, configdrive: null };
  }

  get hasReachedAll(): boolean {
    return this.#goal === GOALS.length;
  }

  /** Rebuilds the instance once more, removes it and deploys another one. */
  goOn(): void {
    this.#goal = GOALS.findIndex(([verb]) => verb === 'rebuild');
  }

  /** Throws an Error when the node claims what its machine is not. */
  judge(node: SeenNode): void {
    if (node.isLocked || !isAtRest(node.provision_state)) return;
    const wrong = this.#wrongIn(node);
    if (wrong !== undefined)
      throw new Error(`${this.operated.name} is ${node.provision_state} (${node.last_error}): ${wrong}`);
  }

  #wrongIn({ provision_state: state, last_error: error }: SeenNode): string | undefined {
    const { disk } = this.operated.machine;
    if (state === 'available' && disk !== undefined) return `its disk holds ${JSON.stringify(disk)}`;
    if (state === 'active' && JSON.stringify(disk?.image_info['urls']) !== JSON.stringify([this.#image]))
      return `its disk holds ${JSON.stringify(disk)}, not ${this.#image}`;
    return isFailure(state) && error === null ? 'it does not say why' : undefined;
  }

  get #image(): string {
    return this.#imageOf(this.#images);
  }

  #imageOf(deployment: number): string {
    return `http://images.test/${this.operated.name}-${deployment}.raw`;
  }

  /** What to ask for now; undefined while the node works or waits, while its instance boots, and when all goals are reached. */
  next(node: SeenNode): Order | undefined {
    const { provision_state: state } = node;
    const isBooting = state === 'active' && this.operated.machine.booted !== 'disk';
    if (node.isLocked || !isAtRest(state) || isBooting) return undefined;
    if (this.#hasReached(state)) {
      this.#goal += 1;
      this.#asked = '';
    }
    const [verb] = GOALS[this.#goal] ?? [];
    return verb === undefined ? undefined : this.#order(targetIn(state, verb));
  }

  #hasReached(state: Node['provision_state']): boolean {
    const [verb, ends] = GOALS[this.#goal] ?? [];
    // after a failed cleaning, the verb provide cleans the machine
    const isClean = verb === 'deleted' && this.#asked === 'provide';
    return state === ends && (this.#asked === verb || isClean);
  }

  #order(target: string): Order {
    if (!deploys(target)) return { target, patch: [] };
    const deployment = this.#images + 1;
    // every second one is started by kexec
    const value = { ...instance, image_source: this.#imageOf(deployment), kexec: deployment % 2 === 0 };
    return { target, patch: [{ op: 'add', path: '/instance_info', value }] };
  }

  /** Call it when the daemon has accepted the order. */
  accepted({ target }: Order): void {
    this.#asked = target;
    if (deploys(target)) this.#images += 1;
  }
}

const deploys = (target: string): boolean => target === 'active' || target === 'rebuild';

/** The verb that leads from the state to where `goal` is possible. */
function targetIn(state: Node['provision_state'], goal: string): string {
  if (state === 'enroll' || state === 'inspect failed' || state === 'clean failed') return 'manage';
  if (state === 'manageable') return goal === 'inspect' ? goal : 'provide';
  if (state === 'available') return 'active';
  if (state === 'error') return 'deleted';
  return state === 'deploy failed' && goal === 'provide' ? 'deleted' : goal;
}
