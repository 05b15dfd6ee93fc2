import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { get, submit } from '../../../fakes/clients/page.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ops laptop';
const INI = '[DEFAULT]\nenabled_raid_interfaces = agent,no-raid\n';
const IMAGE = [
  ['image_url', 'http://images.test/a.raw'],
  ['image_checksum', 'a'.repeat(64)],
] as const;

type Fields = readonly (readonly [string, string])[];

/** Two available machines, web and db, each with two cards. */
async function site(t: TestContext) {
  const daemon = await startInProcess(t, { ini: INI });
  const uuids: string[] = [];
  for (const [index, name] of ['web', 'db'].entries()) {
    const { uuid } = await daemon.createNode({ name, deploy_interface: 'fake' });
    await daemon.createPort(uuid, `52:54:00:00:0${index}:02`, {
      pxe_enabled: false,
      local_link_connection: { switch_id: `52:54:00:ff:00:0${index}`, port_id: 'swp2' },
    });
    await daemon.createPort(uuid, `52:54:00:00:0${index}:01`, {
      local_link_connection: { switch_id: '52:54:00:ff:00:00', port_id: 'swp1' },
    });
    daemon.services.db.nodes.update(uuid, { provision_state: 'available', power_state: 'power off' });
    uuids.push(uuid);
  }
  const nodes: Fields = uuids.map((uuid) => ['node', uuid] as const);
  const send = (fields: Fields, chosen = nodes) => submit(daemon, '/ui/deploy', [...chosen, ...fields]);
  const states = () => uuids.map((uuid) => daemon.node(uuid).provision_state);
  return { daemon, uuids, nodes, send, states };
}

