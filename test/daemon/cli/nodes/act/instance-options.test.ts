import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { enrolNode, startListening } from '../../../../fakes/daemon/listening-daemon.ts';
import { runProcess } from '../../../../fakes/clients/run-process.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f admin@site';

function files(t: TestContext, contents: Readonly<Record<string, string>>): (name: string) => string {
  const folder = mkdtempSync(path.join(tmpdir(), 'instance-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(contents)) writeFileSync(path.join(folder, name), text);
  return (name) => path.join(folder, name);
}

async function lab(t: TestContext) {
  const daemon = await startListening(t, {});
  const { nodes, ports } = daemon.services.db;
  const uuids = await Promise.all(
    ['a', 'b'].map((name) =>
      enrolNode(daemon.url, { driver: 'fake-hardware', deploy_interface: 'fake', name }),
    ),
  );
  for (const [index, uuid] of uuids.entries()) {
    nodes.update(uuid, {
      provision_state: 'available',
      instance_info: {
        image_source: 'http://old.test/a.img',
        image_checksum: 'f'.repeat(32),
        capabilities: {},
      },
    });
    await fetch(`${daemon.url}/v1/ports`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ node_uuid: uuid, address: `52:54:00:00:00:0${index}` }),
    });
  }
  assert.equal(ports.ofNode(uuids[0] ?? '').length, 1);
  const stored = () => uuids.map((uuid) => nodes.get(uuid)?.instance_info ?? {});
  return { run: (...words: string[]) => runProcess(daemon.url, ['node', 'deploy', ...words]), stored };
}

test('deploy gives each machine its image, host name, keys, user data and address', async (t) => {
  const file = files(t, { 'id.pub': `# mine\n${KEY}\n`, init: '#!/bin/sh\ntrue\n', password: 'secret\n' });
  const { run, stored } = await lab(t);
  const words = `a b --image http://new.test/b.img --image-checksum http://new.test/SHA256SUMS --hostname web-{n}`;
  const more = [
    '--ssh-key',
    file('id.pub'),
    '--user-data',
    file('init'),
    '--login-password-file',
    file('password'),
  ];
  const link = ['--network', 'address=10.0.0.1{n}/24,gateway=10.0.0.1,dns=10.0.0.1'];
  const { code, errors } = await run(...words.split(' '), ...more, ...link);
  assert.equal(code, 0, errors);
  for (const [index, info] of stored().entries()) {
    const { configdrive, ...rest } = info;
    assert.deepEqual(rest, {
      image_source: 'http://new.test/b.img',
      image_checksum: 'http://new.test/SHA256SUMS',
      capabilities: {},
    });
    const { meta_data, user_data, network_data } = configdrive as {
      meta_data: object;
      user_data: string;
      network_data: { networks: readonly { ip_address: string }[] };
    };
    const hostname = `web-${index + 1}`;
    assert.deepEqual(meta_data, { hostname, name: hostname, public_keys: { 'key-1': KEY } });
    assert.match(user_data, /password: '\$6\$.*#!\/bin\/sh/s);
    assert.doesNotMatch(user_data, /secret/);
    assert.equal(network_data.networks[0]?.ip_address, `10.0.0.1${index + 1}`);
  }
});

test('options that contradict each other or cannot be used are refused, and no node changes', async (t) => {
  const file = files(t, { private: '-----BEGIN OPENSSH PRIVATE KEY-----', empty: '' });
  const { run, stored } = await lab(t);
  const before = stored();
  for (const [line, reason] of [
    ['a b --hostname web', /2 machines would all be called web/],
    ['a --hostname web_1', /web_1" is no host name/],
    ['a --hostname w --config-drive {}', /--config-drive is a whole drive already/],
    [`a --ssh-key ${file('private')}`, /private key/],
    ['a --ssh-key /no/such.pub', /--ssh-key \/no\/such\.pub cannot be read/],
    [`a --user-data ${file('empty')}`, /first line is ""/],
    [`a --login-password-file ${file('empty')}`, /it has 0 characters/],
    [
      'a --network 10.0.0.5/24',
      /"10\.0\.0\.5\/24" is not understood\. Expected NAME=VALUE with one of mac, card, bond/,
    ],
    ['a --network address=10.0.0.5/24,bond=lacp', /bond=lacp is not one of 802\.3ad/],
    ['a --network address=10.0.0.5/24,mac=52:54:00:00:00:99', /the node has no port 52:54:00:00:00:99/],
    ['a --image-checksum abc', /--image-checksum needs --image/],
    ['a --image debian-31', /the catalogue has no image "debian-31"/],
    ['a --profile web', /Profile web could not be found/],
    ['a --profile web --config-drive {}', /--config-drive is a whole drive already/],
  ] as const) {
    const { code, out, errors } = await run(...line.split(' '));
    assert.notEqual(code, 0, line);
    assert.match(out + errors, reason);
  }
  assert.deepEqual(stored(), before);
});
