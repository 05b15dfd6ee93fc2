// A simulated HPE OneView appliance over real HTTP or HTTPS on loopback, with servers, profiles, faults and a journal.
import { type Clock, sleep } from '../../lib/clock.ts';
import type { JsonObject } from '../../model/json.ts';
import { maskSecrets } from '../../model/secrets.ts';
import { type Certificate, selfSigned } from '../certificate.ts';
import { type ServedRequest, type ServedReply, serve, type RunningServer as HttpServer } from '../server.ts';
import { answerControl, CONTROL_PATH } from './control.ts';
import { type FaultAction, Faults, type SimulatedFault } from './faults.ts';
import { answerAsIlo } from './ilo.ts';
import { Power, type PowerHabits } from './power.ts';
import { type ProfileHabits, Profiles } from './profiles.ts';
import { newServer, templates } from './rack.ts';
import { answerRest, type RestParts } from './rest.ts';
import { applianceRefusal } from './refusals.ts';
import { Sessions } from './sessions.ts';
import {
  type ApplianceState,
  checkState,
  type SwitchedMachine,
  type ApplianceServer,
  textField,
} from './state.ts';
import { ApplianceWork } from './work.ts';

export interface ApplianceSettings extends Partial<ProfileHabits>, Partial<PowerHabits> {
  readonly clock: Clock;
  /** Whether to serve HTTPS with a self-signed certificate, which `ca` then returns; false if absent. */
  readonly tls?: boolean;
  /** The certificate for HTTPS; if set, `tls` has no effect. */
  readonly certificate?: Certificate;
  /** The port to listen on. Not set, or 0: any free port. */
  readonly port?: number;
  readonly sessionIdleSeconds?: number;
  readonly pageSize?: number;
  /** Returns a number from 0 to 1, which decides whether a fault with a `share` hits a request. */
  readonly random?: () => number;
  /** Receives a line for each request except those to the control path. */
  readonly tell?: (what: string) => void;
}

/** One request; without secrets. */
export interface JournalEntry {
  readonly user: string;
  readonly method: string;
  readonly path: string;
  readonly body: JsonObject;
  readonly status: number;
}

/** The accounts with their passwords: one for the daemon, one for a OneView user. */
export const USERS = { ironic: 'simulated', operator: 'operator' } as const;

const DAY_SECONDS = 86_400;

export class SimulatedAppliance {
  readonly state: ApplianceState = {
    servers: new Map(),
    templates: templates(),
    profiles: new Map(),
    tasks: new Map(),
  };
  readonly journal: JournalEntry[] = [];
  readonly faults: Faults;
  readonly sessions: Sessions;
  version = { minimum: 200, current: 2000 };
  readonly #settings: ApplianceSettings;
  readonly #profiles: Profiles;
  readonly #power: Power;
  readonly #parts: RestParts;
  #certificate: Certificate | undefined;
  #http: HttpServer | undefined;
  #ilos: HttpServer | undefined;
  #underWay = 0;
  #watch: (entry: JournalEntry) => void = () => {};

