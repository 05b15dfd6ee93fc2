// The commands that every kind of record has: create, show, list, set, unset and delete.
import assert from 'node:assert/strict';
import { MISSING, type Shown, type Site } from '../site.ts';
import type { Scenario, Scenarios } from './scenario.ts';

/** Words of a command, and what the record then holds. */
type Writing = readonly [words: string, stored: object];

export interface RecordKind {
  /** The words that name the kind in commands: `port group` in `port group create`. */
  readonly command: string;
  readonly path: string;
  /** The body of the request that creates a record. */
  readonly body: (site: Site) => Promise<object>;
  readonly create: (site: Site) => Promise<Writing>;
  /** Words with which `create` is refused, and the message that the client then prints. */
  readonly refusedCreate: (site: Site) => Promise<readonly [words: string, message: RegExp]>;
  readonly set: (site: Site) => Promise<Writing>;
  /** Words of `unset` for a record whose fields `set` has set. */
  readonly unset: Writing;
  /** Further words for the newest client: `set` for the commands `create` and `set`, and `unset` for the command `unset`. */
  readonly newest?: { readonly set: (site: Site) => Writing; readonly unset: Writing };
  /** The field that `--fields` names in addition to the UUID. */
  readonly field: string;
  /** Options of `list` that only this record matches. */
  readonly filters?: (record: Shown) => readonly string[];
  /** What `show` takes instead of the UUID. */
  readonly shownBy?: (record: Shown) => string;
}

const both = ([words, stored]: Writing, [moreWords, more]: Writing = ['', {}]): Writing => [
  `${words} ${moreWords}`.trim(),
  { ...stored, ...more },
];

type Action = (kind: RecordKind) => Scenario;

const create: Action =
  ({ command, path, ...kind }) =>
  async ({ json, refused, newest }, site) => {
    const [words, stored] = both(await kind.create(site), newest ? kind.newest?.set(site) : undefined);
    const printed = (await json(`${command} create ${words}`)) as Shown;
    assert.ok(Object.keys(printed).length >= 5, JSON.stringify(printed));
    // the newest client prints no description of a port
    assert.partialDeepStrictEqual(
      printed,
      Object.fromEntries(Object.entries(stored).filter(([field]) => field in printed)),
    );
    assert.partialDeepStrictEqual(await site.shown(`${path}/${printed.uuid}`), stored);
    const [refusedWords, message] = await kind.refusedCreate(site);
    assert.match(await refused(`${command} create ${refusedWords}`), message);
  };

const show: Action =
  ({ command, path, body, field, shownBy = ({ uuid }) => uuid }) =>
  async ({ json, refused }, site) => {
    const { uuid } = await site.made(path, await body(site));
    const record = await site.shown(`${path}/${uuid}`);
    const printed = (await json(`${command} show ${uuid}`)) as Shown;
    assert.ok(Object.keys(printed).length >= 5, JSON.stringify(printed));
    assert.partialDeepStrictEqual(record, printed);
    assert.deepEqual(await json(`${command} show ${uuid} --fields uuid ${field}`), {
      uuid,
      [field]: record[field],
    });
    assert.partialDeepStrictEqual(await json(`${command} show ${shownBy(record)}`), { uuid });
    assert.match(await refused(`${command} show ${MISSING}`), /could not be found.*404/);
  };

const list: Action =
  ({ command, path, body, field, filters = () => [] }) =>
  async ({ rows, refused }, site) => {
    const first = await site.made(path, await body(site));
    const second = await site.made(path, await body(site));
    const uuids = async (words: string) =>
      (await rows(`${command} list --fields uuid ${words}`.trim())).map(([uuid]) => String(uuid));

    const all = await uuids('');
    assert.deepEqual(all.slice(-2), [first.uuid, second.uuid]);
    assert.deepEqual(await uuids(`--limit 1 --marker ${first.uuid}`), [second.uuid]);
    assert.deepEqual(await uuids('--sort uuid:desc'), all.toSorted().toReversed());
    for (const filter of filters(second)) assert.deepEqual(await uuids(filter), [second.uuid], filter);
    const [short = []] = await rows(`${command} list --marker ${first.uuid}`);
    const [long = []] = await rows(`${command} list --marker ${first.uuid} --long`);
    assert.ok(short.includes(second.uuid) && long.length > short.length, JSON.stringify(long));
    assert.deepEqual(await rows(`${command} list --fields uuid ${field} --marker ${first.uuid}`), [
      [second.uuid, second[field]],
    ]);
    assert.match(await refused(`${command} list --marker ${MISSING}`), /404/);
  };

const set: Action =
  ({ command, path, body, ...kind }) =>
  async ({ done, refused, newest }, site) => {
    const { uuid } = await site.made(path, await body(site));
    const [words, stored] = both(await kind.set(site), newest ? kind.newest?.set(site) : undefined);
    await done(`${command} set ${uuid} ${words}`);
    assert.partialDeepStrictEqual(await site.shown(`${path}/${uuid}`), stored);
    assert.match(await refused(`${command} set ${MISSING} ${words}`), /404/);
  };

const unset: Action =
  ({ command, path, body, ...kind }) =>
  async ({ done, refused, newest }, site) => {
    const { uuid } = await site.made(path, await body(site));
    const newer = newest ? kind.newest : undefined;
    const [words, stored] = both(kind.unset, newer?.unset);
    await done(`${command} set ${uuid} ${both(await kind.set(site), newer?.set(site))[0]}`);
    await done(`${command} unset ${uuid} ${words}`);
    assert.partialDeepStrictEqual(await site.shown(`${path}/${uuid}`), stored);
    assert.match(await refused(`${command} unset ${MISSING} ${words}`), /404/);
  };

const remove: Action =
  ({ command, path, body }) =>
  async ({ refused, done }, site) => {
    const records = [
      await site.made(path, await body(site)),
      await site.made(path, await body(site)),
      await site.made(path, await body(site)),
    ] as const;
    const [first, second, third] = records.map(({ uuid }) => uuid);
    assert.match(await done(`${command} delete ${first}`), new RegExp(String(first)));
    assert.match(await refused(`${command} delete ${second} ${MISSING} ${third}`), new RegExp(MISSING));
    for (const { uuid } of records) await site.gone(`${path}/${uuid}`);
  };

const actions = { create, show, list, set, unset, delete: remove } as const satisfies Record<string, Action>;

export const recordCommands = (kinds: readonly RecordKind[]): Scenarios =>
  Object.fromEntries(
    kinds.flatMap((kind) =>
      Object.entries(actions).map(([name, action]) => [`${kind.command} ${name}`, action(kind)] as const),
    ),
  );
