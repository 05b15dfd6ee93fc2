// The simulated BMC itself: authentication, ETags, faults, and the log of all requests.
import type { Clock } from '../../lib/clock.ts';
import type { JsonObject } from '../../model/json.ts';
import { post, removeResource } from './changes/actions.ts';
import { allowedMethods } from './changes/allowed-methods.ts';
import type { Acting } from './changes/acting.ts';
import { changeController } from './changes/dell-storage.ts';
import { type RedfishAnswer, notAllowed, notFound, Refused, redfishRefusal } from './answer.ts';
import { FakeTasks } from './fake-tasks.ts';
import { InjectedFaults } from './faults.ts';
import type { FakeMachine } from './machine.ts';
import { patch } from './changes/patches.ts';
import { ACCOUNTS, pathsOf, ROOT, SESSIONS } from './resources/paths.ts';
import { controllerSettings } from './resources/storage-resources.ts';
import { expanded, resourceAt, type ResourceSurroundings } from './resources/resources.ts';
import { type BmcCredentials, changeRequired } from './accounts.ts';
import { type FakeLogin, FakeSessions } from './sessions.ts';

export interface BmcRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly token: string | undefined;
  readonly authorization: string | undefined;
  readonly ifMatch: string | undefined;
  readonly body: JsonObject;
  readonly text: string;
  readonly contentType: string;
  readonly hasBody: boolean;
}

export interface LoggedRequest {
  readonly method: string;
  readonly path: string;
  /** 0: the request got no answer. */
  readonly status: number;
  readonly login: FakeLogin['kind'];
  readonly body: JsonObject;
}

export type BmcReply =
  | (RedfishAnswer & {
      readonly text?: string;
      /** Only the first half of the answer is sent. */
      readonly isHalf?: true;
      /** The answer is sent when this has resolved. */
      readonly until?: () => Promise<unknown>;
    })
  | 'cut'
  | 'silence';

export class FakeBmc {
  readonly machine: FakeMachine;
  readonly sessions: FakeSessions;
  readonly tasks: FakeTasks;
  readonly faults = new InjectedFaults();
  /** Every request since the last `forget`, in order. */
  readonly requests: LoggedRequest[] = [];
  /** Resources that replace the simulated ones, by path; null: the BMC does not have the resource. */
  readonly overrides = new Map<string, JsonObject | null>();
  readonly paths: ReturnType<typeof pathsOf>;
  readonly #clock: Clock;
  readonly #versions = new Map<string, number>();
  #silentUntil = Number.NEGATIVE_INFINITY;

  constructor(machine: FakeMachine, clock: Clock, credentials: BmcCredentials) {
    this.machine = machine;
    this.#clock = clock;
    this.paths = pathsOf(machine.shape);
    this.sessions = new FakeSessions(credentials, machine.shape);
    this.tasks = new FakeTasks(machine.shape.tasksVanish, machine.shape.oem === 'Dell');
  }

  /** Returns the log, each request as `METHOD path`, and empties it. */
  forget(): readonly string[] {
    return this.requests.splice(0).map(({ method, path }) => `${method} ${path}`);
  }

  /** For this many seconds, every request gets a closed connection and no answer. The sessions end, as when a BMC restarts. */
  fallSilent(seconds: number): void {
    this.#silentUntil = this.#clock.monotonic() + seconds * 1000;
    this.sessions.open.clear();
  }

  answer(request: BmcRequest): BmcReply {
    const login = this.sessions.loginOf(request.token, request.authorization);
    const reply = this.#reply(request, login);
    const status = typeof reply === 'string' ? 0 : reply.status;
    const { method, path, body } = request;
    this.requests.push({ method, path, status, login: login.kind, body });
    return reply;
  }

  #reply(request: BmcRequest, login: FakeLogin): BmcReply {
    if (this.#clock.monotonic() < this.#silentUntil) return 'cut';
    const fault = this.faults.meet(request.method, request.path);
    if (fault === undefined) return this.#obeyed(request, login);
    const { does, afterObeying = false } = fault;
    if (does.kind === 'half') return { ...this.#obeyed(request, login), isHalf: true };
    if (does.kind === 'late') return { ...this.#obeyed(request, login), until: does.until };
    if (afterObeying) this.#obeyed(request, login);
    if (does.kind !== 'answer') return does.kind;
    const { kind: _, ...answer } = does;
    return answer;
  }

  #obeyed(request: BmcRequest, login: FakeLogin): RedfishAnswer {
    try {
      if (login.kind === '-' && !isOpen(request))
        return redfishRefusal(401, 'Base.1.8.NoValidSession', 'There is no valid session');
      this.#refuseUntilChange(request, login);
      return this.#obey(request);
    } catch (error) {
      if (error instanceof Refused) return error.answer;
      throw error;
    }
  }

  /** Throws Refused for an account whose password must be changed first, and which asks for something else. */
  #refuseUntilChange(request: BmcRequest, { account = '' }: FakeLogin): void {
    const { accounts } = this.sessions;
    const isShownOnly = accounts.habits.firstPassword === 'is reported';
    if (isShownOnly || accounts.all.get(account)?.mustChange !== true || isOpen(request)) return;
    const isChange = request.method === 'PATCH' && request.path === `${ACCOUNTS}/${account}`;
    const isLogout = request.method === 'DELETE' && request.path.startsWith(`${SESSIONS}/`);
    if (!isChange && !isLogout) throw changeRequired(account);
  }

