// Inspection hooks: pure functions on a draft, run in a worker thread on what a ramdisk reported.
import type { InspectedNodeField } from '../model/inspected-fields.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Node } from '../model/node.ts';

/** The part of a port that hooks see and change; any other key fails the hook. */
export interface PortDraft {
  /** Absent: a port that the hook adds. */
  readonly uuid?: string;
  /** Of a port that the node has, it cannot change. */
  readonly address: string;
  pxe_enabled: boolean;
  extra: JsonObject;
  local_link_connection: JsonObject;
  physical_network: string | null;
}

/**
 * The part of a node that hooks see and change: `traits`, and the fields that PATCH may change, by the names of the API
 * and under the rules of a PATCH; null unsets a field. What cannot be stored and any other key fail the hook. Secrets
 * are masked; a masked value that is left where it is keeps its secret.
 */
export type NodeDraft = { readonly uuid: string; traits: string[] } & {
  -readonly [F in InspectedNodeField]: Node[F] extends JsonObject ? Record<string, Json> : Node[F];
};

/** Values of the configuration, by section. */
export type HookConfiguration = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What one hook run works on; a key that it does not have fails the hook. The worker compares it with what it was and hands the difference to the conductor. */
export interface InspectionDraft {
  /**
   * As sent by the ramdisk; frozen at every depth. A number that JavaScript cannot hold is rounded here, and stored as it
   * was sent; what a hook copies of it is rounded.
   */
  readonly inventory: JsonObject;
  /** The inventory that the last successful inspection stored, frozen; undefined before the first. */
  readonly previousInventory: JsonObject | undefined;
  /** Everything else the ramdisk sent, and what hooks add to it. Set and delete its keys; the values are frozen. */
  readonly pluginData: Record<string, Json>;
  readonly node: NodeDraft;
  /** Replace, add or filter freely. */
  ports: PortDraft[];
  readonly configuration: HookConfiguration;
  /** A line for the operator's log. */
  warn(message: string): void;
}

export interface InspectionHook {
  /** Hooks that must stand earlier in `[inspector] hooks`. */
  readonly dependencies?: readonly string[];
  /** The hook whose place this one takes: it satisfies those that depend on that one, which cannot be enabled too. */
  readonly replaces?: string;
  /** Called at start. Throws an Error that says which option cannot be used and what was expected. */
  checkConfiguration?(configuration: HookConfiguration): unknown;
  /** Runs before any hook's `call`; all hooks' are run and all their errors reported together. */
  preprocess?(draft: InspectionDraft): void;
  /** Runs after all `preprocess`; the first error ends the inspection. */
  call?(draft: InspectionDraft): void;
}

/** A reason to fail the inspection that the operator should read as it stands. */
export class InspectionError extends Error {
  override readonly name = 'InspectionError';
}

export const defineHook = (hook: InspectionHook): InspectionHook => hook;
