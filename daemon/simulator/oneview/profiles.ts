// The server profiles of a simulated OneView appliance. Clients create, change and remove them by tasks; `claim`, `release` and
// `detach` act at once.
import { isJsonObject, type JsonObject } from '../../model/json.ts';
import type { ServedReply } from '../server.ts';
import type { TaskFault } from './faults.ts';
import { resourceNotFound, applianceRefusal } from './refusals.ts';
import { type ApplianceState, type Profile, type ApplianceServer, textField } from './state.ts';
import type { ApplianceWork } from './work.ts';

export interface ProfileHabits {
  readonly applySeconds: number;
  /** Whether a server shows its new profile from the start of the task that applies it, or only from the end of that task. */
  readonly showsProfile: 'early' | 'late';
  /** How the appliance refuses a new profile with the name of another profile: with a task that fails, or with status 400. */
  readonly duplicateName: 'task' | 'status';
}

export interface ProfileRequest {
  readonly user: string;
  readonly path: string;
  readonly body: JsonObject;
  readonly etag: string | undefined;
  readonly isForced: boolean;
  readonly fault: TaskFault | undefined;
}

const DUPLICATE = 'DUPLICATED_PROFILE_NAME';

export class Profiles {
  readonly #state: ApplianceState;
  readonly #work: ApplianceWork;
  readonly #habits: ProfileHabits;
  #number = 0;

  constructor(state: ApplianceState, work: ApplianceWork, habits: ProfileHabits) {
    this.#state = state;
    this.#work = work;
    this.#habits = habits;
  }

  document({ uri, body, generation, state, task }: Profile): JsonObject {
    return { ...body, uri, eTag: etagOf(generation), state, status: 'OK', taskUri: task };
  }

  create(request: ProfileRequest): ServedReply {
    const { body, user, fault } = request;
    const server = this.#state.servers.get(textField(body, 'serverHardwareUri'));
    const isAssigned = textField(body, 'serverHardwareUri') !== '';
    if (textField(body, 'name') === '' || (isAssigned && server === undefined))
      return applianceRefusal(400, 'INVALID_FIELD', 'name or serverHardwareUri is missing or unknown.');
    const error = this.#creationError(body, server);
    if (error === DUPLICATE && this.#habits.duplicateName === 'status')
      return applianceRefusal(400, DUPLICATE);
    if (error !== undefined) return this.#work.start({ ...this.#job('Create', user), error }, fault);
    if (server === undefined) return this.#createUnassigned(request);
    if (fault?.kind === 'claim during') return this.#loseTo(server, request);
    return this.#apply(server, request);
  }

  /** Creates a profile of `user` and assigns it to the server, at once and without a task. */
  claim(server: ApplianceServer, name: string, user: string): Profile {
    const profile = this.#add(
      { name, serverHardwareUri: server.uri, boot: { order: ['HardDisk'] } },
      user,
      '',
    );
    profile.state = 'Normal';
    Object.assign(server, { profile: profile.uri, state: 'ProfileApplied' });
    return profile;
  }

  /** Deletes the server's profile at once. */
  release(server: ApplianceServer): void {
    if (server.profile !== null) this.#state.profiles.delete(server.profile);
    Object.assign(server, { profile: null, state: 'NoProfileApplied' });
  }

  /** Unassigns the server's profile and keeps it, without a server. */
  detach(server: ApplianceServer): void {
    const profile = this.#state.profiles.get(server.profile ?? '');
    if (profile) profile.body = { ...profile.body, serverHardwareUri: null };
    Object.assign(server, { profile: null, state: 'NoProfileApplied' });
  }

  #creationError(body: JsonObject, server: ApplianceServer | undefined): string | undefined {
    const name = textField(body, 'name').toLowerCase();
    if (server && (server.profile !== null || server.lock !== undefined))
      return 'ProfileAlreadyExistsInServer';
    if (this.#state.profiles.values().some((one) => textField(one.body, 'name').toLowerCase() === name))
      return DUPLICATE;
    if (server && textField(body, 'serverHardwareTypeUri') !== server.type)
      return 'INVALID_PARAMETER_SH_NOT_MATCH_SHT';
    return server && server.powerState !== 'Off' ? 'SERVER_NOT_OFF' : undefined;
  }

  #job(name: string, owner: string) {
    return { name, owner, seconds: this.#habits.applySeconds };
  }

