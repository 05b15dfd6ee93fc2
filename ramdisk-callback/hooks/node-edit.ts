// The changes that hooks and inspection rules make to a node. Each is checked like a change by PATCH.
import { nodeFieldChange } from '../../daemon/conductor/records/node-field-rules.ts';
import { sameJson } from '../../daemon/lib/json/same-json.ts';
import { Fault } from '../../daemon/model/faults.ts';
import { inspectedNodeFields } from '../../daemon/model/records/inspected-fields.ts';
import type { Json } from '../../daemon/model/json.ts';
import type { Node, NodeChanges } from '../../daemon/model/records/node.ts';
import { InspectionError } from '#plugin-api';

const FIELDS = [...inspectedNodeFields, 'traits' as const];

/** A node, with the author of each change. */
export class NodeEdit {
  readonly #stored: Node;
  readonly #authors = new Map<string, string>();
  #node: Node;

  constructor(stored: Node) {
    this.#stored = stored;
    this.#node = stored;
  }

  get node(): Node {
    return this.#node;
  }

  /** The fields that differ from the stored node. */
  get changes(): NodeChanges {
    const names = FIELDS.filter((name) => !sameJson(this.#stored[name], this.#node[name]));
    return Object.fromEntries(names.map((name) => [name, this.#node[name]]));
  }

  /** The hook or rule that last changed each field. */
  get authors(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#authors);
  }

  /**
   * Takes the changes that `author` made. `fields`: the new value of every field that may change; a field that is null,
   * undefined or missing is unset. Throws InspectionError for a value that cannot be stored.
   */
  take(author: string, fields: Readonly<Record<string, Json | undefined>>): void {
    for (const name of FIELDS) {
      const value = fields[name];
      if (sameJson(value ?? null, this.#node[name])) continue;
      const change = checkedChange(name, value);
      // the value differed only in its notation
      if (sameJson(change[name], this.#node[name])) continue;
      // copied, because later hooks may mutate the same objects
      this.#node = { ...this.#node, ...structuredClone(change) };
      this.#authors.set(name, author);
    }
  }
}

function checkedChange(name: (typeof FIELDS)[number], value: Json | undefined): NodeChanges {
  try {
    return nodeFieldChange(name, value);
  } catch (error) {
    throw error instanceof Fault ? new InspectionError(error.message) : error;
  }
}
