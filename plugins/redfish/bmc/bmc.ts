// The BMC for operations on a node: finds its resources (system, managers, collections) and the remedies for its quirks.
import { fault, isJsonObject, type JsonObject, type Task } from '#plugin-api';
import { remediesFor } from '../quirks/known-remedies.ts';
import type { Identity } from '../quirks/quirks.ts';
import type { Remedies } from '../quirks/remedies.ts';
import { reasonOfOne, refusalOf } from './failures.ts';
import { objectsIn, pathIn, pathsIn, textIn } from './fields.ts';
import type { Learnt } from './learnt.ts';
import { type Conversation, RedfishClient } from './redfish-client.ts';
import { redfishLimits } from '../limits.ts';

/** How many times at most the request for an optional part, or for a collection with its members, is sent to a BMC in weakness. */
const OPTIONAL_TRIES = 3;
const EXPAND_TRIES = 2;
/** For lists that hardly change: what a machine shows of itself can depend on whether it is on. */
const KNOWN_SECONDS = 3600;

export class Bmc extends RedfishClient {
  readonly learnt: Learnt;
  /** The parts that `optional` could not read in this conversation: for each one line that names the part and the reason. */
  readonly unread: string[] = [];
  readonly #conversation: Conversation;
  #root: Promise<JsonObject | undefined> | undefined;
  #remedies: Promise<Remedies> | undefined;

  constructor(conversation: Conversation) {
    super(conversation);
    this.#conversation = conversation;
    this.learnt = conversation.learnt;
  }

  /** The path of the service root, without a slash at its end. */
  get rootPath(): string {
    return this.#conversation.connection.root;
  }

  /** The service root; an empty object while the BMC does not show it. */
  async root(): Promise<JsonObject> {
    this.#root ??= this.learnt.fact('root', () =>
      this.optional('the service root', () => this.get(`${this.rootPath}/`)),
    );
    return (await this.#root) ?? {};
  }

  /**
   * Returns what `find` has found under `name` within the last hour; otherwise calls `find`. Keeps what it finds unless a
   * part of it could not be read.
   */
  async known<T>(name: string, find: () => Promise<T>): Promise<T> {
    const { clock } = this.#conversation.task;
    const { lists } = this.learnt;
    const kept = lists.get(name);
    if (kept !== undefined && clock.monotonic() - kept.at < KNOWN_SECONDS * 1000) return kept.value as T;
    const before = this.unread.length;
    const value = await find();
    if (this.unread.length === before) lists.set(name, { value, at: clock.monotonic() });
    return value;
  }

