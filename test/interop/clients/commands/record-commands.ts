// The commands that every kind of record has: create, show, list, set, unset and delete.
import assert from 'node:assert/strict';
import type { Shown, Site } from '../site.ts';
import { MISSING, type Scenario, type Scenarios } from './scenario.ts';

/** Words of a command, and what the record then holds. */
type Writing = readonly [words: string, stored: object];

export interface RecordKind {
  /** As in `port group create`. */
  readonly command: string;
  readonly path: string;
  /** Of a new record. */
  readonly body: (site: Site) => Promise<object>;
  readonly create: (site: Site) => Promise<Writing>;
  /** Words of `create` that are refused, and the message. */
  readonly refusedCreate: (site: Site) => Promise<readonly [words: string, message: RegExp]>;
  readonly set: (site: Site) => Promise<Writing>;
  /** Of a record that was set before. */
  readonly unset: Writing;
  /** For `--fields`, beside the UUID. */
  readonly field: string;
}

type Action = (kind: RecordKind) => Scenario;

/** `UUID` in lists of records that Debian's client knows, `uuid` in the others. */
const uuidOf = (row: Readonly<Record<string, unknown>>) => row['UUID'] ?? row['uuid'];

const create: Action =
  ({ command, path, ...kind }) =>
  async ({ json, refused }, site) => {
    const [words, stored] = await kind.create(site);
    const printed = (await json(`${command} create ${words}`)) as Shown;
    assert.partialDeepStrictEqual(printed, stored);
    assert.partialDeepStrictEqual(await site.shown(`${path}/${printed.uuid}`), stored);
    const [refusedWords, message] = await kind.refusedCreate(site);
    assert.match(await refused(`${command} create ${refusedWords}`), message);
  };

const show: Action =
  ({ command, path, body, field }) =>
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
    assert.match(await refused(`${command} show ${MISSING}`), /could not be found.*404/);
  };

const list: Action =
  ({ command, path, body, field }) =>
  async ({ json, refused }, site) => {
    const first = await site.made(path, await body(site));
    const second = await site.made(path, await body(site));
    const rows = async (words: string) =>
      (await json(`${command} list ${words}`)) as readonly Readonly<Record<string, unknown>>[];
    const uuids = async (words: string) => (await rows(words)).map(uuidOf);

    const all = await uuids('--fields uuid');
    assert.deepEqual(all.slice(-2), [first.uuid, second.uuid]);
    assert.deepEqual(await uuids(`--limit 1 --marker ${first.uuid}`), [second.uuid]);
    assert.deepEqual(await uuids('--sort uuid:desc'), all.toSorted().toReversed());
    const [short] = await rows('--limit 1');
    const [long] = await rows('--limit 1 --long');
    assert.ok(Object.keys(long ?? {}).length > Object.keys(short ?? {}).length, JSON.stringify(long));
    const [fields] = await rows(`--fields uuid ${field} --limit 1`);
    assert.equal(Object.keys(fields ?? {}).length, 2);
    assert.match(await refused(`${command} list --marker ${MISSING}`), /404/);
  };

const set: Action =
  ({ command, path, body, ...kind }) =>
  async ({ done, refused }, site) => {
    const { uuid } = await site.made(path, await body(site));
    const [words, stored] = await kind.set(site);
    await done(`${command} set ${uuid} ${words}`);
    assert.partialDeepStrictEqual(await site.shown(`${path}/${uuid}`), stored);
    assert.match(await refused(`${command} set ${MISSING} ${words}`), /404/);
  };

const unset: Action =
  ({ command, path, body, ...kind }) =>
  async ({ done, refused }, site) => {
    const { uuid } = await site.made(path, await body(site));
    const [words, stored] = kind.unset;
    await done(`${command} set ${uuid} ${(await kind.set(site))[0]}`);
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
