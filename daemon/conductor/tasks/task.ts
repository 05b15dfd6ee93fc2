// A task: one unit of work on one locked node, as the conductor and the driver interfaces see it.
import { agentOf } from '../../agent/agent.ts';
import { sleep } from '../../lib/clock.ts';
import type { Logger } from '../../lib/logger.ts';
import { parseStationMac } from '../../lib/mac.ts';
import { fault } from '../../model/faults.ts';
import type { Node, NodeChanges } from '../../model/records/node.ts';
import type { Port } from '../../model/records/port.ts';
import type { PowerTarget } from '../../model/states/power-states.ts';
import type { ProvisionEvent } from '../../model/states/provision-states.ts';
import type {
  Agent,
  BmcOptions,
  Dhcp,
  Driver,
  DriverChanges,
  KernelParameters,
  Task,
} from '../../plugin-api/index.ts';
import { addPort } from '../records/add-port.ts';
import { changePower } from '../hardware/change-power.ts';
import { isFastTrack, keepsAgent } from './agent-state.ts';
import { type HistoryEntry, recordError, recordInfo } from './node-history.ts';
import { ramdiskParameters } from '../ramdisk/ramdisk-parameters.ts';
import { saveRamdiskLogs } from '../ramdisk/ramdisk-logs.ts';
import { type Call, type Caller, now, type Services } from '../services.ts';
import { transition, type TransitionOptions } from './transition.ts';

export class NodeTask implements Task {
  readonly services: Services;
  readonly caller: Caller | null;
  readonly log: Logger;
  #node: Node;

  constructor({ services, caller }: Call, node: Node) {
    this.services = services;
    this.caller = caller;
    this.#node = node;
    this.log = services.log.child({ node: node.uuid, ...(caller && { request_id: caller.requestId }) });
  }

  get node(): Node {
    return this.#node;
  }

  get ports(): readonly Port[] {
    return this.services.db.ports.ofNode(this.#node.uuid);
  }

  get driver(): Driver {
    return this.services.compose(this.#node);
  }

  get agent(): Agent {
    const { config, clock } = this.services;
    const { node, ports, signal } = this;
    return agentOf({ node, ports, settings: config.agent, clock, signal });
  }

  get dhcp(): Dhcp {
    return this.services.dhcp.of(this);
  }

  get ramdiskParameters(): KernelParameters {
    return ramdiskParameters(this.services.config);
  }

  get fastTrack(): boolean {
    return isFastTrack(this.services, this.#node);
  }

  get keepsRamdisk(): boolean {
    return keepsAgent(this.services, this.#node);
  }

  get signal(): AbortSignal {
    return this.services.stopping;
  }

  get configuration(): Task['configuration'] {
    return this.services.sections;
  }

  now(): number {
    return this.services.clock.now();
  }

  monotonic(): number {
    return this.services.clock.monotonic();
  }

  sleep(milliseconds: number): Promise<void> {
    return sleep(this.services.clock, milliseconds, this.signal);
  }

  after(milliseconds: number, action: () => void): () => void {
    return this.services.clock.after(milliseconds, action);
  }

  update(changes: DriverChanges): void {
    this.store(changes);
  }

  /** Like `update`, for the conductor's own fields. */
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

  transition(event: ProvisionEvent, options: TransitionOptions = {}): void {
    this.#node = transition(this.services, this.#node, event, options);
  }

  /** Writes the failure to the node's history and returns the text for `last_error`. */
  recordError(entry: HistoryEntry): string {
    return recordError(this.services, this.#node, { user: this.caller?.user ?? null, ...entry });
  }

  recordInfo(entry: HistoryEntry): void {
    recordInfo(this.services, this.#node, { user: this.caller?.user ?? null, ...entry });
  }

  addPorts(addresses: readonly string[]): void {
    for (const text of addresses) {
      const address = parseStationMac(text);
      if (address === undefined)
        this.log.warn({ address: text }, 'not the MAC address of a single machine: no port created');
      else addPort(this, { address });
    }
  }

  setPower(target: PowerTarget): Promise<void> {
    return changePower(this, target);
  }

  saveRamdiskLogs(label: string | null, failed: boolean): Promise<void> {
    return saveRamdiskLogs(this, label, failed);
  }

  withBmc<T>(
    address: string,
    options: BmcOptions,
    operation: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    return this.services.bmcs.run(
      address,
      { ...options, urgent: this.caller !== null, signal: this.signal, node: this.#node.uuid },
      operation,
    );
  }
}
