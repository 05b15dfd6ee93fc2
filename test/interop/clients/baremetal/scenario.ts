// The context of a test of one baremetal command.
import type { Baremetal, Line } from '../../../fakes/baremetal-client.ts';
import type { Site } from '../site.ts';

export interface Client extends Baremetal {
  /** Whether the client is the newest release, which has options that Debian's lacks. */
  readonly newest: boolean;
  /** Succeeds; returns the rows of the printed list, each as its values, because the names of columns differ between clients. */
  readonly rows: (line: Line) => Promise<readonly (readonly unknown[])[]>;
}

export function clientOf(baremetal: Baremetal, newest: boolean): Client {
  return {
    ...baremetal,
    newest,
    rows: async (line) => ((await baremetal.json(line)) as readonly object[]).map(Object.values),
  };
}

/** Runs the command with real arguments and checks its output and the API's records. */
export type Scenario = (client: Client, site: Site) => Promise<void>;

/** Scenarios by the command that each tests, without its first word: `node create`. */
export type Scenarios = Readonly<Record<string, Scenario>>;
