// Profiles of instances over HTTP, and requests to deploy that name one.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { shaCrypt } from '../../../../daemon/lib/sha-crypt.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f admin@site';
const OTHER = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4g other@site';
const HASH = shaCrypt('sha512', 'secret');
const WEB = {
  name: 'web',
  image: 'debian-13',
  hostname: 'web-{n}',
  ssh_keys: [KEY],
  user_data: '#cloud-config\npackages: [nginx]\n',
  password_hash: HASH,
  network: [{ addresses: ['10.0.0.1{n}/24'], gateways: ['10.0.0.1'] }],
  kexec: true,
};

async function site(t: TestContext) {
  const daemon = await startInProcess(t);
  const post = (path: string, body: object) => daemon.request('POST', path, { body });
  const image = { name: 'debian-13', source: 'https://images.test/d.qcow2', checksum: 'a'.repeat(64) };
  assert.equal((await post('/v1/images', image)).status, 201);
  const uuids: string[] = [];
  for (const name of ['a', 'b']) {
    const { body } = await post('/v1/nodes', { driver: 'fake-hardware', deploy_interface: 'fake', name });
    const { uuid } = body;
    await post('/v1/ports', { node_uuid: uuid, address: `52:54:00:00:00:0${name}` });
    daemon.services.db.nodes.update(uuid, {
      provision_state: 'available',
      instance_info: { image_source: 'https://old.test/o.img', image_checksum: 'f'.repeat(64), traits: [] },
    });
    uuids.push(uuid);
  }
  const infoOf = (name: string) => daemon.services.db.nodes.findBy('name', name)?.instance_info ?? {};
  const deploy = (node: string, instance: unknown, more: object = {}) =>
    daemon.request('PUT', `/v1/nodes/${node}/states/provision`, {
      body: { target: 'active', instance, ...more },
    });
  return { daemon, services: daemon.services, post, infoOf, deploy };
}

test('a profile is stored, shown with its secrets masked, changed and deleted; its image cannot be deleted before', async (t) => {
  const { daemon, post, services } = await site(t);
  const made = await post('/v1/profiles', WEB);
  assert.equal(made.status, 201, made.text);
  const { user_data: text, password_hash: hash, hostname, ssh_keys: keys } = made.body;
  assert.deepEqual([text, hash, hostname, keys], ['******', '******', 'web-{n}', [KEY]]);
  assert.doesNotMatch((await daemon.request('GET', '/v1/profiles?detail=true')).text, /nginx|\$6\$/);
  assert.equal(services.db.profiles.findBy('name', 'web')?.password_hash, HASH);
  const refused = await daemon.request('DELETE', '/v1/images/debian-13');
  assert.equal(refused.status, 409);
  assert.match(refused.text, /cannot be deleted: it is used by profile web/);
  const patch = [{ op: 'replace', path: '/image', value: 'https://images.test/other.img' }];
  assert.equal((await daemon.request('PATCH', '/v1/profiles/web', { body: patch })).status, 200);
  assert.equal((await daemon.request('DELETE', '/v1/images/debian-13')).status, 204);
  assert.equal((await daemon.request('DELETE', '/v1/profiles/web')).status, 204);
  assert.equal((await daemon.request('GET', '/v1/profiles/web')).status, 404);
});

test('what no machine could use is refused when the profile is stored, and nothing changes', async (t) => {
  const { daemon, post, services } = await site(t);
  await post('/v1/profiles', WEB);
  const wrong: readonly (readonly [fields: object, said: RegExp])[] = [
    [{ name: 'web' }, /already exists/],
    [{ name: 'a b' }, /invalid name/],
    [{ image: 'debian-31' }, /the catalogue has no image.*did you mean debian-13\?/],
    [{ image: null, image_checksum: 'a'.repeat(64) }, /image_checksum: it needs an image/],
    [{ hostname: 'web_1' }, /is no host name/],
    [{ ssh_keys: ['hello'] }, /ssh_keys: expected one line/],
    [{ ssh_keys: 'hello' }, /ssh_keys/],
    [{ user_data: 'packages: []' }, /cloud-init would ignore it/],
    [{ password_hash: 'secret' }, /the hash of a password/],
    [{ network: [{ addresses: ['10.0.0.5'] }] }, /is no address with a prefix length/],
    [{ network: [{ addresses: [] }] }, /addresses/],
    [{ network: [{ address: '10.0.0.5/24' }] }, /address/],
    [
      { network: [{ addresses: ['dhcp'], macs: ['52:54:00:00:00:0a'], bond: '802.3ad' }] },
      /at least two cards/,
    ],
    [{ colour: 'red' }, /colour/],
  ];
  for (const [fields, said] of wrong) {
    const answer = await post('/v1/profiles', { name: 'other', ...fields });
    assert.ok(answer.status === 400 || answer.status === 409, `${JSON.stringify(fields)}: ${answer.status}`);
    assert.match(answer.text.replaceAll('\\', ''), said);
  }
  const patch = [{ op: 'replace', path: '/hostname', value: 'web_1' }];
  assert.equal((await daemon.request('PATCH', '/v1/profiles/web', { body: patch })).status, 400);
  assert.equal(services.db.profiles.where({ sql: 'TRUE', values: [] }).length, 1);
  assert.equal(services.db.profiles.findBy('name', 'web')?.hostname, 'web-{n}');
});