  /** The path of the node's system. Throws DriverInfoInvalid when driver_info names none and the BMC does not have exactly one. */
  async systemPath(): Promise<string> {
    const { connection } = this.#conversation;
    return connection.systemPath ?? this.learnt.fact('system', () => this.#onlySystem());
  }

  /**
   * Reads a part of the machine that the operation can do without; `what` names it, as in `the drives`. Resolves to undefined when
   * the BMC does not have the part (status 404). Also resolves to undefined when the BMC refuses the part, or sends an answer for
   * it that is of no use or never complete; `unread` then says so. Throws BmcFailure when the BMC does not answer anything else
   * either, BmcCredentialsRefused, the reason of an abort, and errors that have nothing to do with the BMC.
   */
  async optional<T>(what: string, read: () => Promise<T>): Promise<T | undefined> {
    try {
      return await this.patience.shortened(OPTIONAL_TRIES, read);
    } catch (error) {
      const reason = reasonOfOne(error);
      if (reason === undefined) throw error;
      if (refusalOf(error)?.status !== 404) this.unread.push(`${what}: ${reason.replaceAll(/\s+/g, ' ')}`);
      return undefined;
    }
  }

  /** The node's system, read from the BMC unless there is a copy not older than `maxAgeSeconds`. */
  async system(maxAgeSeconds = 0): Promise<JsonObject> {
    const path = await this.systemPath();
    return this.recent(path, maxAgeSeconds, () => this.get(path, 'ComputerSystem'));
  }

  /** Returns what `read` returned under `name` within the last `maxAgeSeconds`; otherwise calls `read`. */
  async recent<T>(name: string, maxAgeSeconds: number, read: () => Promise<T>): Promise<T> {
    const { clock } = this.#conversation.task;
    const known = this.learnt.readings.get(name);
    if (known !== undefined && clock.monotonic() - known.at < maxAgeSeconds * 1000) return known.value as T;
    const value = await read();
    this.learnt.readings.set(name, { value, at: clock.monotonic() });
    return value;
  }

  /** A copy of the node's system, of any age: for paths, links and actions, which do not change. */
  async knownSystem(): Promise<JsonObject> {
    return this.learnt.fact(`a copy of ${await this.systemPath()}`, () =>
      this.system(Number.POSITIVE_INFINITY),
    );
  }

  /**
   * Discards what `recent` keeps, including the copy of the system that `system` may return; `knownSystem` keeps its copy. Call it
   * after a change has made the readings stale.
   */
  forgetReadings(): void {
    this.learnt.readings.clear();
  }

  /** The paths of the BMCs that manage the system. */
  async managerPaths(): Promise<readonly string[]> {
    const { Links: links } = await this.knownSystem();
    const all = isJsonObject(links) ? [...pathsIn(links['ManagedBy']), ...pathsIn(links['Managers'])] : [];
    return [...new Set(all)];
  }

  /** The first of the BMCs that manage the system; undefined without one. */
  async manager(): Promise<JsonObject | undefined> {
    const [path] = await this.managerPaths();
    return path === undefined ? undefined : this.get(path);
  }

  /** The paths of the members of a collection, over all its pages. */
  async memberPaths(path: string): Promise<readonly string[]> {
    return (await this.#pages(path, (first) => this.get(first))).flatMap((page) => pathsIn(page['Members']));
  }

  /** The members of a collection; a member that is listed but does not exist is left out with a warning. */
  async members(path: string): Promise<readonly JsonObject[]> {
    return this.linked(await this.listed(path));
  }

  /** The members of a collection; none if there is no collection. */
  async membersIfAny(path: string | undefined): Promise<readonly JsonObject[]> {
    try {
      return path === undefined ? [] : await this.members(path);
    } catch (error) {
      if (refusalOf(error)?.status === 404) return [];
      throw error;
    }
  }

  /** What a collection lists: its members in full if the BMC can expand links, otherwise links to them. */
  async listed(path: string): Promise<readonly JsonObject[]> {
    const pages = await this.#pages(path, (first) => this.getExpanded(first));
    return pages.flatMap((page) => objectsIn(page['Members']));
  }

  /** The members of a collection of which each is `optional`, as is the collection itself. `what` names them: `the drives`. */
  async optionalMembers(what: string, path: string | undefined): Promise<readonly JsonObject[]> {
    if (path === undefined) return [];
    return this.optionalLinked(what, (await this.optional(what, () => this.listed(path))) ?? []);
  }

  /** The listed resources, given as links or in full, of which each is `optional`. `what` names them: `the drives`. */
  async optionalLinked(what: string, listed: readonly JsonObject[]): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = [];
    for (const each of listed) {
      const path = pathIn(each) ?? '';
      const [resource] = (await this.optional(`${what} (${path})`, () => this.linked([each]))) ?? [];
      if (resource !== undefined) found.push(resource);
    }
    return found;
  }

  /**
   * A resource. If the BMC can expand links, the resource contains the resources that it links. A BMC that says so and then refuses
   * is not asked for it again.
   */
  async getExpanded(path: string): Promise<JsonObject> {
    if (!(await this.expands())) return this.get(path);
    try {
      const expanded = `${path}?$expand=.($levels=1)`;
      return await this.patience.shortened(EXPAND_TRIES, () => this.get(expanded));
    } catch (error) {
      if (reasonOfOne(error) === undefined) throw error;
      const plain = await this.get(path);
      this.learnt.refusesExpand = true;
      return plain;
    }
  }

  /** The listed resources, given as links or in full; one that does not exist is left out with a warning. */
  async linked(listed: readonly JsonObject[]): Promise<readonly JsonObject[]> {
    const found: JsonObject[] = [];
    for (const each of listed) {
      const isLink = Object.keys(each).length === 1;
      const resource = isLink ? await this.#listed(pathIn(each)) : each;
      if (resource !== undefined) found.push(resource);
    }
    return found;
  }

  /** Whether the BMC can return a collection together with its members ($expand). */
  async expands(): Promise<boolean> {
    const { ProtocolFeaturesSupported: features } = await this.root();
    const query = isJsonObject(features) ? features['ExpandQuery'] : undefined;
    const levels = isJsonObject(query) && query['Levels'] === true;
    return levels && !this.learnt.refusesExpand && (await this.remedies()).expand;
  }

  /** The remedies for what this BMC does differently. */
  async remedies(): Promise<Remedies> {
    this.#remedies ??= this.#findRemedies();
    return { ...(await this.#remedies), ...this.#conversation.connection.remedies };
  }

  /** The remedies are kept only if the BMC has shown all that they depend on. */
  async #findRemedies(): Promise<Remedies> {
    if (this.learnt.remedies !== undefined) return this.learnt.remedies;
    const before = this.unread.length;
    const root = await this.root();
    const system = await this.knownSystem();
    const manager = await this.optional('its Manager', () => this.manager());
    const { task } = this.#conversation;
    const remedies = await remediesFor(identityIn({ root, system, manager }, task), task);
    if (this.unread.length === before && Object.keys(root).length > 0) this.learnt.remedies = remedies;
    return remedies;
  }

  async #listed(path: string | undefined): Promise<JsonObject | undefined> {
    const found = path === undefined ? undefined : await this.find(path);
    if (found === undefined)
      this.#conversation.task.log.warn({ path }, 'the BMC lists a resource that it does not have');
    return found;
  }

  /** Throws like `get`, and BmcRefused when a page lists no members. */
  async #pages(
    first: string,
    getFirst: (path: string) => Promise<JsonObject>,
  ): Promise<readonly JsonObject[]> {
    const pages: JsonObject[] = [];
    for (let path: string | undefined = first; path !== undefined;) {
      if (pages.length === redfishLimits.pages) {
        const { log } = this.#conversation.task;
        log.warn(
          { path: first, pages: redfishLimits.pages },
          'the BMC lists too many pages of a collection; the rest is left out',
        );
        break;
      }
      const page: JsonObject = path === first ? await getFirst(path) : await this.get(path);
      if (!isPage(page)) throw this.useless(200, `${path} is no collection: its Members are not a list`);
      pages.push(page);
      const next = page['Members@odata.nextLink'] ?? page['@odata.nextLink'];
      path = typeof next === 'string' ? next : undefined;
    }
    return pages;
  }

