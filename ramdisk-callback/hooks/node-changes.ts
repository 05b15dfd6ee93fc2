// Changes that hooks and rules make to a node, checked by the rules of a PATCH.
import { nodeBodies } from '../../daemon/api/bodies/node-bodies.ts';
import { Fault } from '../../daemon/model/faults.ts';
import { inspectedNodeFields } from '../../daemon/model/records/inspected-fields.ts';
import type { Json } from '../../daemon/model/json.ts';
import { MAXIMUM_MINOR } from '../../daemon/model/microversions.ts';
import type { Node, NodeChanges } from '../../daemon/model/records/node.ts';
import { isTrait, MAXIMUM_TRAITS_OF_NODE, TRAIT_RULE } from '../../daemon/model/traits.ts';
import { InspectionError } from '#plugin-api';

/** A node being changed by hooks and rules, with the author of each change. */
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
    const names = FIELDS.filter((name) => !same(this.#stored[name], this.#node[name]));
    return Object.fromEntries(names.map((name) => [name, this.#node[name]]));
  }

  /** The hook or rule that last changed each field. */
  get authors(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#authors);
  }

  /**
   * Takes the changes that `author` made. `fields`: every changeable field; null and undefined unset a field. Throws
   * InspectionError for a value that cannot be stored.
   */
  take(author: string, fields: Readonly<Record<string, Json | undefined>>): void {
    for (const name of FIELDS) {
      const value = fields[name] ?? null;
      if (same(value, this.#node[name])) continue;
      const { [name]: stored = this.#node[name] } = changed(this.#node, name, value);
      // differed only in notation
      if (same(stored, this.#node[name])) continue;
      // copied, because later hooks may mutate the same objects
      this.#node = { ...this.#node, [name]: structuredClone(stored) };
      this.#authors.set(name, author);
    }
  }
}

const FIELDS = [...inspectedNodeFields, 'traits' as const];

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

function changed(node: Node, name: (typeof FIELDS)[number], value: Json): NodeChanges {
  if (name === 'traits') return { traits: checkedTraits(value) };
  const path = `/${name}`;
  try {
    const operation = value === null ? { op: 'remove', path } : { op: 'add', path, value };
    return nodeBodies.changes(node, nodeBodies.operations([operation], MAXIMUM_MINOR), MAXIMUM_MINOR);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // the patch is internal, so the message must not mention one
    throw new InspectionError(
      `node field ${name}: ${error.message.replace(/^Schema error for patch: /, '')}`,
    );
  }
}

function checkedTraits(value: Json): readonly string[] {
  const traits = [...new Set(Array.isArray(value) ? (value as readonly string[]) : [])].toSorted();
  const other = traits.find((trait) => !isTrait(trait));
  if (other !== undefined)
    throw new InspectionError(`node field traits: ${JSON.stringify(other)} is not a trait: ${TRAIT_RULE}`);
  if (traits.length <= MAXIMUM_TRAITS_OF_NODE) return traits;
  throw new InspectionError(
    `node field traits: ${traits.length} traits; a node can have at most ${MAXIMUM_TRAITS_OF_NODE}`,
  );
}
