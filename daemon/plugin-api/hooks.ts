// Inspection hooks: functions that edit a draft of the node for each inspection report. They run outside the main thread, and can
// change nothing else.
import type { InspectedNodeField } from '../model/records/inspected-fields.ts';
import type { Json, JsonObject } from '../model/json.ts';
import type { Node } from '../model/records/node.ts';
import type { Configuration } from './task.ts';

/** The part of a port that hooks can see and change. If a hook sets any other key, the hook fails. */
export interface PortDraft {
  /** Not set for a port that the hook adds. */
  readonly uuid?: string;
  /** Fixed for a port that the node already has. */
  readonly address: string;
  pxe_enabled: boolean;
  extra: JsonObject;
  local_link_connection: JsonObject;
  physical_network: string | null;
}

/**
 * The part of a node that hooks can see and change: `traits`, and the fields that PATCH may change, with the API's
 * names and PATCH's rules; null unsets a field. If a hook sets any other key, or a value that cannot be stored, the
 * hook fails. Secrets are masked; a mask that stays in its place keeps the secret.
 */
export type NodeDraft = { readonly uuid: string; traits: string[] } & {
  -readonly [F in InspectedNodeField]: Node[F] extends JsonObject ? Record<string, Json> : Node[F];
};

/**
 * The data that hooks edit. If a hook adds a key to this object itself, the hook fails. After all hooks have run, the conductor
 * stores what they have changed.
 */
export interface InspectionDraft {
  /**
   * The inventory as the ramdisk sent it; deeply frozen. A number beyond JavaScript's precision is stored exactly as
   * sent, but is rounded here and wherever a hook copies it.
   */
  readonly inventory: JsonObject;
  /** The inventory that the last successful inspection stored, deeply frozen; undefined before the first. */
  readonly previousInventory: JsonObject | undefined;
  /** Everything else the ramdisk sent, and data added by hooks. Hooks may set and delete keys; the values are frozen. */
  readonly pluginData: Record<string, Json>;
  readonly node: NodeDraft;
  /** Hooks may add and remove ports, and replace the list. */
  ports: PortDraft[];
  readonly configuration: Configuration;
  /** Writes a warning to the log. */
  warn(message: string): void;
}

export interface InspectionHook {
  /** Names of hooks that must come earlier in `[inspector] hooks`. */
  readonly dependencies?: readonly string[];
  /**
   * The name of a hook in whose place this one may stand in `[inspector] hooks`: hooks that depend on that one accept this one. The
   * two cannot be enabled together.
   */
  readonly replaces?: string;
  /** Called when the daemon loads the hook. Throws an Error that names the invalid option and what was expected. */
  checkConfiguration?(configuration: Configuration): unknown;
  /** Runs before any hook's `call`. Every hook's `preprocess` runs, and all their errors are reported together. */
  preprocess?(draft: InspectionDraft): void;
  /** Runs when the `preprocess` of every hook has ended; the first error ends the inspection. */
  call?(draft: InspectionDraft): void;
}

/** A failure of the inspection whose message is shown to the operator unchanged. */
export class InspectionError extends Error {
  override readonly name = 'InspectionError';
}

export const defineHook = (hook: InspectionHook): InspectionHook => hook;
