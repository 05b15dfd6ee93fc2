import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { hashSync } from 'bcryptjs';
import { type Ending, startInProcess } from '../../fakes/daemon/in-process-daemon.ts';
import { get, ORIGIN, submit } from '../../fakes/clients/page.ts';

const action = (name: string, ...nodes: readonly string[]) => [
  ['action', name] as const,
  ...nodes.map((node) => ['node', node] as const),
];

describe('the page', () => {
  it('is where a browser that requests the path / is redirected; other clients get the root of the API', async (t) => {
    const daemon = await startInProcess(t);
    const browser = await get(daemon, '/');
    assert.deepEqual([browser.status, browser.headers.get('location')], [302, '/ui/']);
    for (const accept of ['*/*', 'application/json', 'application/json, text/html'])
      assert.match((await get(daemon, '/', { accept })).text, /"default_version"/, accept);
  });

  it('has its views, each with a content security policy that forbids inline scripts', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({ name: 'rack1-01' });
    const added = ['add', 'add/many', 'add/discovered', 'add/boot'];
    for (const place of ['', `nodes/${uuid}`, 'nodes/rack1-01', ...added, 'work', 'events', 'health']) {
      const { status, headers, text } = await get(daemon, `/ui/${place}`);
      assert.equal(status, 200, place);
      assert.match(headers.get('content-type') ?? '', /^text\/html/);
      assert.match(
        headers.get('content-security-policy') ?? '',
        /default-src 'none'.*require-trusted-types-for/,
      );
      assert.match(text, /<main\s+id="main"/);
    }
    assert.match((await get(daemon, '/ui/nodes/nobody')).text, /Node nobody could not be found/);
    assert.equal((await get(daemon, '/ui/nothing')).status, 404);
    const inbox = await get(daemon, '/ui/inbox');
    assert.deepEqual([inbox.status, inbox.headers.get('location')], [302, '/ui/add/discovered']);
    const removal = new Request(`${ORIGIN}/ui/`, { method: 'DELETE' });
    assert.equal((await daemon.app.fetch(removal)).status, 405);
  });

  it('is compressed for browsers, and the API is not', async (t) => {
    const daemon = await startInProcess(t);
    const plain = await get(daemon, '/ui/');
    const request = { headers: { accept: 'text/html', 'accept-encoding': 'gzip, br' } };
    const packed = await daemon.app.fetch(new Request(`${ORIGIN}/ui/`, request));
    assert.deepEqual(
      [packed.headers.get('content-encoding'), packed.headers.get('vary')],
      ['gzip', 'Accept-Encoding'],
    );
    assert.equal(gunzipSync(await packed.arrayBuffer()).toString(), plain.text);
    const nodes = await daemon.app.fetch(new Request(`${ORIGIN}/v1/nodes`, request));
    assert.equal(nodes.headers.get('content-encoding'), null);
  });

  it('serves its files with headers that let browsers keep them for a year', async (t) => {
    const daemon = await startInProcess(t);
    const { text } = await get(daemon, '/ui/');
    for (const name of ['page.js', 'page.css', 'icon.svg']) {
      const place = text.split('"').find((each) => each.endsWith(`/${name}`)) ?? '';
      const file = await get(daemon, place);
      assert.deepEqual(
        [file.status, file.headers.get('cache-control')],
        [200, 'private, max-age=31536000, immutable'],
      );
    }
  });

  it('shows events and requests by node, user and kind, the newest first', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({ name: 'one' });
    await daemon.createNode({ name: 'two' });
    await daemon.request('PUT', `/v1/nodes/${uuid}/maintenance`, { body: {} });
    const shown = async (query: string) =>
      [
        ...(await get(daemon, `/ui/events?${query}`)).text.matchAll(
          /node\.\w+\.\w+|(?:POST|PUT) \/v1\/nodes\S*:/g,
        ),
      ].map(([text]) => text.replace(uuid, 'UUID'));
    const maintenance = 'node.maintenance_set.end';
    assert.deepEqual(await shown('node=one&kind=event'), [maintenance, 'node.create.end']);
    assert.deepEqual(await shown('node=one&kind=request'), ['PUT /v1/nodes/UUID/maintenance:']);
    assert.deepEqual(await shown('user=nobody'), []);
    assert.match((await get(daemon, '/ui/events?node=three')).text, /Node three could not be found/);
  });

  it('says what each event of a machine has changed', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({ name: 'one' });
    await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body: { target: 'manage' } });
    await daemon.idle();
    for (const target of ['power on', 'power off']) {
      await daemon.request('PUT', `/v1/nodes/${uuid}/states/power`, { body: { target } });
      await daemon.idle();
    }
    const { text } = await get(daemon, '/ui/events?node=one&kind=event');
    assert.match(text, /node\.provision_set\.end: verifying to manageable</);
    assert.match(text, /node\.power_set\.start: manageable, power on to power off</);
    assert.match(text, /node\.power_set\.end: manageable, power off</);
  });

  it('is not there when it is switched off', async (t) => {
    const daemon = await startInProcess(t, { ini: '[ui]\nenabled = false\n' });
    assert.equal((await get(daemon, '/ui/', { accept: '*/*' })).status, 404);
    assert.equal((await get(daemon, '/', { accept: 'text/html' })).status, 406);
  });

  it('finds machines by name, UUID, MAC address, BMC address and serial number', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({
      name: 'rack1-01',
      driver: 'ipmi',
      driver_info: { ipmi_address: '192.0.2.77', ipmi_password: 'hunter2' },
    });
    await daemon.createNode({ name: 'other' });
    await daemon.createPort(uuid, '52:54:00:aa:bb:cc');
    const inventory = JSON.stringify({ system_vendor: { serial_number: 'CZ3107' } });
    daemon.services.db.inventory.put(uuid, '2026-11-22T10:00:00+00:00', { inventory, plugin_data: '{}' });
    const found = async (query: string) =>
      [...(await get(daemon, `/ui/?q=${query}`)).text.matchAll(/<tr\s+id="node-([0-9a-f-]+)"/g)].map(
        ([, id]) => id,
      );
    for (const query of ['rack1', uuid.slice(0, 13), 'AA:bb:cc', '192.0.2.77', 'cz31'])
      assert.deepEqual(await found(query), [uuid], query);
    assert.deepEqual(await found('hunter2'), [], 'passwords are not searched');
    assert.equal((await get(daemon, `/ui/nodes/${uuid}`)).text.includes('hunter2'), false);
  });
});

