import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { shaCrypt } from '../../../../daemon/lib/sha-crypt.ts';
import { configDriveFlaw } from '../../../../daemon/model/config-drive.ts';
import { configDriveOf, refuseSameForAll } from '../../../../daemon/model/instance/instance.ts';
import { skipWithout } from '../../../setup/packages.ts';
import { keyLines } from '../../../../daemon/model/instance/public-key.ts';

const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f admin@site';
const place = { number: 3, node: 'rack1-03', ports: [{ address: '52:54:00:00:00:03', pxe_enabled: true }] };
const drive = (description: Parameters<typeof configDriveOf>[0]) => configDriveOf(description, place);

function userData(description: Parameters<typeof configDriveOf>[0]): string {
  const { user_data: text } = drive(description);
  assert.ok(typeof text === 'string');
  return text;
}

test('a host name, keys and user data become the documents of a config drive', () => {
  const document = '#cloud-config\npackages: [nginx]\n';
  const made = drive({ hostname: 'web-{n}.{node}.example', ssh_keys: [` ${KEY}\n`], user_data: document });
  assert.deepEqual(made, {
    meta_data: {
      hostname: 'web-3.rack1-03.example',
      name: 'web-3.rack1-03.example',
      public_keys: { 'key-1': KEY },
    },
    user_data: document,
  });
  assert.equal(configDriveFlaw(made), undefined);
});

test('a password is set for the login user by its hash, beside the user data that was given', () => {
  const password_hash = shaCrypt('sha512', 'secret');
  assert.match(userData({ password_hash }), /^#cloud-config\npassword: '\$6\$/);
  const parts = userData({ password_hash, user_data: '#!/bin/sh\ntrue\n' }).split('--ironic-edge-user-data');
  assert.equal(parts.length, 4);
  assert.match(parts[0] ?? '', /^Content-Type: multipart\/mixed; boundary="ironic-edge-user-data"/);
  assert.match(parts[1] ?? '', /text\/plain.*\n\n#cloud-config\npassword/s);
  assert.match(parts[2] ?? '', /text\/x-shellscript.*\n\n#!\/bin\/sh\ntrue/s);
});

const wrongs: readonly (readonly [Parameters<typeof configDriveOf>[0], RegExp])[] = [
  [{ hostname: 'web_1' }, /hostname: "web_1" is no host name\. Expected labels/],
  [{ hostname: '-a' }, /no host name/],
  [{ hostname: `${'a.'.repeat(130)}a` }, /no host name/],
  [{ ssh_keys: ['-----BEGIN OPENSSH PRIVATE KEY-----'] }, /private key.*\.pub/],
  [{ ssh_keys: [KEY.slice(0, 50)] }, /damaged/],
  [{ ssh_keys: [KEY.replace('ssh-ed25519', 'ssh-rsa')] }, /damaged/],
  [{ ssh_keys: ['hello'] }, /expected one line as in a \.pub file/],
  [{ user_data: 'packages: [nginx]' }, /first line is "packages: \[nginx\]", and cloud-init would ignore it/],
  [{ user_data: '#cloud-config\na: [' }, /user_data: it is not YAML/],
  [{ user_data: '#cloud-config\n- a' }, /no mapping/],
  [{ user_data: `#!/bin/sh\n${'#'.repeat(2 ** 20)}` }, /at most 1048576 are accepted/],
  [{ password_hash: 'secret' }, /the hash of a password.*not the password itself/],
];

test('what cloud-init would not accept is refused, with what was expected', () => {
  for (const [description, reason] of wrongs) assert.throws(() => drive(description), reason);
});

test('several machines need a pattern in host name and addresses', () => {
  const link = { macs: [], gateways: [], dns: [], routes: [] };
  assert.throws(
    () => refuseSameForAll({ hostname: 'web' }, 2),
    /2 machines would all be called web\. Write \{n\}/,
  );
  assert.throws(
    () => refuseSameForAll({ network: [{ ...link, addresses: ['10.0.0.5/24'] }] }, 2),
    /2 machines would all get the address 10\.0\.0\.5\/24/,
  );
  refuseSameForAll({ hostname: '{node}', network: [{ ...link, addresses: ['10.0.0.{n}/24'] }] }, 2);
  refuseSameForAll({ hostname: 'web', network: [{ ...link, addresses: ['10.0.0.5/24'] }] }, 1);
});

function generated(t: TestContext, ...options: readonly string[]): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'key-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'id');
  execFileSync('ssh-keygen', ['-q', '-N', '', '-f', file, ...options]);
  return keyLines(readFileSync(`${file}.pub`, 'utf8'));
}

test('the keys that ssh-keygen makes are accepted', { skip: skipWithout('openssh-client') }, (t) => {
  for (const options of [
    ['-t', 'ed25519'],
    ['-t', 'rsa', '-b', '2048'],
    ['-t', 'ecdsa', '-b', '384'],
  ]) {
    const [key = ''] = generated(t, ...options);
    assert.deepEqual(drive({ ssh_keys: [key] })['meta_data'], { public_keys: { 'key-1': key } });
  }
});
