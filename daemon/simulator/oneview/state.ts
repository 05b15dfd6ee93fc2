// The state of a simulated OneView appliance: servers, templates, profiles and tasks.
import type { Json, JsonObject } from '../../model/json.ts';

/** The simulated machine of a server, which the appliance switches on and off. */
export interface SwitchedMachine {
  readonly powerState: 'On' | 'Off';
  /** Switches the machine on; `device`: the first device of its boot order, or a device for one boot. */
  switchOn(device: string): void;
  switchOff(): void;
}

export interface ApplianceServer {
  readonly uri: string;
  readonly name: string;
  readonly type: string;
  /** The enclosure group; null for a rack server. */
  readonly group: string | null;
  readonly portMap: JsonObject | null;
  /** The MAC addresses that the iLO reports. */
  readonly macs: readonly string[];
  readonly machine: SwitchedMachine | undefined;
  state: 'NoProfileApplied' | 'ApplyingProfile' | 'ProfileApplied' | 'RemovingProfile' | 'ProfileError';
  powerState: 'On' | 'Off' | 'PoweringOn' | 'PoweringOff';
  profile: string | null;
  /** The URI of the task that works on the server. */
  lock: string | undefined;
  /** The device for the next boot, as a client has set it at the iLO. */
  bootOnce: string | undefined;
  iloKeys: Set<string>;
  iloTrouble: 'down' | 'unauthorized' | 'web page' | undefined;
}

export interface Profile {
  readonly uri: string;
  readonly owner: string;
  body: JsonObject;
  generation: number;
  state: 'Creating' | 'Normal' | 'Updating' | 'Deleting' | 'Error';
  readonly task: string;
}

export interface ApplianceTask {
  readonly uri: string;
  readonly name: string;
  readonly owner: string;
  readonly begunAt: number;
  readonly milliseconds: number;
  /** How the task has ended; undefined while it runs. */
  end: 'Completed' | 'Warning' | 'Error' | undefined;
  errors: readonly JsonObject[];
  resource: string | null;
  isStuck: boolean;
  isLost: boolean;
}

export interface Template {
  readonly uri: string;
  readonly body: JsonObject;
}

export interface ApplianceState {
  readonly servers: Map<string, ApplianceServer>;
  readonly templates: Map<string, Template>;
  readonly profiles: Map<string, Profile>;
  readonly tasks: Map<string, ApplianceTask>;
}

export const textField = (body: JsonObject, name: string): string => {
  const value: Json | undefined = body[name];
  return typeof value === 'string' ? value : '';
};

/** Throws an Error if two profiles have the same name, or if a server and its profile contradict each other. */
export function checkState({ servers, profiles }: ApplianceState): void {
  const names = [...profiles.values()].map(({ body }) => textField(body, 'name').toLowerCase());
  if (new Set(names).size < names.length)
    throw new Error(`two profiles have the same name, among ${names.join(', ')}`);
  for (const server of servers.values()) checkServer(server, profiles);
}

function checkServer(
  { uri, profile: assigned, state }: ApplianceServer,
  profiles: ApplianceState['profiles'],
): void {
  const profile = profiles.get(assigned ?? '');
  if (assigned !== null && profile?.body['serverHardwareUri'] !== uri)
    throw new Error(
      `${uri} names the profile ${assigned}, which does not exist or belongs to another server`,
    );
  const ofProfile = profile?.state ?? 'absent';
  if ((state === 'ProfileApplied') !== ['Normal', 'Updating'].includes(ofProfile))
    throw new Error(`${uri} is ${state}, but its profile is ${ofProfile}`);
}