  #obey(request: BmcRequest): RedfishAnswer {
    const { method, path, body } = request;
    const { machine } = this;
    const acting = this.#acting();
    if (method === 'GET' || method === 'HEAD') return this.#read(request);
    if (method === 'PATCH') return this.#patch(request);
    if (method === 'DELETE') return this.sessions.end(path) ? { status: 204 } : removeResource(acting, path);
    if (method !== 'POST') throw notAllowed(method);
    const isLogin = path === SESSIONS && machine.shape.sessionLimit > 0;
    if (path === ACCOUNTS) return this.sessions.accounts.create(body);
    return isLogin ? this.sessions.logIn(body) : post(acting, request);
  }

  #acting(): Acting {
    const { machine, tasks, paths } = this;
    return { machine, tasks, paths, fallSilent: (seconds) => this.fallSilent(seconds) };
  }

  #patch({ path, ifMatch, body }: BmcRequest): RedfishAnswer {
    this.#checkMatch(path, ifMatch);
    if (path === controllerSettings(this.paths.storage)) return changeController(this.#acting(), body);
    if (path.startsWith(`${ACCOUNTS}/`)) this.sessions.changeAccount(path.slice(ACCOUNTS.length + 1), body);
    else patch(this.machine, this.paths, path, body);
    for (const changed of [path, this.paths.system])
      this.#versions.set(changed, (this.#versions.get(changed) ?? 1) + 1);
    return { status: 200, body: resourceAt(this.#surroundings(), path) ?? {} };
  }

  #read({ path, query }: BmcRequest): RedfishAnswer {
    const { machine, tasks, paths } = this;
    if (tasks.has(path)) return tasks.read(path);
    if (path === `${paths.system}/SecureBoot` && machine.shape.secureBootNeedsLicence)
      throw new Refused(403, 'SMC.1.0.OemLicenseNotPassed', 'Not licensed to perform this request');
    const around = this.#surroundings();
    const found = this.#found(around, path);
    const body = query.includes('expand') && machine.shape.expand ? expanded(around, found) : found;
    return { status: 200, body, headers: this.#headersOf(path) };
  }

  #found(around: ResourceSurroundings, path: string): JsonObject {
    const override = this.overrides.get(path);
    const found = override === null ? undefined : (override ?? resourceAt(around, path));
    if (found === undefined) throw notFound(path);
    return { '@odata.id': path, ...found };
  }

  #headersOf(path: string): Readonly<Record<string, string>> {
    const etag = this.#etag(path);
    return {
      allow: allowedMethods(this.machine, this.paths, path),
      ...(etag !== undefined && { etag }),
    };
  }

  #surroundings(): ResourceSurroundings {
    const { machine, paths, tasks, sessions } = this;
    const { accounts } = sessions;
    return { machine, paths, accounts, sessions: [...sessions.open.values()], tasks: tasks.paths };
  }

  #etag(path: string): string | undefined {
    const version = `"${this.#versions.get(path) ?? 1}"`;
    switch (this.machine.shape.etag) {
      case 'none':
        return undefined;
      case 'empty':
        return '""';
      case 'strong':
      case 'unknown':
      case 'broken':
        return version;
      default:
        return `W/${version}`;
    }
  }

  #checkMatch(path: string, given: string | undefined): void {
    const { etag } = this.machine.shape;
    if (etag === 'required' && given === undefined)
      throw new Refused(428, 'Ami.1.0.PreconditionHeaderMissing', 'If-Match is missing');
    if (given === undefined || etag === 'none') return;
    if (etag === 'unknown') throw new Refused(400, 'Base.1.8.HeaderInvalid', 'The header is invalid');
    if (etag === 'broken' || (given !== this.#etag(path) && given !== '*'))
      throw new Refused(412, 'Base.1.8.PreconditionFailed', 'The ETag does not match');
  }
}

const isOpen = ({ method, path }: BmcRequest): boolean =>
  path === ROOT || path === '/redfish' || (method === 'POST' && path === SESSIONS);
