// The BMC for operations on a node: finds its resources (system, managers, collections) and the remedies for its quirks.
import { fault, isJsonObject, type JsonObject } from '#plugin-api';
import { remediesFor } from '../quirks/known-remedies.ts';
import type { Remedies } from '../quirks/remedies.ts';
import { objectsIn, pathIn, pathsIn } from './fields.ts';
import type { Learnt } from './learnt.ts';
import { type Conversation, RedfishClient, refusalOf } from './redfish-client.ts';

/** How many pages of a collection are read; a collection with more pages is a mistake of the BMC. */
const MOST_PAGES = 50;

export class Bmc extends RedfishClient {
  readonly learnt: Learnt;
  readonly #conversation: Conversation;

  constructor(conversation: Conversation) {
    super(conversation);
    this.#conversation = conversation;
    this.learnt = conversation.learnt;
  }

  /** The path of the service root, without a slash at its end. */
  get rootPath(): string {
    return this.#conversation.connection.root;
  }

  root(): Promise<JsonObject> {
    return this.learnt.fact('root', () => this.get(`${this.rootPath}/`));
  }

  /** The path of the node's system. Throws DriverInfoInvalid when driver_info names none and the BMC does not have exactly one. */
  async systemPath(): Promise<string> {
    const { connection } = this.#conversation;
    return connection.systemPath ?? this.learnt.fact('system', () => this.#onlySystem());
  }

  /** The node's system, read from the BMC unless there is a copy not older than `maxAgeSeconds`. */
  async system(maxAgeSeconds = 0): Promise<JsonObject> {
    const path = await this.systemPath();
    return this.recent(path, maxAgeSeconds, () => this.get(path));
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

  async chassisPath(): Promise<string | undefined> {
    const { Links: links } = await this.knownSystem();
    return isJsonObject(links) ? pathsIn(links['Chassis'])[0] : undefined;
  }

  /** The paths of the members of a collection, over all its pages. */
  async memberPaths(path: string): Promise<readonly string[]> {
    return (await this.#pages(path)).flatMap((page) => pathsIn(page['Members']));
  }

  /** The members of a collection; a member that is listed but does not exist is left out with a warning. */
  async members(path: string): Promise<readonly JsonObject[]> {
    const pages = await this.#pages(await this.#withMembers(path));
    return this.linked(pages.flatMap((page) => objectsIn(page['Members'])));
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

  /** A resource. If the BMC can expand links, the resource contains the resources that it links. */
  async getExpanded(path: string): Promise<JsonObject> {
    return this.get(await this.#withMembers(path));
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

  async #withMembers(path: string): Promise<string> {
    return (await this.expands()) ? `${path}?$expand=.($levels=1)` : path;
  }

  /** Whether the BMC can return a collection together with its members ($expand). */
  async expands(): Promise<boolean> {
    const { ProtocolFeaturesSupported: features } = await this.root();
    const query = isJsonObject(features) ? features['ExpandQuery'] : undefined;
    const levels = isJsonObject(query) && query['Levels'] === true;
    return levels && (await this.remedies()).expand;
  }

  /** The remedies for what this BMC does differently. */
  async remedies(): Promise<Remedies> {
    const { task, connection } = this.#conversation;
    this.learnt.remedies ??= await remediesFor(this, task);
    return { ...this.learnt.remedies, ...connection.remedies };
  }

  async #listed(path: string | undefined): Promise<JsonObject | undefined> {
    const found = path === undefined ? undefined : await this.find(path);
    if (found === undefined)
      this.#conversation.task.log.warn({ path }, 'the BMC lists a resource that it does not have');
    return found;
  }

  async #pages(first: string): Promise<readonly JsonObject[]> {
    const pages: JsonObject[] = [];
    for (let path: string | undefined = first; path !== undefined;) {
      if (pages.length === MOST_PAGES) {
        const { log } = this.#conversation.task;
        log.warn(
          { path: first, pages: MOST_PAGES },
          'the BMC lists too many pages of a collection; the rest is left out',
        );
        break;
      }
      const page = await this.get(path);
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
