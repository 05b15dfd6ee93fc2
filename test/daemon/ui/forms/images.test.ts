import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type InProcessDaemon, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { get, submit } from '../../../fakes/clients/page.ts';

type Fields = Readonly<Record<string, string>>;

const add = (daemon: InProcessDaemon, fields: Fields) =>
  submit(daemon, '/ui/images/add', Object.entries(fields));
const change = (daemon: InProcessDaemon, fields: Fields) =>
  submit(daemon, '/ui/images', Object.entries(fields));

async function withImage(t: TestContext) {
  const daemon = await startInProcess(t);
  const source = { name: 'base', source: 'https://me:secret@images.test/base.raw', checksum: 'a'.repeat(64) };
  const { location } = await add(daemon, { kind: 'url', ...source });
  return { daemon, location, uuid: location.slice('/ui/images/'.length) };
}

describe('the pages for images', () => {
  it('say what an image is for while there is none', async (t) => {
    const daemon = await startInProcess(t);
    const { text } = await get(daemon, '/ui/images');
    assert.match(text, /No image yet/);
    assert.match(text, /href="\/ui\/images\/add"/);
  });

  it('add a known system, of a mirror too, as the command does', async (t) => {
    const daemon = await startInProcess(t);
    const { status, location } = await add(daemon, {
      kind: 'system',
      system: 'debian-13',
      architecture: 'aarch64',
      mirror: 'https://mirror.test/debian/',
    });
    assert.equal(status, 303);
    const { name, source, login_user } = daemon.services.db.images.get(location.slice(11)) ?? {};
    assert.deepEqual(
      [name, source, login_user],
      [
        'debian-13-aarch64',
        'https://mirror.test/debian/trixie/latest/debian-13-generic-arm64.qcow2',
        'debian',
      ],
    );
    assert.match((await get(daemon, '/ui/images')).text, /debian-13-aarch64.*not fetched/s);
  });

  it('say why an image is not added, and keep what was typed', async (t) => {
    const { daemon } = await withImage(t);
    const before = daemon.services.db.images.findBy('name', 'base');
    for (const [given, reason] of [
      [
        { kind: 'url', name: 'base', source: 'https://x.test/kept.raw', checksum: 'b'.repeat(64) },
        /already exists/,
      ],
      [{ kind: 'url', name: 'a/b', source: 'https://x.test/kept.raw' }, /name/],
      [{ kind: 'url', name: 'web', source: 'https://x.test/kept/' }, /ends in a slash/],
      [{ kind: 'url', name: 'web', source: 'gopher://kept', login_user: '<b>' }, /login_user/],
      [{ kind: 'system', system: 'beos-5', mirror: 'https://kept.test' }, /Choose a system/],
      [
        { kind: 'system', system: 'debian-13', architecture: 'x86_64', mirror: 'ftp://kept' },
        /no http or https URL/,
      ],
    ] as const) {
      const { status, text } = await add(daemon, given);
      assert.equal(status, 200);
      assert.match(/role="alert">(.*?)<\/section>/s.exec(text)?.[1] ?? '', reason);
      assert.match(text, /value="[^"]*kept/);
    }
    assert.equal(
      daemon.services.db.images.list(['uuid'], [], { limit: 9, sortKey: 'id', descending: false }).length,
      1,
    );
    assert.deepEqual(daemon.services.db.images.findBy('name', 'base'), before);
  });

  it('show one image without the login in its URL, and the machines that run it', async (t) => {
    const { daemon, location } = await withImage(t);
    const { uuid } = await daemon.createNode({ name: 'web-1' });
    const { driver_internal_info: info } = daemon.node(uuid);
    const deployed_image = { image: 'base', sha256: null, at: '2026-11-29T00:00:00+00:00' };
    daemon.services.db.nodes.update(uuid, { driver_internal_info: { ...info, deployed_image } });
    const { text } = await get(daemon, location);
    assert.doesNotMatch(text, /secret/);
    assert.match(text, /href="\/ui\/nodes\/web-1"/);
    assert.match((await get(daemon, '/ui/images')).text, /1 machine\b/);
    assert.equal((await get(daemon, '/ui/images/none-such')).status, 404);
  });

  it('show why a fetch has failed', async (t) => {
    const { daemon, location, uuid } = await withImage(t);
    daemon.services.db.images.update(uuid, {
      state: 'failed',
      error: 'its server sent 3 bytes of a file of 5',
    });
    assert.match((await get(daemon, location)).text, /The last fetch failed.*3 bytes of a file of 5/s);
    assert.match((await get(daemon, '/ui/images')).text, /failed.*3 bytes of a file of 5/s);
  });

  it('remove an image only when its name is typed, and one that is used only when told so', async (t) => {
    const { daemon, location, uuid } = await withImage(t);
    await daemon.request('POST', '/v1/profiles', { body: { name: 'web', image: 'base' } });
    assert.match((await get(daemon, location)).text, /Used by profile web/);
    const remove = { image: uuid, do: 'remove' };
    assert.match((await change(daemon, { ...remove, confirm: 'bas' })).text, /that was not “base”/);
    assert.match((await change(daemon, { ...remove, confirm: 'base' })).text, /role="alert".*profile web/s);
    assert.notEqual(daemon.services.db.images.get(uuid), undefined);
    const done = await change(daemon, { ...remove, confirm: 'base', force: 'true' });
    assert.deepEqual([done.status, done.location], [303, '/ui/images']);
    assert.equal(daemon.services.db.images.get(uuid), undefined);
  });

  it('say why nothing can be verified, and refuse what no button sends', async (t) => {
    const { daemon, uuid } = await withImage(t);
    assert.match((await change(daemon, { image: uuid, do: 'verify' })).text, /role="alert"/);
    assert.match((await change(daemon, { image: uuid, do: 'explode' })).text, /use a button of the page/);
    assert.equal((await change(daemon, { image: 'none-such', do: 'fetch' })).status, 404);
  });
});