  #createUnassigned({ body, user, fault }: ProfileRequest): ServedReply {
    const job = {
      ...this.#job('Create', user),
      begin: (task: { uri: string; resource: string | null }) => {
        const profile = this.#add({ ...body, serverHardwareUri: null }, user, task.uri);
        profile.state = 'Normal';
        task.resource = profile.uri;
      },
    };
    return this.#work.start(job, fault);
  }

  #loseTo(server: ApplianceServer, { user, fault }: ProfileRequest): ServedReply {
    const fail = () => this.claim(server, `taken ${server.name}`, 'operator');
    return this.#work.start({ ...this.#job('Create', user), server, fail }, fault);
  }

  #apply(server: ApplianceServer, { body, user, fault }: ProfileRequest): ServedReply {
    let profile: Profile | undefined;
    const show = () => {
      server.profile = profile?.uri ?? null;
    };
    const job = {
      ...this.#job('Create', user),
      server,
      begin: (task: { uri: string; resource: string | null }) => {
        profile = this.#add(body, user, task.uri);
        task.resource = profile.uri;
        server.state = 'ApplyingProfile';
        if (this.#habits.showsProfile === 'early') show();
      },
      end: () => {
        if (profile) profile.state = 'Normal';
        server.state = 'ProfileApplied';
        show();
      },
      fail: (leaves: boolean) => {
        if (leaves && profile) {
          profile.state = 'Error';
          server.state = 'ProfileError';
          show();
        } else {
          this.#state.profiles.delete(profile?.uri ?? '');
          Object.assign(server, { profile: null, state: 'NoProfileApplied' });
        }
      },
    };
    return this.#work.start(job, fault);
  }

  change(request: ProfileRequest): ServedReply {
    const { path, body, user, etag, fault } = request;
    const profile = this.#state.profiles.get(path);
    if (profile === undefined) return applianceRefusal(404, 'ProfileNotFoundException');
    const given = etag ?? textField(body, 'eTag');
    if (given !== '*' && given !== etagOf(profile.generation))
      return applianceRefusal(412, 'STALE_ETAG', 'The resource has been changed since it was read.');
    const error = this.#changeError(profile, body);
    const job = {
      ...this.#job('Update', user),
      ...(error !== undefined && { error }),
      begin: (task: { resource: string | null }) => {
        task.resource = profile.uri;
        profile.state = 'Updating';
      },
      end: () => {
        profile.body = { ...body };
        profile.generation += 1;
        profile.state = 'Normal';
      },
      fail: () => {
        profile.state = 'Normal';
      },
    };
    return this.#work.start(job, fault);
  }

  #changeError(profile: Profile, body: JsonObject): string | undefined {
    const server = this.#state.servers.get(textField(profile.body, 'serverHardwareUri'));
    const order = orderIn(body);
    if (new Set(order).size < order.length) return 'DUPLICATE_BOOT_ORDER';
    const mode = isJsonObject(body['bootMode']) ? textField(body['bootMode'], 'mode') : '';
    if (mode.startsWith('UEFI') && order.length > 1) return 'INVALID_UEFI_BOOT_ORDER';
    const isSame = JSON.stringify(order) === JSON.stringify(orderIn(profile.body));
    return server !== undefined && server.powerState !== 'Off' && !isSame
      ? 'ServerNotOffProfileEdit'
      : undefined;
  }

  remove({ path, user, isForced, fault }: ProfileRequest): ServedReply {
    const profile = this.#state.profiles.get(path);
    if (profile === undefined) return resourceNotFound(path);
    const server = this.#state.servers.get(textField(profile.body, 'serverHardwareUri'));
    if (server?.lock !== undefined)
      return applianceRefusal(409, 'SERVER_LOCKED', 'A task works on the server.');
    const isOn = server !== undefined && server.powerState !== 'Off' && !isForced;
    const [was, serverWas] = [profile.state, server?.state];
    const job = {
      ...this.#job('Delete', user),
      ...(server && { server }),
      ...(isOn && { error: 'SERVER_NOT_OFF' }),
      begin: (task: { resource: string | null }) => {
        task.resource = profile.uri;
        profile.state = 'Deleting';
        if (server) server.state = 'RemovingProfile';
      },
      end: () => {
        this.#state.profiles.delete(path);
        if (server) Object.assign(server, { profile: null, state: 'NoProfileApplied' });
      },
      fail: () => {
        profile.state = was;
        if (server && serverWas) server.state = serverWas;
      },
    };
    return this.#work.start(job, fault);
  }

  #add(body: JsonObject, owner: string, task: string): Profile {
    this.#number += 1;
    const uri = `/rest/server-profiles/77f6d0f2-0a55-43de-9f2c-${String(this.#number).padStart(12, '0')}`;
    const profile: Profile = { uri, owner, body, generation: 1, state: 'Creating', task };
    this.#state.profiles.set(uri, profile);
    return profile;
  }
}

const etagOf = (generation: number): string => `1700000050000/${generation}`;

function orderIn({ boot }: JsonObject): readonly unknown[] {
  const order = isJsonObject(boot) ? boot['order'] : undefined;
  return Array.isArray(order) ? order : [];
}

/** The first device of the profile's boot order; the text `undefined` if there is none. */
export const firstOf = (profile: Profile | undefined): string => String(profile && orderIn(profile.body)[0]);
