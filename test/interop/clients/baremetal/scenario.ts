// The context of a test of one baremetal command.
import type { Baremetal, Line } from '../../../fakes/clients/baremetal-client.ts';
import type { Site } from '../site.ts';

export interface Client extends Baremetal {
  /** Whether the client is the newest release, which has options that Debian's lacks. */
  readonly newest: boolean;
  /**
   * Checks that the command succeeds, and returns the rows of its list. A row is an array of values without column names, because
   * the clients name columns differently.
   */
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

/** The scenarios. Each key is the command that the scenario tests, without `baremetal`: `node create`. */
export type Scenarios = Readonly<Record<string, Scenario>>;
