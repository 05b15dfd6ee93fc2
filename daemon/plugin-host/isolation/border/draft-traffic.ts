// The draft of an inspection as bytes for a hook in a plugin's process, and the result of the hook as bytes for the daemon.
import { isJsonObject, type Json, type JsonObject } from '../../../model/json.ts';
import {
  type InspectionDraft,
  InspectionError,
  type NodeDraft,
  type PortDraft,
} from '../../../plugin-api/hooks.ts';

type Handed = Pick<InspectionDraft, 'inventory' | 'previousInventory' | 'pluginData' | 'node' | 'ports'>;

/** What a hook did. A failure is `unforeseen` if the hook threw anything but an InspectionError. */
export type HookResult = { readonly warnings: readonly string[] } & (
  | {
      readonly kind: 'changed';
      readonly node: NodeDraft;
      readonly ports: PortDraft[];
      /** The members of `pluginData` that are new or changed; `deleted`: the keys of members that the hook deleted. */
      readonly set: JsonObject;
      readonly deleted: readonly string[];
    }
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'unforeseen'; readonly name: string; readonly message: string }
);

const bytesOf = (value: unknown): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.stringify(value));

const valueOf = (bytes: Uint8Array): unknown => JSON.parse(new TextDecoder().decode(bytes));

export const draftBytes = ({
  inventory,
  previousInventory,
  pluginData,
  node,
  ports,
}: InspectionDraft): Uint8Array<ArrayBuffer> =>
  bytesOf({ inventory, previousInventory, pluginData, node, ports } satisfies Handed);

export const draftIn = (bytes: Uint8Array): Handed => valueOf(bytes) as Handed;

export const resultBytes = (result: HookResult): Uint8Array<ArrayBuffer> => bytesOf(result);

/**
 * Applies the changes of a result to the draft. Only the form of the result is checked here; the changes themselves are checked
 * like those of any hook. If the hook threw, throws an error with the same name and message.
 */
export function takeResult(bytes: Uint8Array, draft: InspectionDraft): void {
  const result = valueOf(bytes);
  if (!isJsonObject(result)) throw new Error('the process of the plugin sent no result');
  const { kind, warnings, node, ports, set, deleted, name, message } = result;
  if (Array.isArray(warnings)) for (const warning of warnings) draft.warn(textOf(warning));
  if (kind === 'refused') throw new InspectionError(textOf(message));
  if (kind !== 'changed') throw named(textOf(name), textOf(message));
  if (!isJsonObject(node) || !isJsonObject(set) || !Array.isArray(deleted))
    throw new Error('the process of the plugin sent no draft');
  deleteMembers(draft.node, Object.keys(draft.node));
  setMembers(draft.node, node);
  draft.ports = ports as unknown as PortDraft[];
  deleteMembers(draft.pluginData, deleted as readonly string[]);
  setMembers(draft.pluginData, set);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

function deleteMembers(target: object, keys: readonly string[]): void {
  for (const key of keys) Reflect.deleteProperty(target, key);
}

/** Defines the members: assigning a member named `__proto__` would change the prototype. */
function setMembers(target: object, members: JsonObject): void {
  for (const [key, value] of Object.entries<Json | undefined>(members))
    Object.defineProperty(target, key, { value, enumerable: true, writable: true, configurable: true });
}