describe('the form Deploy', () => {
  it('is where the bare action of a machine leads', async (t) => {
    const { daemon, uuids } = await site(t);
    const [uuid = ''] = uuids;
    const { status, location } = await submit(daemon, '/ui/actions', [
      ['action', 'deploy'],
      ['node', uuid],
    ]);
    assert.deepEqual([status, location], [303, `/ui/deploy?node=${uuid}&verb=active`]);
    assert.match((await get(daemon, location)).text, /<h1>Deploy web<\/h1>/);
  });

  it('says of each field what is wrong with it, keeps what was typed, and changes nothing', async (t) => {
    const { send, states } = await site(t);
    const { text } = await send([
      ['hostname', 'web'],
      ['keys', '-----BEGIN OPENSSH PRIVATE KEY-----'],
      ['addresses', '10.0.0.{n}/24'],
      ['gateways', '10.0.1.1'],
      ['user_data', '#cloud-config\npackages: [nginx'],
      ['disk', '{"colour": "red"}'],
      ['profile', 'none-such'],
      ['confirm', '2 machines'],
      ['do', 'deploy'],
    ]);
    for (const [field, reason] of [
      ['hostname', /2 machines would all be called web/],
      ['keys', /this is a private key/],
      ['addresses', /web: the gateway 10\.0\.1\.1 is in no subnet/],
      ['user_data', /it is not YAML/],
      ['disk', /there is no such hint/],
      ['profile', /none-such could not be found/],
    ] as const)
      assert.match(new RegExp(`id="field-${field}-wrong">(.*?)</span>`, 's').exec(text)?.[1] ?? '', reason);
    assert.match(text, /Correct 6 fields first/);
    assert.match(text, /value="10\.0\.1\.1"/);
    assert.match(text, /packages: \[nginx/);
    assert.deepEqual(states(), ['available', 'available']);
  });

  it('refuses user data that are too large for it, and names the command that takes them', async (t) => {
    const { send } = await site(t);
    const { text } = await send([['user_data', `#!/bin/sh\n${'x'.repeat(65_536)}`]]);
    assert.match(text, /it has 65547 bytes, and this form takes 65536; .*node deploy --user-data FILE/);
  });

  it('shows the names and the plan, and one plan for each group of machines', async (t) => {
    const { daemon, uuids, send } = await site(t);
    const { text } = await send([...IMAGE, ['hostname', '{node}-{n}.site']]);
    assert.match(text, /web-1\.site, db-2\.site/);
    assert.equal([...text.matchAll(/deploy\.deploy/g)].length, 1, 'one plan for both');
    daemon.services.db.nodes.update(uuids[1] ?? '', { maintenance: true });
    const apart = (await send(IMAGE)).text;
    assert.match(
      apart,
      /<h3>web<\/h3>.*<h3>db<\/h3>.*Not possible yet.*maintenance.*The same steps as web\./s,
    );
  });

  it('tells by LLDP whether the cards of a bond are on one switch', async (t) => {
    const { send } = await site(t);
    const { text } = await send([
      ['card', '1'],
      ['card', '2'],
      ['bond', '802.3ad'],
      ['addresses', 'dhcp'],
    ]);
    assert.match(text, /on different switches by LLDP: db/);
    assert.match(text, /card 1: 52:54:00:00:00:01 and 1 more on 52:54:00:ff:00:00 swp1/);
    assert.doesNotMatch(text, /-wrong"/);
  });

  it('begins only when the word is typed, and then follows each machine', async (t) => {
    const { daemon, uuids, send, states } = await site(t);
    const wanted: Fields = [...IMAGE, ['hostname', 'web-{n}'], ['do', 'deploy']];
    for (const word of ['', 'web', '3 machines'])
      assert.match((await send([...wanted, ['confirm', word]])).text, /that was not “2 machines”/);
    assert.deepEqual(states(), ['available', 'available']);
    const { status, location } = await send([...wanted, ['confirm', '2 machines']]);
    assert.equal(status, 303);
    await daemon.idle();
    assert.deepEqual(states(), ['active', 'active']);
    const [first, second] = uuids.map((uuid) => daemon.node(uuid).instance_info['configdrive']);
    assert.match(JSON.stringify([first, second]), /"hostname":"web-1".*"hostname":"web-2"/);
    const { text } = await get(daemon, location);
    assert.match(text, /Deploy: 2 machines/);
    assert.match(text, /2 done/);
    daemon.services.db.nodes.update(uuids[1] ?? '', {
      provision_state: 'deploy failed',
      last_error: 'no disk fits',
    });
    assert.match((await get(daemon, location)).text, /1 done, 1 failed.*no disk fits/s);
  });

  it('shows the form again with the reasons when every request is refused', async (t) => {
    const { daemon, uuids, send } = await site(t);
    for (const uuid of uuids) daemon.services.db.nodes.update(uuid, { maintenance: true });
    const { status, text } = await send([
      ...IMAGE,
      ['hostname', 'web-{n}'],
      ['confirm', '2 machines'],
      ['do', 'deploy'],
    ]);
    assert.equal(status, 200);
    assert.match(text, /role="alert".*Nothing was changed.*web: .*maintenance.*db: /s);
    assert.match(text, /value="web-\{n\}"/);
  });

  it('rebuilds machines that are active', async (t) => {
    const { daemon, uuids, nodes } = await site(t);
    for (const uuid of uuids) daemon.services.db.nodes.update(uuid, { provision_state: 'active' });
    const query = new URLSearchParams(
      nodes.map(([name, value]): [string, string] => [name, value]),
    ).toString();
    const { text } = await get(daemon, `/ui/deploy?${query}`);
    assert.match(text, /<h1>Rebuild web and db<\/h1>/);
    assert.match(text, /ironic-edge node rebuild web db/);
  });

  it('says how long it usually takes, and on how many deployments it was measured', async (t) => {
    const { daemon, uuids, send } = await site(t);
    for (const seconds of [400, 420, 440])
      daemon.services.workTimes.store(uuids[1] ?? '', ['deploying', seconds]);
    assert.match(
      (await send(IMAGE)).text,
      /Usually ready after\s*<strong>7 min<\/strong>, measured on\s*3 earlier/,
    );
  });

  it('asks for a machine, and takes no more than 200', async (t) => {
    const { daemon } = await site(t);
    assert.match((await get(daemon, '/ui/deploy')).text, /no machine is chosen/);
    const many = Array.from({ length: 201 }, (_, index) => `node=n${index}`).join('&');
    assert.match((await get(daemon, `/ui/deploy?${many}`)).text, /201 machines are chosen/);
    assert.equal((await get(daemon, '/ui/deploy?node=none-such')).status, 404);
  });
});

const PROGRAM = path.join(import.meta.dirname, '../../../../daemon/cli');

/** Runs a command line in a shell, as a visitor would who copies it. */
async function shell(url: string, command: string): Promise<void> {
  const child = spawn('sh', ['-c', command], {
    env: { ...process.env, OS_ENDPOINT: url, PATH: `${PROGRAM}:${process.env['PATH'] ?? ''}` },
  });
  child.stdin.end();
  const [out, errors, [code]] = await Promise.all([
    textOf(child.stdout),
    textOf(child.stderr),
    once(child, 'close'),
  ]);
  assert.equal(code, 0, `${out}${errors}`);
}

const unescaped = (html: string) =>
  html
    .replaceAll('&#39;', "'")
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');

describe('the command line that the form shows', () => {
  it('makes the same of the same machines', async (t) => {
    const environment = { IRONIC_DEFAULT__ENABLED_RAID_INTERFACES: 'agent,no-raid' };
    const { url, services } = await startListening(t, { environment });
    const { nodes } = services.db;
    const made = new Map<string, string>();
    for (const [index, name] of ['a1', 'a2', 'b1', 'b2'].entries()) {
      const uuid = await enrolNode(url, { driver: 'fake-hardware', deploy_interface: 'fake', name });
      made.set(name, uuid);
      await fetch(`${url}/v1/ports`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          node_uuid: uuid,
          address: `52:54:00:00:0${index % 2}:0${Math.floor(index / 2)}`,
        }),
      });
      nodes.update(uuid, { provision_state: 'available', traits: ['CUSTOM_FAST'] });
    }
    const fields: Fields = [
      ...IMAGE,
      ['hostname', 'web-{n}'],
      ['keys', KEY],
      ['card', '1'],
      ['addresses', '10.0.0.1{n}/24'],
      ['gateways', '10.0.0.1'],
      ['dns', '10.0.0.1 10.0.0.2'],
      ['vlan', '7'],
      ['mtu', '9000'],
      ['disk', '{"rotational":false}'],
      ['kexec', 'true'],
      ['user_data', `#cloud-config\r\nruncmd: ["echo $HOME", 'it''s']\r\nwrite_files: []`],
    ];
    const post = async (chosen: readonly string[], more: Fields) => {
      const form = new URLSearchParams();
      for (const name of chosen) form.append('node', made.get(name) ?? '');
      for (const [name, value] of [...fields, ...more]) form.append(name, value);
      const answer = await fetch(`${url}/ui/deploy`, {
        method: 'POST',
        headers: { origin: url, 'content-type': 'application/x-www-form-urlencoded' },
        body: form.toString(),
        redirect: 'manual',
      });
      return { status: answer.status, text: await answer.text() };
    };
    const { text } = await post(['b1', 'b2'], []);
    const command = unescaped(/id="command-text"[^>]*>.*?<code>(.*?)<\/code>/s.exec(text)?.[1] ?? '');
    assert.match(command, /^ironic-edge node deploy b1 b2 /);
    await shell(url, command);
    const done = await post(
      ['a1', 'a2'],
      [
        ['do', 'deploy'],
        ['confirm', '2 machines'],
      ],
    );
    assert.equal(done.status, 303, done.text);
    const given = (name: string) => {
      const { instance_info: info } = nodes.get(made.get(name) ?? '') ?? {};
      return JSON.parse(JSON.stringify(info ?? {}).replaceAll(/52:?54:?00:?00:?0\d:?0\d/g, 'CARD')) as object;
    };
    for (const [page, line] of [
      ['a1', 'b1'],
      ['a2', 'b2'],
    ] as const) {
      assert.match(JSON.stringify(given(line)), /web-\d.*it''s/);
      assert.deepEqual(given(page), given(line));
    }
  });
});
