// What a plugin gets of a task for one call: the members that #plugin-api promises, and no way to what they belong to.
import type { PowerTarget } from '../../model/states/power-states.ts';
import type { DriverChanges, DriverContext, Task } from '../../plugin-api/index.ts';

/**
 * A plugin in plain JavaScript can read every property of the objects that it is given, whatever their type says. So it
 * never sees the conductor's own task, which leads to the database. When the call is over, every member throws.
 */
export class TaskView implements Task {
  readonly #context: Task;
  readonly #over: AbortSignal;
  readonly #signal: AbortSignal;

  // fields, so that a plugin may take them out of the task
  readonly now = () => this.#task.now();
  readonly monotonic = () => this.#task.monotonic();
  readonly sleep = (milliseconds: number) => this.#task.sleep(milliseconds);
  readonly after = (milliseconds: number, action: () => void) => this.#task.after(milliseconds, action);
  readonly update = (changes: DriverChanges) => this.#task.update(changes);
  readonly addPorts = (addresses: readonly string[]) => this.#task.addPorts(addresses);
  readonly setPower = (target: PowerTarget) => this.#task.setPower(target);
  readonly saveRamdiskLogs = (label: string | null, failed: boolean) =>
    this.#task.saveRamdiskLogs(label, failed);
  readonly withBmc: Task['withBmc'] = (address, options, operation) =>
    this.#task.withBmc(address, options, operation);

  /** `over` aborts when the call has ended. Of a DriverContext, the members that it lacks are undefined. */
  constructor(context: DriverContext, over: AbortSignal) {
    this.#context = context as Task;
    this.#over = over;
    this.#signal = AbortSignal.any([context.signal, over]);
    Object.freeze(this);
  }

  get #task(): Task {
    this.#over.throwIfAborted();
    return this.#context;
  }

  get signal() {
    return this.#signal;
  }
  get node() {
    return this.#task.node;
  }
  get ports() {
    return this.#task.ports;
  }
  get driver() {
    return this.#task.driver;
  }
  get agent() {
    return this.#task.agent;
  }
  get dhcp() {
    return this.#task.dhcp;
  }
  get ramdiskParameters() {
    return this.#task.ramdiskParameters;
  }
  get fastTrack() {
    return this.#task.fastTrack;
  }
  get keepsRamdisk() {
    return this.#task.keepsRamdisk;
  }
  get log() {
    return this.#task.log;
  }
  get configuration() {
    return this.#task.configuration;
  }
}