  async #onlySystem(): Promise<string> {
    const paths = await this.memberPaths(`${this.rootPath}/Systems`);
    const [path] = paths;
    if (paths.length === 1 && path !== undefined) return path;
    throw fault('DriverInfoInvalid', {
      node: this.#conversation.task.node.uuid,
      name: 'redfish_system_id',
      value: 'not set',
      expected: `one of the systems of the BMC: ${paths.join(', ') || 'it lists none'}`,
    });
  }
}

/** Old Supermicro BMCs leave out the members of an empty collection. */
const isPage = ({ Members: members, 'Members@odata.count': count }: JsonObject): boolean =>
  Array.isArray(members) || ((members ?? null) === null && count === 0);

/** The resources that identify a BMC. */
interface Identifying {
  readonly root: JsonObject;
  readonly system: JsonObject;
  readonly manager: JsonObject | undefined;
}

function identityIn({ root, system, manager = {} }: Identifying, { node }: Task): Identity {
  return {
    vendor: textIn(root['Vendor']),
    product: textIn(root['Product']),
    oem: Object.keys((root['Oem'] ?? {}) as JsonObject).join(' '),
    manufacturer: textIn(system['Manufacturer']),
    model: textIn(system['Model']),
    managerModel: textIn(manager['Model']),
    firmware: textIn(manager['FirmwareVersion']),
    recorded: textIn(node.properties['vendor']),
  };
}
