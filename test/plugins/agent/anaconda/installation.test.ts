import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../daemon/plugin-api/index.ts';
import { anacondaDeploy } from '../../../../plugins/agent/anaconda/anaconda.ts';
import {
  checkInstallation,
  configDriveToInstall,
  imageUrlOf,
  imageSha256,
} from '../../../../plugins/agent/anaconda/installation.ts';
import { rejectsFault, throwsFault } from '../../../fakes/faults.ts';
import { fakeTask } from '../../../fakes/task.ts';

const complete = {
  image_source: 'http://images.test/os.tar.gz',
  kernel: 'http://i/vmlinuz',
  ramdisk: 'http://i/initrd.img',
  stage2: 'http://i/install.img',
};
const taskWith = (instance_info: JsonObject) => fakeTask({ node: { name: 'rack1-01', instance_info } });
const refused = (change: JsonObject, reason: RegExp) =>
  throwsFault(() => checkInstallation(taskWith({ ...complete, ...change })), 400, reason);

test("an installation needs the installer's kernel and ramdisk, and its second stage unless image_source is a repository", () => {
  checkInstallation(taskWith(complete));
  refused(
    { kernel: '' },
    /instance_info\/kernel: it is missing; expected the URL of images\/pxeboot\/vmlinuz/,
  );
  refused({ ramdisk: null }, /instance_info\/ramdisk: it is missing/);
  refused(
    { stage2: null },
    /stage2: it is missing; expected the URL of images\/install.img .*, unless image_source is a repository/,
  );
  checkInstallation(taskWith({ ...complete, stage2: null, image_source: 'http://mirror.test/os/' }));
});

test('a boot interface that does not serve the kickstart file is refused', async () => {
  const systems = ['kernel', 'iso'] as const;
  const boot = { properties: {}, validate() {}, systems };
  const task = fakeTask({
    node: { boot_interface: 'redfish-https', instance_info: complete },
    driver: { boot },
  });
  await rejectsFault(
    anacondaDeploy.validate(task) as Promise<void>,
    'UnsupportedDriverExtension',
    /through boot interface redfish-https; choose ipxe, http-ipxe, pxe or http/,
  );
});

test('image_source must be an http URL without shell syntax, and is returned without quotes and white space', () => {
  for (const image_source of [
    "http://i/os.tar';reboot",
    'http://i/$(id)',
    'http://i/a;b',
    'file:///etc/shadow',
    '/etc/passwd',
    5,
  ])
    throwsFault(() => imageUrlOf(taskWith({ ...complete, image_source })), 400, /image_source/);
  const encoded = imageUrlOf(taskWith({ image_source: 'http://i/os.tar"\nrootpw --plaintext `x` \\' }));
  assert.doesNotMatch(encoded, /["'`\\\s]/);
});

test('images are verified with SHA-256 or not at all', () => {
  const digest = 'A'.repeat(64);
  for (const given of [
    { image_checksum: digest },
    { image_checksum: `sha256:${digest}` },
    { image_os_hash_algo: 'sha256', image_os_hash_value: digest },
  ])
    assert.equal(imageSha256(taskWith(given)), digest);
  assert.equal(imageSha256(taskWith({})), null);
  refused({ image_checksum: 'a'.repeat(32) }, /image_checksum: anaconda verifies images with SHA-256 only/);
  refused({ image_os_hash_algo: 'sha512', image_os_hash_value: 'a'.repeat(128) }, /SHA-256 only/);
});

test('a config drive must consist of documents', () => {
  const [[name] = []] = configDriveToInstall(taskWith({ configdrive: { user_data: 'x' } }));
  assert.match(name ?? '', /^openstack\//);
  assert.deepEqual(configDriveToInstall(taskWith({})), []);
  refused({ configdrive: 'http://site.test/drive' }, /takes documents \(meta_data, user_data/);
  refused({ configdrive: { other: 1 } }, /other is not one of meta_data/);
});
