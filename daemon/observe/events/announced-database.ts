// Stores events with the changes that they announce to clients: a change of a record and its event are stored in one transaction,
// so that neither is stored without the other.
import { classOfNode } from '../../conductor/inspection/hardware.ts';
import type { Database } from '../../db/database.ts';
import { announcedFields, nodeNotices, type Notice } from '../../model/notifications/node-notices.ts';
import { type PayloadName, payloadOf } from '../../model/notifications/payloads.ts';
import type { Node } from '../../model/records/node.ts';
import { type InspectionRule, visibleRule } from '../../model/rules/inspection-rule.ts';
import type { EventLog } from './event-log.ts';

interface Record {
  readonly uuid: string;
  readonly node_uuid?: string | null;
}

interface WritableTable<R extends Record> {
  insert(record: R): void;
  get(uuid: string): R | undefined;
  update(uuid: string, changes: Partial<R>): boolean;
  remove(uuid: string): boolean;
  clear(): void;
  where(condition: { readonly sql: string; readonly values: readonly never[] }): readonly R[];
}

type Announce = (resource: string, record: object & Record, notice: Notice) => void;

/** Returns the database with tables that announce changes. */
export function announcedDatabase(db: Database, events: EventLog): Database {
  const announce = announcer(events);
  const announced = <R extends Record, T extends WritableTable<R>>(
    table: T,
    resource: PayloadName,
    visible: (record: R) => Record = (record) => record,
  ): T => ({
    ...table,
    ...announcedTable<R>(db, table, (record, action) =>
      announce(resource, visible(record), { action, status: 'end', payload: resource }),
    ),
  });
  return {
    ...db,
    nodes: announcedNodes(db, announce),
    hardware: announcedHardware(db, announce),
    ports: announced(db.ports, 'port'),
    portgroups: announced(db.portgroups, 'portgroup'),
    chassis: announced(db.chassis, 'chassis'),
    volumeConnectors: announced(db.volumeConnectors, 'volumeconnector'),
    volumeTargets: announced(db.volumeTargets, 'volumetarget'),
    allocations: announced(db.allocations, 'allocation'),
    deployTemplates: announced(db.deployTemplates, 'deploytemplate'),
    runbooks: announced(db.runbooks, 'runbook'),
    inspectionRules: announced<InspectionRule, Database['inspectionRules']>(
      db.inspectionRules,
      'inspectionrule',
      visibleRule,
    ),
  };
}

const announcer =
  (events: EventLog): Announce =>
  (resource, record, { action, status, payload, more }) =>
    events.store({
      event_type: `baremetal.${resource}.${action}.${status}`,
      node_uuid: resource === 'node' ? record.uuid : (record.node_uuid ?? null),
      priority: status === 'error' ? 'error' : 'info',
      payload: payloadOf(payload, { ...record }, more),
    });

function announcedTable<R extends Record>(
  db: Database,
  table: WritableTable<R>,
  announce: (record: R, action: string) => void,
): Pick<WritableTable<R>, 'insert' | 'update' | 'remove' | 'clear'> {
  const remove = (uuid: string) =>
    db.transaction(() => {
      const before = table.get(uuid);
      const removed = table.remove(uuid);
      if (removed && before !== undefined) announce(before, 'delete');
      return removed;
    });
  return {
    remove,
    insert: (record) =>
      db.transaction(() => {
        table.insert(record);
        announce(record, 'create');
      }),
    update: (uuid, changes) =>
      db.transaction(() => {
        const changed = table.update(uuid, changes);
        const after = table.get(uuid);
        if (changed && after !== undefined) announce(after, 'update');
        return changed;
      }),
    clear: () =>
      db.transaction(() => {
        for (const { uuid } of table.where({ sql: 'TRUE', values: [] })) remove(uuid);
      }),
  };
}

function announcedNodes(db: Database, announce: Announce): Database['nodes'] {
  const { nodes } = db;
  const record = (node: Node, action: string) =>
    announce('node', node, { action, status: 'end', payload: 'nodeRecord' });
  const changing = (uuid: string, change: () => boolean, event?: Parameters<typeof nodeNotices>[2]) =>
    db.transaction(() => {
      const before = nodes.get(uuid);
      const changed = change();
      const after = nodes.get(uuid);
      if (changed && before !== undefined && after !== undefined)
        for (const notice of nodeNotices(before, after, event)) announce('node', after, notice);
      return changed;
    });
  return {
    ...nodes,
    ...announcedTable<Node>(db, nodes, record),
    update: (uuid, changes) =>
      Object.keys(changes).some((field) => announcedFields.has(field))
        ? changing(uuid, () => nodes.update(uuid, changes))
        : nodes.update(uuid, changes),
    move: (uuid, move, changes) => changing(uuid, () => nodes.move(uuid, move, changes), move.event),
  };
}

/** What an inspection found to be different is an event of the node. */
function announcedHardware(db: Database, announce: Announce): Database['hardware'] {
  return {
    ...db.hardware,
    put: (row) =>
      db.transaction(() => {
        db.hardware.put(row);
        const node = db.nodes.get(row.node_uuid);
        if (node === undefined) return;
        const { source, compared_with, changes } = row;
        const { name, differences } = classOfNode({ db }, node, row);
        if (changes.length === 0 && differences.length === 0) return;
        const more = { source, compared_with, changes, class: name, class_differences: differences };
        announce('node', node, { action: 'hardware', status: 'success', payload: 'nodeHardware', more });
      }),
  };
}