test('a request to deploy by profile gives each machine its own name and address; what the request says takes precedence', async (t) => {
  const { post, deploy, infoOf } = await site(t);
  await post('/v1/profiles', WEB);
  for (const [index, node] of ['a', 'b'].entries()) {
    const own = node === 'b' ? { kexec: false } : {};
    const instance = { profile: 'web', number: index + 1, machines: 2, ssh_keys: [OTHER], ...own };
    const { status, text } = await deploy(node, instance);
    assert.equal(status, 202, text);
    const { configdrive, ...rest } = infoOf(node);
    assert.deepEqual(
      rest,
      { image_source: 'debian-13', traits: [], kexec: node === 'a' },
      'the checksum of the old image is gone',
    );
    const { meta_data: meta, network_data: network, user_data: user } = configdrive as Record<string, string>;
    assert.deepEqual(meta, {
      hostname: `web-${index + 1}`,
      name: `web-${index + 1}`,
      public_keys: { 'key-1': OTHER },
    });
    assert.match(JSON.stringify(network), new RegExp(`"10\\.0\\.0\\.1${index + 1}"`));
    assert.match(user ?? '', /\$6\$.*nginx/s);
  }
});

test('an image alone leaves the config drive as it is, and a config drive may come with an image', async (t) => {
  const { deploy, infoOf } = await site(t);
  assert.equal((await deploy('a', { image: 'debian-13' })).status, 202);
  assert.deepEqual(infoOf('a'), { image_source: 'debian-13', traits: [] });
  const drive = { configdrive: { meta_data: { hostname: 'x' } } };
  assert.equal((await deploy('b', { image: 'debian-13' }, drive)).status, 202);
  assert.deepEqual(infoOf('b'), { image_source: 'debian-13', traits: [], ...drive });
});

test('a description that cannot be used is refused, and neither state nor instance_info changes', async (t) => {
  const { daemon, post, deploy, infoOf, services } = await site(t);
  await post('/v1/profiles', WEB);
  const before = infoOf('a');
  const wrong: readonly (readonly [instance: unknown, status: number, said: RegExp])[] = [
    ['web', 400, /instance/],
    [{ colour: 'red' }, 400, /colour/],
    [{ profile: 'wep' }, 404, /Profile wep could not be found: did you mean web\?/],
    [{ image: 'debian-31' }, 400, /the catalogue has no image/],
    [{ image_checksum: 'a'.repeat(64) }, 400, /it needs an image/],
    [{ hostname: 'web', machines: 2 }, 400, /2 machines would all be called web/],
    [{ profile: 'web', number: 0 }, 400, /number/],
    [{ network: [{ addresses: ['dhcp'], macs: ['52:54:00:00:00:99'] }] }, 400, /the node has no port/],
  ];
  for (const [instance, status, said] of wrong) {
    const answer = await deploy('a', instance);
    assert.equal(answer.status, status, `${JSON.stringify(instance)}: ${answer.text}`);
    assert.match(answer.text.replaceAll('\\', ''), said);
  }
  const both = await deploy('a', { hostname: 'web' }, { configdrive: { meta_data: {} } });
  assert.match(both.text, /configdrive is a whole drive already/);
  const clean = { target: 'manage', instance: { image: 'debian-13' } };
  const foreign = await daemon.request('PUT', '/v1/nodes/a/states/provision', { body: clean });
  assert.match(foreign.text, /only valid with target active or rebuild/);
  assert.deepEqual(infoOf('a'), before);
  assert.equal(services.db.nodes.findBy('name', 'a')?.provision_state, 'available');
});
