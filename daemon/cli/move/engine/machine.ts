// The records of a machine that are moved from one service to another, under the names of the API.
import type { JsonObject } from '../../../model/json.ts';
import { initialNode, type Node, nodeFields } from '../../../model/records/node.ts';

export interface MovedMachine {
  readonly node: Node;
  readonly ports: readonly JsonObject[];
  readonly portgroups: readonly JsonObject[];
  readonly volumeConnectors: readonly JsonObject[];
  readonly volumeTargets: readonly JsonObject[];
  readonly allocation: JsonObject | undefined;
  readonly chassis: JsonObject | undefined;
}

/** What a machine's maintenance was before it was set aside. */
export type Maintenance = Pick<Node, 'maintenance' | 'maintenance_reason'>;

export const maintenanceOf = ({ maintenance, maintenance_reason }: Node): Maintenance => ({
  maintenance,
  maintenance_reason,
});

/** `shown`: the node as an API of any version shows it. Fields that this version lacks get their initial values. */
export const nodeFrom = (shown: JsonObject): Node =>
  initialNode(Object.fromEntries(Object.entries(shown).filter(([name]) => Object.hasOwn(nodeFields, name))));

export const nameOrUuid = ({ name, uuid }: Pick<Node, 'name' | 'uuid'>): string => name ?? uuid;
