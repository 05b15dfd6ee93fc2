// Adds ports for MAC addresses seen on a machine.
import type { Logger } from '../../../lib/logger.ts';
import type { Node } from '../../../model/records/node.ts';
import { type Port, portFields } from '../../../model/records/port.ts';
import { newRecord } from '../new-record.ts';
import type { RecordServices } from '../services.ts';

interface Owner {
  readonly services: RecordServices;
  readonly node: Node;
  readonly log: Logger;
}

/** Adds a port to the node. If a port of any node already has the address, only writes a log line. */
export function addPort({ services, node, log }: Owner, given: Partial<Port> & Pick<Port, 'address'>): void {
  const { ports } = services.db;
  const { address } = given;
  const owner = ports.findBy('address', address)?.node_uuid;
  if (owner === undefined)
    ports.insert(newRecord<Port>(services, portFields, { ...given, node_uuid: node.uuid }));
  else log.info({ address, owner }, 'a port with this address already exists');
}