describe('a form of the page', () => {
  it('sends one request for each machine, and shows the result of each', async (t) => {
    const daemon = await startInProcess(t);
    const good = await daemon.createNode({ name: 'good' });
    const bad = await daemon.createNode({ name: 'bad' });
    daemon.services.db.nodes.update(bad.uuid, { provision_state: 'active' });
    const { status, location } = await submit(daemon, '/ui/actions', action('manage', good.uuid, bad.uuid));
    assert.equal(status, 303);
    const { text } = await get(daemon, location);
    assert.match(text, /1 under way, 1 refused/);
    assert.match(text, /refused.*The requested action/s);
    await daemon.idle();
    assert.equal(daemon.node(good.uuid).provision_state, 'manageable');
    const audited = readFileSync(daemon.services.config.audit.file, 'utf8').trim().split('\n');
    assert.deepEqual(
      audited.slice(-2).map((line) => (JSON.parse(line) as { status: number }).status),
      [202, 400],
    );
  });

  it('asks for the name of the machine before anything is lost', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({ name: 'web' });
    daemon.services.db.nodes.update(uuid, { provision_state: 'active' });
    const asked = await submit(daemon, '/ui/actions', action('undeploy', uuid));
    assert.equal(asked.status, 200);
    assert.match(asked.text, /Type <strong>web<\/strong>/);
    const wrong = await submit(daemon, '/ui/actions', [...action('undeploy', uuid), ['confirm', 'wob']]);
    assert.match(wrong.text, /That was not/);
    assert.equal(daemon.node(uuid).provision_state, 'active');
    const done = await submit(daemon, '/ui/actions', [...action('undeploy', uuid), ['confirm', 'web']]);
    assert.deepEqual([done.status, done.location], [303, `/ui/nodes/${uuid}`]);
    await daemon.idle();
    assert.equal(daemon.node(uuid).provision_state, 'available');
  });

  it('asks before it releases a node that another service may manage', async (t) => {
    const daemon = await startInProcess(t);
    const { uuid } = await daemon.createNode({ name: 'moved' });
    const body = { handed_to: 'http://other:6385' };
    await daemon.request('POST', `/v1/nodes/${uuid}/quarantine`, { body });
    assert.match((await get(daemon, '/ui/?only=problems')).text, /Handed over to http:\/\/other:6385/);
    assert.match((await submit(daemon, '/ui/actions', action('release', uuid))).text, /both will act on it/);
    assert.ok(daemon.services.db.quarantine.of(uuid), 'it is still in quarantine');
  });

  it('is refused from a page of another origin, and from a client that sends no Origin header', async (t) => {
    const daemon = await startInProcess(t, { ini: '[cors]\nallowed_origin = *\n' });
    const { uuid } = await daemon.createNode();
    const site = 'cross-site';
    for (const headers of [{}, { origin: 'https://evil.example', 'sec-fetch-site': site }])
      assert.equal((await submit(daemon, '/ui/actions', action('manage', uuid), headers)).status, 403);
    assert.equal(daemon.node(uuid).provision_state, 'enroll');
  });

  it('says at once what a machine lacks for a deployment', async (t) => {
    const daemon = await startInProcess(t, {
      ini: '[conductor]\ndeploy_kernel = http://x/k\ndeploy_ramdisk = http://x/r\n',
    });
    const { uuid } = await daemon.createNode({
      name: 'web',
      driver: 'fake-hardware',
      deploy_interface: 'direct',
    });
    daemon.services.db.nodes.update(uuid, { provision_state: 'available' });
    const { location } = await submit(daemon, '/ui/actions', action('deploy', uuid));
    assert.match(
      (await get(daemon, location)).text,
      /Not possible yet\.<\/strong>[^<]*No image is chosen for /,
    );
    const instance_info = { image_source: 'http://x/image.raw', image_checksum: 'a'.repeat(64) };
    daemon.services.db.nodes.update(uuid, { instance_info });
    const { text } = await get(daemon, location);
    assert.match(text, /Type web to confirm/);
    assert.doesNotMatch(text, /Not possible yet/);
  });

  it('leads back to the rack, which keeps the filter and the action, when no machine was chosen', async (t) => {
    const daemon = await startInProcess(t);
    await daemon.createNode({ name: 'web' });
    assert.match(
      (await get(daemon, '/ui/?q=web&state=enroll')).text,
      /action="\/ui\/actions\?q=web&amp;state=enroll"/,
    );
    const sent = await submit(daemon, '/ui/actions?q=web&state=enroll', action('manage'));
    assert.deepEqual([sent.status, sent.location], [303, '/ui/?q=web&state=enroll&action=manage']);
    const { text } = await get(daemon, sent.location);
    assert.match(text, /role="status"[^>]*>\s*Choose at least one machine\./);
    assert.match(text, /id="bulk"[^]*value="manage"[^]*<details/, 'its button is at hand');
  });

  it('says what is missing when no known action was chosen', async (t) => {
    const daemon = await startInProcess(t);
    const many = Array.from({ length: 1001 }, (_, index) => `n${index}`);
    assert.match((await submit(daemon, '/ui/actions', action('manage', ...many))).text, /at most 1000/);
    assert.match(
      (await submit(daemon, '/ui/actions', action('__proto__', 'x'))).text,
      /choose an action of the list/,
    );
  });
});

