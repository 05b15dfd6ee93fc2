// Names of classes that a visitor may mean.
import { MOST_MACHINES } from '../machines.ts';
import type { ReadServices } from '../services.ts';

const ALL = { limit: MOST_MACHINES, sortKey: 'id', descending: false } as const;

/** Returns the hardware classes, and the classes that machines have. */
export function knownClasses({ db }: ReadServices): readonly string[] {
  const ofNodes = db.nodes.list(['resource_class'], [], ALL).map(({ resource_class: name }) => name);
  const classes = db.hardwareClasses.list(['name'], [], ALL).map(({ name }) => name);
  return [...new Set([...classes, ...ofNodes])].filter((name) => name !== null).toSorted();
}
