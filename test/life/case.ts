// A case of `npm run life`: something that a machine goes through, and what is expected of it.
import type { MachineEvent } from '../../daemon/model/records/machine-event.ts';
import type { Site } from './site.ts';

export interface Case {
  /** The name that --only selects the case by. */
  readonly name: string;
  /** Resolves with what the daemon saw; rejects when anything is not as expected. */
  run(site: Site): Promise<readonly MachineEvent[]>;
}
