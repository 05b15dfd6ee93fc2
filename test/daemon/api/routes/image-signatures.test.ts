// Signed checksum files of images, as distributions publish them, on a mirror of the same layout.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { imageCommand } from '../../../../daemon/cli/records/image-command.ts';
import { validateNode } from '../../../../daemon/conductor/flows/validate-node.ts';
import { openTask } from '../../../../daemon/conductor/tasks/run-task.ts';
import { knownImages } from '../../../../daemon/model/known-images.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';
import { enrolNode, startListening } from '../../../fakes/daemon/listening-daemon.ts';
import { digest, disk } from '../../../fakes/images.ts';
import { httpServer } from '../../../fakes/services/http-server.ts';
import { signingKeys } from '../../../fakes/services/signing-keys.ts';

const AUTHOR = 'images@publisher.test';
const STRANGER = 'stranger@other.test';

const placeOf = (system: string) => knownImages.get(system)?.place('x86_64') ?? assert.fail(system);

async function site(t: TestContext) {
  const files = new Map<string, Buffer | string>();
  const { port } = await httpServer(t, ({ url }, response) => {
    const file = files.get(url ?? '');
    if (file === undefined) response.writeHead(404).end();
    else response.end(file);
  });
  const daemon = await startListening(t, {
    environment: { IRONIC_CONDUCTOR__IMAGE_SERVER_NETWORKS: '127.0.0.0/8' },
  });
  const image = (...args: readonly string[]) =>
    runCommand((context) => imageCommand(args, context), { OS_ENDPOINT: daemon.url });
  const keys = signingKeys(t);
  const folder = mkdtempSync(path.join(tmpdir(), 'keys-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const keyFile = (content: Buffer | string) => {
    const file = path.join(folder, 'keys');
    writeFileSync(file, content);
    return file;
  };
  const shown = (name: string) => daemon.services.db.images.findBy('name', name) ?? assert.fail(name);
  const publish = (
    system: string,
    signature: (text: string) => Readonly<Record<string, Buffer | string>>,
  ) => {
    const { image: at } = placeOf(system);
    files.set(`/${at}`, disk(system));
    const text = `${digest(disk(system))}  ${path.basename(at)}\n`;
    for (const [name, content] of Object.entries(signature(text))) files.set(`/${name}`, content);
    return text;
  };
  const mirror = { url: `http://127.0.0.1:${port}` };
  return { files, mirror, daemon, image, keys, keyFile, shown, publish };
}

/** The systems whose publishers sign, and how. */
const SIGNED = ['ubuntu-24.04', 'alma-9', 'opensuse-leap-15.6', 'fedora-43', 'flatcar'];

test('the signed checksum file of each distribution is verified, and the record says by which key', async (t) => {
  const { mirror, image, keys, keyFile, shown, publish } = await site(t);
  const fingerprint = keys.make(AUTHOR);
  for (const [number, system] of SIGNED.entries()) {
    const { signed } = placeOf(system);
    publish(system, (text) =>
      signed?.signature == null
        ? { [signed?.checksum ?? '']: keys.sign(AUTHOR, '--clearsign', text) }
        : { [signed.checksum]: text, [signed.signature]: keys.sign(AUTHOR, '--detach-sign', text) },
    );
    const file = keyFile(number % 2 === 0 ? keys.binary(AUTHOR) : keys.armored(AUTHOR));
    await image('add', system, '--mirror', mirror.url, '--signing-key', file);
    const { code, errors } = await image('fetch', system);
    assert.deepEqual([code, errors], [0, ''], system);
    assert.equal(shown(system).signature, `verified by ${fingerprint}`);
  }
  assert.deepEqual(
    [...knownImages.keys()].filter((name) => placeOf(name).signed === undefined),
    ['debian-12', 'debian-13', 'rocky-9', 'rocky-10'],
  );
  const unsigned = await image('add', 'debian-13', '--signing-key', keyFile(keys.armored(AUTHOR)));
  assert.equal(unsigned.code, 2);
  assert.match(unsigned.errors, /debian-13 is published without a signature/);
});

test('without a key, nothing is verified, and the record says so', async (t) => {
  const { mirror, image, shown, publish } = await site(t);
  publish('debian-13', (text) => ({ [placeOf('debian-13').checksum]: text }));
  await image('add', 'debian-13', '--mirror', mirror.url);
  assert.equal(shown('debian-13').signature, null);
  await image('fetch', 'debian-13');
  assert.match((await image('show', 'debian-13')).out, /^signature {6}none$/m);
});

test('a changed file, an unknown key, an expired key and a missing signature are refused, and nothing is kept', async (t) => {
  const { files, mirror, image, keys, keyFile, shown, publish } = await site(t);
  keys.make(AUTHOR);
  const strange = keys.make(STRANGER);
  keys.make('old@publisher.test', true);
  const { checksum = '', signature } = placeOf('ubuntu-24.04').signed ?? {};
  const at = `/${signature ?? ''}`;
  const text = publish('ubuntu-24.04', (sums) => ({ [checksum]: sums }));
  const allKeys = keys.armored(AUTHOR) + keys.armored('old@publisher.test');
  await image('add', 'ubuntu-24.04', '--mirror', mirror.url, '--signing-key', keyFile(allKeys));
  const wrong: readonly (readonly [file: Buffer | string | undefined, said: RegExp])[] = [
    [undefined, /SHA256SUMS\.gpg cannot be used: its server answered 404/],
    ['no signature', /SHA256SUMS cannot be used: it has no signature that can be verified/],
    [
      keys.sign(AUTHOR, '--detach-sign', `${text}#`),
      /signature by key [0-9A-F]{16} does not fit its content/,
    ],
    [
      keys.sign(STRANGER, '--detach-sign', text),
      new RegExp(
        `SHA256SUMS cannot be used: it is signed with key ${strange.slice(-16)}, which signing_key does not have; .*image set`,
      ),
    ],
    [keys.sign('old@publisher.test', '--detach-sign', text, true), /has expired or was revoked/],
  ];
  for (const [content, said] of wrong) {
    if (content === undefined) files.delete(at);
    else files.set(at, content);
    const { code, errors } = await image('fetch', 'ubuntu-24.04');
    assert.equal(code, 1);
    assert.match(errors, said);
    const { state, sha256, signature: found } = shown('ubuntu-24.04');
    assert.deepEqual([state, sha256, found], ['failed', null, null]);
  }
});

test('of a clear-signed file, only what is signed counts', async (t) => {
  const { files, mirror, image, keys, keyFile, publish } = await site(t);
  keys.make(AUTHOR);
  const { checksum = '' } = placeOf('fedora-43').signed ?? {};
  publish('fedora-43', () => ({}));
  await image('add', 'fedora-43', '--mirror', mirror.url, '--signing-key', keyFile(keys.armored(AUTHOR)));
  const name = path.basename(placeOf('fedora-43').image);
  const good = `${digest(disk('fedora-43'))}  ${name}\n`;
  const signed = keys.sign(AUTHOR, '--clearsign', '# other images\n').toString();
  const forged = `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n${good}`;
  for (const content of [
    good,
    `${good}${signed}`,
    `${signed}${good}`,
    `${forged}${signed}`,
    `${signed}${forged}`,
  ]) {
    files.set(`/${checksum}`, content);
    const { code, errors } = await image('fetch', 'fedora-43');
    assert.equal(code, 1, content);
    assert.match(errors, /CHECKSUM cannot be used: it /);
  }
});

test('a machine gets only what was verified of a signed image, also when it downloads the image itself', async (t) => {
  const { daemon, mirror, image, keys, keyFile, publish } = await site(t);
  const { services } = daemon;
  keys.make(AUTHOR);
  const { checksum = '' } = placeOf('fedora-43').signed ?? {};
  publish('fedora-43', (text) => ({ [checksum]: keys.sign(AUTHOR, '--clearsign', text) }));
  await image('add', 'fedora-43', '--mirror', mirror.url, '--signing-key', keyFile(keys.armored(AUTHOR)));
  const uuid = await enrolNode(daemon.url, {
    driver: 'fake-hardware',
    instance_info: { image_source: 'fedora-43' },
  });
  const verdict = async () => (await validateNode({ services, caller: null }, uuid))['deploy']?.reason;
  assert.match((await verdict()) ?? '', /fedora-43 is signed, and nothing of it is verified yet; fetch it: /);
  await image('fetch', 'fedora-43');
  assert.equal(await verdict(), undefined);
  const { instance_info: seen } = openTask({ services, caller: null }, uuid).view.node;
  assert.deepEqual(
    [seen['image_source'], seen['image_checksum']],
    [`${mirror.url}/${placeOf('fedora-43').image}`, `sha256:${digest(disk('fedora-43'))}`],
  );
  const changed = await image('set', 'fedora-43', `signing_key=${keys.armored(AUTHOR)} `);
  assert.equal(changed.code, 0);
  await image('unset', 'fedora-43', 'signing_key');
  assert.equal(services.db.images.findBy('name', 'fedora-43')?.state, 'known');
});

test('wrong keys and signatures are refused when they are set, and nothing changes', async (t) => {
  const { image, keys, shown } = await site(t);
  keys.make(AUTHOR);
  await image('add', 'ubuntu-24.04');
  const before = shown('ubuntu-24.04');
  const key = `signing_key=${keys.armored(AUTHOR)}`;
  const wrong: readonly (readonly [fields: readonly string[], said: RegExp])[] = [
    [['signing_key=mine'], /signing_key: expected OpenPGP public keys, between the lines/],
    [
      ['signing_key=-----BEGIN PGP PUBLIC KEY BLOCK-----\n\nAAAA\n-----END PGP PUBLIC KEY BLOCK-----'],
      /expected OpenPGP public keys/,
    ],
    [['signature_url=https://images.test/S.gpg'], /signature_url: it is of no use without signing_key/],
    [[key, 'signature_url=S.gpg'], /signature_url: expected the http or https URL/],
    [[key, `checksum=${'a'.repeat(64)}`], /signing_key: it verifies a checksum file/],
    [[key, 'source=upload:'], /checksum/],
  ];
  for (const [fields, said] of wrong) {
    await assert.rejects(image('set', 'ubuntu-24.04', ...fields), said);
    assert.deepEqual(shown('ubuntu-24.04'), before);
  }
});
