// When the address and wiring of a node's ports and portgroups may change.
import { fault } from '../../../model/faults.ts';
import type { Node } from '../../../model/records/node.ts';
import { permissionIn } from '../../../model/states/provision-states.ts';

interface Wired {
  readonly uuid: string;
  readonly address: string | null;
}

export interface ConnectivityRules<R> {
  /** The name of the resource in messages: `Port` or `Portgroup`. */
  readonly resource: string;
  /** Fields that decide how the node is connected. */
  readonly wiring: readonly (keyof R & string)[];
  /** Whether to refuse changes in the frozen state, `inspecting`. Clients of API 1.38 and older may still make them. */
  readonly refuseFrozen: boolean;
}

/**
 * Throws InvalidState unless the node's state, maintenance and instance permit the `changes` of `record`, a port or portgroup of
 * the node.
 */
export function refuseWrongMoment<R extends Wired>(
  node: Node,
  record: R,
  changes: Partial<R>,
  rules: ConnectivityRules<R>,
): void {
  const differs = (name: keyof R) =>
    changes[name] !== undefined && JSON.stringify(changes[name]) !== JSON.stringify(record[name]);
  const refused = mistimed(node, differs, rules);
  if (refused === undefined) return;
  throw fault('InvalidState', {
    reason: `${rules.resource} ${record.uuid} can not have ${refused.what} changed while node ${node.uuid} is in state "${node.provision_state}". ${refused.advice}`,
  });
}

function mistimed<R extends Wired>(
  node: Node,
  differs: (name: keyof R) => boolean,
  { wiring, refuseFrozen }: ConnectivityRules<R>,
): { readonly what: string; readonly advice: string } | undefined {
  if (refuseFrozen && permissionIn(node.provision_state, 'frozen') === true)
    return { what: 'any field', advice: 'Repeat the request when the inspection has ended.' };
  if (node.maintenance) return undefined;
  const inUse = node.instance_uuid !== null || permissionIn(node.provision_state, 'inUse') === true;
  const mayRewire = permissionIn(node.provision_state, 'rewire') === true;
  const fixed: readonly (keyof R & string)[] = [
    ...(inUse ? ['address' as const] : []),
    ...(mayRewire ? [] : wiring),
  ];
  const what = fixed.find(differs);
  return what === undefined ? undefined : { what, advice: 'Set the node to maintenance to change it now.' };
}