const withLogins = async (test: Ending) => {
  const folder = await startInProcess(test);
  const file = path.join(folder.stateDirectory, 'htpasswd');
  writeFileSync(file, ['ann', 'bob'].map((user) => `${user}:${hashSync('secret', 4)}\n`).join(''), {
    mode: 0o600,
  });
  return startInProcess(test, { ini: `auth_strategy = http_basic\nhttp_basic_auth_user_file = ${file}\n` });
};
const as = (user: string) => ({
  authorization: `Basic ${Buffer.from(`${user}:secret`).toString('base64')}`,
  origin: ORIGIN,
});

describe('with logins', () => {
  it('the page needs a login of the API, and acts in the name of the user who is logged in', async (t) => {
    const daemon = await withLogins(t);
    for (const place of ['/ui/', '/ui/health', '/ui/assets/x']) {
      const program = await get(daemon, place, { accept: '*/*' });
      assert.equal(program.status, 401);
      assert.equal(program.headers.get('www-authenticate'), 'Basic realm="Baremetal API"');
      const person = await get(daemon, place);
      const next = place === '/ui/' ? '' : `?next=${encodeURIComponent(place)}`;
      assert.deepEqual([person.status, person.headers.get('location')], [302, `/ui/login${next}`]);
    }
    const created = await daemon.request('POST', '/v1/nodes', {
      body: { driver: 'fake-hardware' },
      headers: as('ann'),
    });
    const sent = await submit(daemon, '/ui/actions', action('manage', created.body.uuid));
    assert.deepEqual([sent.status, sent.location], [303, '/ui/login']);
    await submit(daemon, '/ui/actions', action('maintenance-on', created.body.uuid), as('ann'));
    const lines = readFileSync(daemon.services.config.audit.file, 'utf8').trim().split('\n');
    assert.equal((JSON.parse(lines.at(-1) ?? '{}') as { user: string }).user, 'ann');
  });

  it('a user does not see the results of another', async (t) => {
    const daemon = await withLogins(t);
    const missing = '00000000-0000-4000-8000-000000000000';
    const { location } = await submit(daemon, '/ui/actions', action('manage', missing), as('ann'));
    assert.equal((await get(daemon, location, as('ann'))).status, 200);
    assert.equal((await get(daemon, location, as('bob'))).status, 404);
  });
});
