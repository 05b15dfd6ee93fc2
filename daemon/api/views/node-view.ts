// How the API shows nodes.
import { endOfWait, waitFields, type Waiting } from '../../conductor/flows/waits.ts';
import type { Services } from '../../conductor/services.ts';
import { columnsOf, type Row, type SqlValue } from '../../db/tables/rows.ts';
import type { JsonObject } from '../../model/json.ts';
import { type Node, nodeFields } from '../../model/records/node.ts';
import type { ProvisionState } from '../../model/states/provision-states.ts';
import { MASK, maskSecrets } from '../../model/secrets.ts';
import { fieldSchemas, linkedSchema, linkPair, linksSchema, versioned } from '../../http/schema-parts.ts';
import { fieldsUpTo } from '../../http/record-view.ts';

interface ViewContext {
  readonly services: Services;
  readonly minor: number;
  readonly baseUrl: string;
}

/** The fields that hold secrets, each with the keys to mask in it besides those that `isSecretKey` recognises. */
const ALSO_SECRET: Readonly<Record<string, readonly string[]>> = {
  driver_info: [],
  driver_internal_info: [],
  // the arguments of steps may hold secrets
  clean_step: [],
  deploy_step: [],
  service_step: [],
  instance_info: ['image_url'],
};

const SUB_RESOURCES = [
  ['ports', 1],
  ['states', 14],
  ['portgroups', 24],
  ['volume', 32],
] as const;

/** The JSON Schema of a node as the API shows it, whole or with the requested fields. */
export const nodeSchema = linkedSchema('Node', {
  ...fieldSchemas(nodeFields),
  ...Object.fromEntries(SUB_RESOURCES.map(([name, minor]) => [name, versioned(minor, linksSchema)])),
});

const columns = columnsOf<Node>(nodeFields);

/** Writes nodes as JSON text directly from rows, because lists of nodes are long and JSON columns contain text already. */
export interface NodeWriter {
  /** The columns that each row must have, in this order. */
  readonly columns: readonly (keyof Node)[];
  uuidOf(row: Row): string;
  write(row: Row): string;
}

/**
 * Returns a writer of the named fields and the node's own links; if `names` is undefined, of everything that the request's API
 * version shows.
 */
export function nodeWriter(names: readonly string[] | undefined, context: ViewContext): NodeWriter {
  const layout = names === undefined ? wholeLayout(context.minor) : layoutOf(names, []);
  const base = JSON.stringify(context.baseUrl).slice(1, -1);
  const links = layout.links.replaceAll(BASE_PLACE, () => base).split(UUID_PLACE);
  const uuidAt = layout.columns.indexOf('uuid');
  const uuidOf = (row: Row) => row[uuidAt] as string;
  return {
    columns: layout.columns,
    uuidOf,
    write(row) {
      const uuid = uuidOf(row);
      let text = links.join(uuid);
      for (const { key, unset, index, write } of layout.fields) {
        const value = row[index];
        text += value === null ? unset : key + write(value ?? null, uuid, context, row);
      }
      return `${text}}`;
    },
  };
}

export function nodeText(node: Node, names: readonly string[] | undefined, context: ViewContext): string {
  const writer = nodeWriter(names, context);
  return writer.write(writer.columns.map((name) => columns.encode(name, node[name])));
}

interface Layout {
  readonly columns: NodeWriter['columns'];
  readonly fields: readonly {
    /** The text before the field's value: `,"name":`. */
    readonly key: string;
    /** The text of the field when it is unset: `,"name":null`. */
    readonly unset: string;
    /** The index of the field's value in a row; -1 if the field is not stored. */
    readonly index: number;
    readonly write: FieldWriter;
  }[];
  /** The beginning of the text, its links, with a place for the base URL and one for the UUID. */
  readonly links: string;
}
type FieldWriter = (value: SqlValue, uuid: string, context: ViewContext, row: Row) => string;

const wholeLayouts: Layout[] = [];
const wholeLayout = (minor: number): Layout =>
  (wholeLayouts[minor] ??= layoutOf(
    fieldsUpTo(nodeFields, minor),
    SUB_RESOURCES.filter(([, since]) => minor >= since).map(([name]) => name),
  ));

function layoutOf(names: readonly string[], subResources: readonly string[]): Layout {
  const needed = new Set<string>(['uuid', ...names, ...(names.includes('wait') ? waitFields : [])]);
  const stored = columns.names.filter((name) => needed.has(name));
  const fields = names.map((name) => ({
    key: `,"${name}":`,
    unset: `,"${name}":null`,
    index: stored.findIndex((column) => column === name),
    write: name === 'wait' ? waitWriter(stored) : fieldWriter(name),
  }));
  return { columns: stored, fields, links: subResources.length === 0 ? OWN_LINKS : linksText(subResources) };
}

function fieldWriter(name: string): FieldWriter {
  const plain = columns.jsonWriter(name as keyof Node);
  const extraSecrets = ALSO_SECRET[name];
  if (name === 'provision_state')
    return (value, _, { minor }) => plain(stateAt(value as ProvisionState, minor));
  if (name === 'reservation') return (_, uuid, { services }) => plain(services.locks.holderOf(uuid));
  if (name === 'conductor') return (_, __, { services }) => plain(services.host);
  if (extraSecrets === undefined) return plain;
  return (value) => (value === '{}' ? value : maskedText(plain(value), extraSecrets));
}

/** Adds to what the node waits for when the wait ends at the latest. */
function waitWriter(stored: Layout['columns']): FieldWriter {
  const decode: (row: Row) => Waiting = columns.decoder(stored);
  return (value, _, { services }, row) => {
    if (value === '{}') return value;
    const node = decode(row);
    return JSON.stringify({ ...node.wait, until: endOfWait(services, node) });
  };
}

const BASE_PLACE = '{base}';
const UUID_PLACE = '{uuid}';

/** `subResources`: the names of those that the node's text links to. */
function linksText(subResources: readonly string[]): string {
  const path = `nodes/${UUID_PLACE}`;
  const beside = subResources.map((name) => [name, linkPair(BASE_PLACE, `${path}/${name}`)]);
  const links = { links: linkPair(BASE_PLACE, path), ...Object.fromEntries(beside) };
  return JSON.stringify(links).slice(0, -1);
}

const OWN_LINKS = linksText([]);

function maskedText(json: string, extraSecrets: readonly string[]): string {
  const value = JSON.parse(json) as JsonObject;
  const hidden = extraSecrets.filter((key) => Boolean(value[key]));
  const safe = maskSecrets(value);
  if (hidden.length === 0) return JSON.stringify(safe);
  return JSON.stringify({ ...safe, ...Object.fromEntries(hidden.map((key) => [key, MASK])) });
}

/** Returns the state as API version 1.`minor` shows it: older clients do not know every state. */
export function stateAt(state: ProvisionState, minor: number): ProvisionState | null {
  if (state === 'available' && minor < 2) return null;
  return state === 'inspect wait' && minor < 39 ? 'inspecting' : state;
}
