// A task: one unit of work on one node, usually with the node's lock held.
import { type AgentEvent, agentOf } from '../../agent/agent.ts';
import type { Logger } from '../../lib/logger.ts';
import { fault } from '../../model/faults.ts';
import type { Node, NodeChanges } from '../../model/records/node.ts';
import type { Port } from '../../model/records/port.ts';
import type { Awaited } from '../../model/states/node-wait.ts';
import type { ProvisionEvent, WaitEvent } from '../../model/states/provision-events.ts';
import { isAtRest } from '../../model/states/provision-states.ts';
import type { Agent, Dhcp, Driver, Task, TaskClock } from '../../plugin-api/index.ts';
import { now, sleep } from '../../lib/clock.ts';
import type { Caller } from '../../model/caller.ts';
import { withCatalogueImage } from './named-image.ts';
import { type HistoryEntry, recordError, recordInfo } from './node-history.ts';
import { transition, type TransitionOptions } from './transition.ts';
import type { Call, TaskServices } from './services.ts';

/** `Used`: the services that the task's work needs. */
export class NodeTask<out Used extends TaskServices = TaskServices> {
  readonly services: Used;
  readonly caller: Caller | null;
  readonly log: Logger;
  #node: Node;
  /** What `nodeOfDriver` returned for the node as it was: drivers read it often. */
  #shown: { readonly from: Node; readonly node: Node } | undefined;
  #view: Task | undefined;
  #isLocked = false;
  readonly #afterwards: (() => void)[] = [];

  constructor({ services, caller }: Call<Used>, node: Node) {
    this.services = services;
    this.caller = caller;
    this.#node = node;
    this.log = services.log.child({ node: node.uuid, ...(caller && { request_id: caller.requestId }) });
  }

  get node(): Node {
    return this.#node;
  }

  /** The node as drivers see it: with the source of the image that it names. */
  get nodeOfDriver(): Node {
    if (this.#node.instance_info['image_source'] === undefined) return this.#node;
    if (this.#shown?.from !== this.#node)
      this.#shown = { from: this.#node, node: withCatalogueImage(this.services, this.#node) };
    return this.#shown.node;
  }

  /** Called when the task has acquired the node's lock. Returns a function to call when the lock is released. */
  markLocked(): () => void {
    this.#isLocked = true;
    return () => {
      this.#isLocked = false;
      for (const action of this.#afterwards.splice(0)) action();
    };
  }

  /**
   * Calls `action` once the task has released the node's lock. If the task holds no lock, calls it in the next turn of
   * the event loop.
   */
  whenReleased(action: () => void): void {
    if (this.#isLocked) this.#afterwards.push(action);
    else setImmediate(action);
  }

  /** The plugin API's `Task` for this task, passed to each operation of the driver's interfaces. */
  get view(): Task {
    return (this.#view ??= this.services.viewOf(this));
  }

  get ports(): readonly Port[] {
    return this.services.db.ports.ofNode(this.#node.uuid);
  }

  get driver(): Driver {
    return this.services.compose(this.nodeOfDriver);
  }

  get agent(): Agent {
    const { config, clock, timeline } = this.services;
    const { node, ports, signal } = this;
    const record = (event: AgentEvent) => timeline.record({ hop: 'agent', node: node.uuid, ...event });
    return agentOf({ node, ports, settings: config.agent, clock, signal, record });
  }

  get dhcp(): Dhcp {
    return this.services.dhcp.of(this);
  }

  get signal(): AbortSignal {
    return this.services.stopping;
  }

  /** Changes the node. The changes are in the database when `store` returns. */
  store(changes: NodeChanges): void {
    const stamped = { ...changes, updated_at: now(this.services) };
    if (!this.services.db.nodes.update(this.#node.uuid, stamped)) {
      throw fault('NodeNotFound', { node: this.#node.uuid });
    }
    this.#node = { ...this.#node, ...stamped };
  }

  /** Runs `work` in a database transaction. If it throws, nothing is stored and `node` is as before. */
  transaction<T>(work: () => T): T {
    const before = this.#node;
    try {
      return this.services.db.transaction(work);
    } catch (error) {
      this.#node = before;
      throw error;
    }
  }

  /** Re-reads the node from the database. */
  reload(): void {
    const stored = this.services.db.nodes.get(this.#node.uuid);
    if (stored === undefined) throw fault('NodeNotFound', { node: this.#node.uuid });
    this.#node = stored;
  }

  transition(
    event: Exclude<ProvisionEvent, WaitEvent>,
    options: Omit<TransitionOptions, 'awaited'> = {},
  ): void {
    this.#move(event, options);
  }

  /** Moves the node into a state in which it waits for `awaited`. Its record says so until the node leaves the state. */
  wait(event: WaitEvent, awaited: Awaited, options: Omit<TransitionOptions, 'awaited'> = {}): void {
    this.#move(event, { ...options, awaited });
  }

  #move(event: ProvisionEvent, options: TransitionOptions): void {
    this.#node = transition(this.services, this.#node, event, options);
    this.services.locks.setEnding(this.#node.uuid, isAtRest(this.#node.provision_state));
  }

  /** Writes the failure to the node's history and returns the text for `last_error`. */
  recordError(entry: HistoryEntry): string {
    return recordError(this.services, this.#node, { user: this.caller?.user ?? null, ...entry });
  }

  recordInfo(entry: HistoryEntry): void {
    recordInfo(this.services, this.#node, { user: this.caller?.user ?? null, ...entry });
  }
}

/** Returns the clock of tasks. Its `sleep` rejects when the daemon gives up waiting for running work. */
export function taskClock({ clock, stopping }: TaskServices): TaskClock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    sleep: (milliseconds) => sleep(clock, milliseconds, stopping),
    after: (milliseconds, action) => clock.after(milliseconds, action),
  };
}
