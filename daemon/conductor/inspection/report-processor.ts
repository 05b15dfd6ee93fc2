// What the threads that parse and process reports do for the conductor: they compute changes, which the conductor stores.
import type { StoredInventory } from '../../db/tables/node-inventory.ts';
import type { HookReference } from '../../plugin-host/hooks.ts';
import type { Json } from '../../model/json.ts';
import type { InspectedRecords, ReportChanges } from './changes.ts';

/** Reports are JSON in UTF-8. Bytes in shared memory are passed on without a copy. */
export interface ReportProcessor {
  /** Returns the addresses that identify the reporting machine, or why the report is refused. */
  identify(report: Uint8Array): Promise<Identification>;
  /**
   * Runs hooks and then rules; without `hooks`, the hooks of `[inspector] hooks`. When they have computed for ten seconds,
   * rejects and ends their thread.
   */
  inspect(
    report: Uint8Array,
    records: InspectedRecords,
    hooks?: readonly HookReference[],
  ): Promise<ReportOutcome>;
  /** Like `inspect`, for the stored data of an earlier inspection. In a dry run, `api-call` actions send no requests. */
  reprocess(stored: StoredInventory, records: InspectedRecords, isDryRun: boolean): Promise<ComparedOutcome>;
  /** Returns an external service's report in the form the database stores. Rejects when it is malformed. */
  split(report: Uint8Array): Promise<StoredInventory<Uint8Array<ArrayBuffer>>>;
  /** Returns the archive of the ramdisk's logs, or undefined when the report has none. */
  logs(report: Uint8Array): Promise<Uint8Array | undefined>;
  close(): Promise<void>;
}

export interface ReportRefusal {
  readonly kind: 'refused';
  readonly code: 'BodyTooDeep' | 'BodyTooManyValues' | 'InvalidBody' | 'InvalidSchema';
  readonly reason: string;
}

/** Unicast MAC addresses of a machine and the addresses of its BMC, in canonical form. */
export interface Addresses {
  readonly macs: readonly string[];
  readonly bmcAddresses: readonly string[];
  /** Newer agents report it. */
  readonly bmcMac?: string;
}

/** What a ramdisk says of the account that it was to make on the BMC of its machine. */
export interface ReportedLogin {
  /** In Base64, unopened; empty when it is not a text, or too long. */
  readonly sealed?: string;
  /** Why there is no account. */
  readonly failure?: string;
  /** The machine's serial number according to the inventory. */
  readonly serialNumber: string | null;
}

export type Identification =
  | ({ readonly kind: 'identified'; readonly login?: ReportedLogin } & Addresses)
  | ReportRefusal;

/** A log line from a hook or rule, for the operator. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
}

export interface Failed {
  readonly kind: 'failed';
  readonly reason: string;
  readonly lines: readonly LogLine[];
}

export interface Changed {
  readonly kind: 'changed';
  readonly changes: ReportChanges;
  readonly lines: readonly LogLine[];
}

export type ReportOutcome = Changed | Failed;

/** One changed value, with secrets masked. An added value has no `before`, a removed value no `after`. */
export interface ReportDifference {
  /** JSON pointer: `/node/properties/cpus`, `/ports/<MAC address>/pxe_enabled`, `/plugin_data/parsed_lldp`. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

export interface Compared extends Changed {
  readonly differences: readonly ReportDifference[];
}

export type ComparedOutcome = Compared | Failed;