  private constructor(settings: ApplianceSettings) {
    const { clock, random = Math.random, sessionIdleSeconds = DAY_SECONDS } = settings;
    this.#settings = settings;
    this.faults = new Faults(random);
    this.sessions = new Sessions(USERS, clock, sessionIdleSeconds);
    const { applySeconds = 0.3, showsProfile = 'early', duplicateName = 'task' } = settings;
    const { powerSeconds = 0.1, obeysMomentaryPress = true } = settings;
    const work = new ApplianceWork(this.state, clock);
    this.#profiles = new Profiles(this.state, work, { applySeconds, showsProfile, duplicateName });
    this.#power = new Power(this.state, work, { powerSeconds, obeysMomentaryPress }, clock);
    this.#parts = {
      state: this.state,
      sessions: this.sessions,
      profiles: this.#profiles,
      power: this.#power,
      work,
      iloAddress: () => `127.0.0.1:${this.#ilos?.port ?? 0}`,
      version: () => this.version,
      pageSize: settings.pageSize ?? 64,
    };
  }

  /** Resolves when the appliance and its iLOs serve. */
  static async start(settings: ApplianceSettings): Promise<SimulatedAppliance> {
    const appliance = new SimulatedAppliance(settings);
    const own = settings.tls === true ? selfSigned('127.0.0.1') : undefined;
    appliance.#certificate = settings.certificate ?? own;
    appliance.#http = await appliance.#listen();
    const certificate = selfSigned('127.0.0.1');
    appliance.#ilos = await serve(
      async (question) => answerAsIlo(appliance.state.servers.values(), question),
      { certificate },
    );
    return appliance;
  }

  get url(): string {
    return `${this.#certificate === undefined ? 'http' : 'https'}://127.0.0.1:${this.#http?.port ?? 0}`;
  }

  /** The certificate to trust (PEM); undefined over plain HTTP. */
  get ca(): string | undefined {
    return this.#certificate?.cert;
  }

  /** True during an exchange with a client. */
  get conversing(): boolean {
    return this.#underWay > 0 || (this.#http?.connections ?? 0) > 0 || (this.#ilos?.connections ?? 0) > 0;
  }

  stop(): void {
    this.#http?.close();
    this.#ilos?.close();
  }

  /** Adds a server; `number` determines its URI, name and MAC address. */
  addServer(
    number: number,
    kind: { readonly isRack?: boolean; readonly machine?: SwitchedMachine } = {},
  ): ApplianceServer {
    const server = newServer(number, kind);
    this.state.servers.set(server.uri, server);
    return server;
  }

  /** A OneView user assigns a new profile to the server. Returns the profile's URI. */
  claim(server: ApplianceServer): string {
    return this.#profiles.claim(server, `database on ${server.name}`, 'operator').uri;
  }

  /** A OneView user deletes the server's profile. */
  release(server: ApplianceServer): void {
    this.#profiles.release(server);
  }

  /** Unassigns the server's profile and keeps it, without a server. */
  detach(server: ApplianceServer): void {
    this.#profiles.detach(server);
  }

  power(server: ApplianceServer, state: 'On' | 'Off'): void {
    this.#power.set(server, state);
  }

  /** Replaces the certificate of an appliance that uses HTTPS. */
  exchangeCertificate(certificate: Certificate): void {
    this.#certificate = certificate;
    this.#http?.exchangeCertificate(certificate);
  }

  fail(fault: SimulatedFault): void {
    this.faults.add(fault);
  }

  /** Calls `watch` with each new entry of the journal, in place of an earlier `watch`. */
  onRequest(watch: (entry: JournalEntry) => void): void {
    this.#watch = watch;
  }

  #listen(): Promise<HttpServer> {
    return serve((question) => this.#answer(question), {
      port: this.#settings.port ?? 0,
      ...(this.#certificate && { certificate: this.#certificate }),
    });
  }

  async #answer(question: ServedRequest): Promise<ServedReply> {
    if (question.path === CONTROL_PATH) return answerControl(this.faults, question);
    this.#underWay += 1;
    try {
      const fault = this.faults.next(question.method, question.path);
      const reply = await this.#disturbed(question, fault);
      this.#write(question, reply.status);
      checkState(this.state);
      return reply;
    } finally {
      this.#underWay -= 1;
    }
  }

  async #disturbed(question: ServedRequest, fault: FaultAction | undefined): Promise<ServedReply> {
    const instead = replyInstead(fault);
    if (instead !== undefined) return instead;
    if (fault?.kind === 'hang') await sleep(this.#settings.clock, fault.seconds * 1000);
    if (fault?.kind === 'claim before') this.#claimNamed(question);
    return disturbedReply(answerRest(this.#parts, question, fault), fault, this.url);
  }

  #claimNamed({ body }: ServedRequest): void {
    const uri = textField((body ?? {}) as JsonObject, 'serverHardwareUri');
    const server = this.state.servers.get(uri);
    if (server !== undefined && server.profile === null) this.claim(server);
  }

  #write({ method, path, headers, body }: ServedRequest, status: number): void {
    const user =
      this.sessions.userOf(typeof headers['auth'] === 'string' ? headers['auth'] : undefined) ?? '';
    const shown = maskSecrets((body ?? {}) as JsonObject);
    const entry = { user, method, path, body: shown, status };
    this.journal.push(entry);
    this.#settings.tell?.(`${method} ${path}: ${status}`);
    this.#watch(entry);
  }
}

/** Returns the reply to a request that is not carried out. */
function replyInstead(fault: FaultAction | undefined): ServedReply | undefined {
  if (fault?.kind === 'reset') return { status: 0 };
  if (fault?.kind === 'status') return applianceRefusal(fault.status, fault.code);
  return fault?.kind === 'other answer' ? fault : undefined;
}

function disturbedReply(reply: ServedReply, fault: FaultAction | undefined, url: string): ServedReply {
  if (fault?.kind === 'drop reply') return { status: 0 };
  if (fault?.kind === 'bad json') return { ...reply, text: '{"half":' };
  if (fault?.kind !== 'location only') return reply;
  const location = `${fault.isAbsolute ? url : ''}${reply.headers?.['location'] ?? ''}`;
  return { status: reply.status, headers: { location } };
}
