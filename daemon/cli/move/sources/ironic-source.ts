// An Ironic as the source of machines: its API shows everything except the secrets, which are read from a file or from Ironic's
// database. Maintenance keeps Ironic from acting on a node.
import type { Json, JsonObject } from '../../../model/json.ts';
import type { Node } from '../../../model/records/node.ts';
import { MASK } from '../../../model/secrets.ts';
import { csvRows } from '../../../lib/files/csv-rows.ts';
import { endMaintenance, readMachine, type Service, requestMaintenance } from '../engine/ironic-service.ts';
import { nodeFrom } from '../engine/machine.ts';
import type { MoveSource } from '../engine/source.ts';
import { inGivenOrder } from './in-order.ts';

/** What a file or Ironic's database contains for each node, by name or UUID. */
export type Secrets = ReadonlyMap<string, Partial<Pick<Node, 'driver_info' | 'instance_info'>>>;

export function ironicSource(ironic: Service, secrets: Secrets, to: string): MoveSource {
  const { api, name } = ironic;
  return {
    name,
    service: ironic,
    list: async (named) => inGivenOrder((await api.list('/v1/nodes/detail', 'nodes')).map(nodeFrom), named),
    async read(uuid) {
      const machine = await readMachine(ironic, uuid);
      if (machine === undefined) throw new Error(`${name} has no node ${uuid} any more`);
      const { node } = machine;
      const given = secrets.get(uuid) ?? secrets.get(node.name ?? '') ?? {};
      const driver_info = completed(node.driver_info, given.driver_info);
      const instance_info = withoutMasks({ ...node.instance_info, ...given.instance_info });
      return { ...machine, node: { ...node, driver_info, instance_info } };
    },
    async setAside(uuid) {
      await requestMaintenance(ironic, uuid, `handed over to ${to}, which manages the machine from now on`);
    },
    async takeBack(uuid, { maintenance, maintenance_reason: reason }) {
      if (maintenance) await requestMaintenance(ironic, uuid, reason);
      else await endMaintenance(ironic, uuid);
    },
  };
}

/** Throws when a secret is still masked. */
function completed(shown: JsonObject, given: JsonObject = {}): JsonObject {
  const complete = { ...shown, ...given };
  const masked = maskedIn(complete);
  if (masked.length === 0) return complete;
  throw new Error(
    `Ironic's API masks driver_info ${masked.join(', ')}: give Ironic's database with --database, or a file with --credentials, with a line "node,${masked.join(',')}" and one line for each node`,
  );
}

/** Removes masked values, such as the config drive or a URL with a password: the receiver would take a mask for the value. */
const withoutMasks = (info: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => !isMasked(value)));

const maskedIn = (shown: JsonObject): readonly string[] =>
  Object.keys(shown).filter((key) => isMasked(shown[key]));

/** Also true for a text of which a part is masked, such as the login in a URL. */
const isMasked = (value: Json | undefined): boolean => typeof value === 'string' && value.includes(MASK);

/**
 * Returns the text of a file for `readCredentials`, to be filled in: it has a column for each field of driver_info that is
 * masked.
 */
export function credentialsTemplate(nodes: readonly Pick<Node, 'uuid' | 'name' | 'driver_info'>[]): string {
  const keys = [...new Set(nodes.flatMap(({ driver_info: shown }) => maskedIn(shown)))];
  const rows = nodes.map(({ uuid, name }) => [name ?? uuid, ...keys.map(() => '')]);
  return [['node', ...keys], ...rows].map((row) => `${row.join(',')}\n`).join('');
}

/**
 * Reads lines of comma-separated values. The first line is "node" and the names of fields of driver_info, such as
 * node,ipmi_username,ipmi_password.
 */
export function readCredentials(file: string, text: string): Secrets {
  const [head = [], ...rows] = csvRows(`--credentials ${file}`, text).map(({ fields }) => fields);
  if (head[0] !== 'node' || head.length < 2)
    throw new Error(
      `--credentials ${file}: expected a first line such as "node,ipmi_username,ipmi_password", and one line for each node`,
    );
  return new Map(
    rows.map((row) => [
      row[0] ?? '',
      {
        driver_info: Object.fromEntries(
          head.slice(1).flatMap((key, at) => (row[at + 1] ? [[key, row[at + 1] ?? '']] : [])),
        ),
      },
    ]),
  );
}
