// What a test of one command of the baremetal client is given.
import type { Baremetal } from '../../../fakes/baremetal-client.ts';
import type { Site } from '../site.ts';

/** Gives the command real arguments and looks at what it printed and at what the API then says. */
export type Scenario = (baremetal: Baremetal, site: Site) => Promise<void>;

/** By the command, without its first word: `node create`. */
export type Scenarios = Readonly<Record<string, Scenario>>;

export const MISSING = '00000000-0000-4000-8000-000000000000';
