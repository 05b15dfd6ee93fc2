// Volume connectors and targets: create, change and delete. They are changed and deleted only while the machine is off.
import { type Fault, fault } from '../../model/faults.ts';
import type { Node } from '../../model/records/node.ts';
import {
  type VolumeConnector,
  volumeConnectorFields,
  type VolumeTarget,
  volumeTargetFields,
} from '../../model/records/volume.ts';
import { changeSimpleRecord, createSimpleRecord, type SimpleKind } from './simple-records.ts';
import { findReferencedNode } from './referenced-records.ts';
import type { RecordServices } from './services.ts';
import { withTask } from '../tasks/run-task.ts';
import type { Call } from '../tasks/services.ts';

export type VolumeRecord = VolumeConnector | VolumeTarget;

export interface VolumeKind<R extends VolumeRecord> extends SimpleKind<R> {
  /** Fields that a new record must have. */
  readonly required: readonly string[];
  readonly notFound: (uuid: string) => Fault;
}

export const volumeConnectors: VolumeKind<VolumeConnector> = {
  resource: 'volume connector',
  fields: volumeConnectorFields,
  required: ['node_uuid', 'type', 'connector_id'],
  table: ({ db }) => db.volumeConnectors,
  duplicate: ({ type, connector_id: connector }) => fault('DuplicateVolumeConnector', { type, connector }),
  notFound: (connector) => fault('VolumeConnectorNotFound', { connector }),
};

export const volumeTargets: VolumeKind<VolumeTarget> = {
  resource: 'volume target',
  fields: volumeTargetFields,
  required: ['node_uuid', 'volume_type', 'volume_id', 'boot_index'],
  table: ({ db }) => db.volumeTargets,
  duplicate: ({ node_uuid: node, boot_index: index }) => fault('DuplicateBootIndex', { node, index }),
  notFound: (target) => fault('VolumeTargetNotFound', { target }),
};

/** Takes no lock; the node may be in any power state. */
export function createVolume<R extends VolumeRecord>(
  services: RecordServices,
  kind: VolumeKind<R>,
  given: Partial<R> & Pick<R, 'node_uuid'>,
): R {
  findReferencedNode(services, given.node_uuid);
  return createSimpleRecord(services, kind, given);
}

/** `change` gets the record as read under the lock, and returns the changes that the request makes to it. */
export function updateVolume<R extends VolumeRecord>(
  call: Call<RecordServices>,
  kind: VolumeKind<R>,
  { uuid, node_uuid }: R,
  change: (record: R) => Partial<R>,
): Promise<R> {
  const { services } = call;
  return withTask(call, node_uuid, ({ node }) => {
    refusePowered(node, `${kind.resource} update`);
    const record = kind.table(services).get(uuid);
    if (record === undefined) throw kind.notFound(uuid);
    const changes = change(record);
    if (changes.node_uuid !== undefined) findReferencedNode(services, changes.node_uuid);
    return changeSimpleRecord(services, kind, record, changes);
  });
}

export function deleteVolume<R extends VolumeRecord>(
  call: Call<RecordServices>,
  kind: VolumeKind<R>,
  { uuid, node_uuid }: R,
): Promise<void> {
  const { services } = call;
  return withTask(call, node_uuid, ({ node }) => {
    refusePowered(node, `${kind.resource} deletion`);
    if (!kind.table(services).remove(uuid)) throw kind.notFound(uuid);
  });
}

function refusePowered({ uuid, power_state: state }: Node, action: string): void {
  if (state === 'power off') return;
  throw fault('NodePowered', { action, node: uuid, state: state ?? 'unknown' });
}
