// Starts the daemon on the databases that earlier releases have written.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import Database from 'better-sqlite3';
import { migrations } from '../../../daemon/db/migrate.ts';
import { DaemonProcess } from '../../fakes/daemon/daemon-process.ts';
import { ENVIRONMENT, RELEASES, withoutLinks } from './releases.ts';

const recorded = readdirSync(RELEASES).filter((file) => file.endsWith('.sql'));
assert.ok(recorded.length > 0);

for (const file of recorded) {
  const release = file.slice(0, -'.sql'.length);
  test(`the database of ${release} keeps all that it says, and its machines go on`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'ironic-edge-upgrade-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const path = join(folder, 'ironic-edge.sqlite');
    const database = new Database(path);
    database.exec(readFileSync(join(RELEASES, file), 'utf8'));
    database.close();
    const environment = { ...ENVIRONMENT, IRONIC_DATABASE__PATH: path };
    await using daemon = await DaemonProcess.start(environment);
    const answers = JSON.parse(readFileSync(join(RELEASES, `${release}.json`), 'utf8')) as object;
    for (const [place, before] of Object.entries(answers))
      assertKept(withoutLinks((await daemon.request('GET', place)).body), before, place);
    const go = async (name: string, target: string, state: string, more: object = {}) => {
      const body = { target, ...more };
      const answer = await daemon.request('PUT', `/v1/nodes/${name}/states/provision`, body);
      assert.equal(answer.status, 202, JSON.stringify(answer.body));
      const node = await daemon.nodeWhen(name, ({ target_provision_state: next }) => next === null);
      assert.deepEqual([node.provision_state, node.last_error], [state, null]);
    };
    await go('enrolled', 'manage', 'manageable');
    await go('managed', 'provide', 'available');
    await go('deployed', 'deleted', 'available');
    await go('rescued', 'unrescue', 'active');
    assert.equal(schemaOf(path), migrations().at(-1)?.version);
  });
}

/** What `before` has is the same in `now`. New fields may have come. */
function assertKept(now: unknown, before: unknown, place: string): void {
  if (Array.isArray(before) && Array.isArray(now)) {
    assert.equal(now.length, before.length, place);
    for (const [index, each] of before.entries()) assertKept(now[index], each, `${place}[${index}]`);
  } else if (typeof before === 'object' && before !== null && typeof now === 'object' && now !== null) {
    for (const [name, each] of Object.entries(before))
      assertKept(Reflect.get(now, name), each, `${place}.${name}`);
  } else assert.deepEqual(now, before, place);
}

function schemaOf(path: string): unknown {
  const database = new Database(path, { readonly: true });
  try {
    return database.pragma('user_version', { simple: true });
  } finally {
    database.close();
  }
}
