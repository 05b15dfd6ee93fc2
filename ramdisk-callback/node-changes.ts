// What hooks and rules change of a node, under the rules of a PATCH.
import { nodeBodies } from '../daemon/api/node-bodies.ts';
import { Fault } from '../daemon/model/faults.ts';
import { inspectedNodeFields } from '../daemon/model/inspected-fields.ts';
import type { Json } from '../daemon/model/json.ts';
import { MAXIMUM_MINOR } from '../daemon/model/microversions.ts';
import type { Node, NodeChanges } from '../daemon/model/node.ts';
import { isTrait, MAXIMUM_TRAITS_OF_NODE, TRAIT_RULE } from '../daemon/model/traits.ts';
import { InspectionError } from '#plugin-api';

/** A node while hooks and rules work on it, and who changed what. */
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

  /** Fields that differ from what is stored. */
  get changes(): NodeChanges {
    const names = FIELDS.filter((name) => !same(this.#stored[name], this.#node[name]));
    return Object.fromEntries(names.map((name) => [name, this.#node[name]]));
  }

  /** The last to change each of these fields. */
  get authors(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#authors);
  }

  /** `fields`: all that may be changed, as `author` left them; null and undefined unset. Throws InspectionError. */
  take(author: string, fields: Readonly<Record<string, Json | undefined>>): void {
    for (const name of FIELDS) {
      const value = fields[name] ?? null;
      if (same(value, this.#node[name])) continue;
      const { [name]: stored = this.#node[name] } = changed(this.#node, name, value);
      // another way to write the same
      if (same(stored, this.#node[name])) continue;
      // later hooks work on the same objects
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
    // nobody sent a patch
    throw new InspectionError(
      `node field ${name}: ${error.message.replace(/^Schema error for patch: /, '')}`,
    );
  }
}

function checkedTraits(value: Json): readonly string[] {
  const traits = [...new Set(Array.isArray(value) ? (value as readonly string[]) : [])].toSorted();
  const other = traits.find((trait) => !isTrait(trait));
  if (other !== undefined)
    throw new InspectionError(`node field traits: ${JSON.stringify(other)} is no trait: ${TRAIT_RULE}`);
  if (traits.length <= MAXIMUM_TRAITS_OF_NODE) return traits;
  throw new InspectionError(
    `node field traits: there would be ${traits.length}; a node may have ${MAXIMUM_TRAITS_OF_NODE}`,
  );
}
