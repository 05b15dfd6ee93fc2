import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkAgentImage, imageFor, prepareAgentImage } from '../../../plugins/agent/image.ts';
import { rejectsFault, throwsFault } from '../../fakes/faults.ts';
import { fakeTask } from '../../fakes/task.ts';
import type { Configuration } from '../../../daemon/plugin-api/index.ts';

const SHA256 = 'a'.repeat(64);
const configuration = {
  agent: { stream_raw_images: true, image_download_source: 'http' },
  deploy: { default_boot_mode: 'uefi', image_server_auth_strategy: 'noauth' },
};
const disk = { image_source: 'http://images.test/pool/debian.raw', image_checksum: SHA256 };
type Fields = Readonly<Record<string, string | number | boolean | object>>;

const imageOf = (instance_info: Fields, driver_info: Fields = {}, more: Configuration = configuration) =>
  imageFor(
    fakeTask({
      node: { instance_info: instance_info as {}, driver_info: driver_info as {} },
      configuration: more,
    }),
  );

test('a disk image is described by its URL and its checksum', () => {
  assert.deepEqual(imageOf({ ...disk, image_disk_format: 'raw' }), {
    id: 'debian.raw',
    urls: ['http://images.test/pool/debian.raw'],
    disk_format: 'raw',
    container_format: null,
    stream_raw_images: true,
    node_uuid: '11111111-2222-4333-8444-555555555555',
    image_type: 'whole-disk',
    os_hash_algo: 'sha256',
    os_hash_value: SHA256,
  });
});

test('a partition image is described with its partition sizes, boot mode and disk label', () => {
  const image = imageOf({
    ...disk,
    kernel: 'http://images.test/vmlinuz',
    root_gb: '10',
    swap_mb: 512,
    ephemeral_gb: 2,
    ephemeral_format: 'ext4',
    capabilities: '{"boot_mode": "bios"}',
  });
  const {
    root_mb,
    swap_mb,
    ephemeral_mb,
    ephemeral_format,
    deploy_boot_mode,
    disk_label,
    image_type,
    kernel,
  } = image;
  assert.deepEqual(
    [image_type, root_mb, swap_mb, ephemeral_mb, ephemeral_format, deploy_boot_mode, disk_label, kernel],
    ['partition', 10_240, 512, 2048, 'ext4', 'bios', 'msdos', 'http://images.test/vmlinuz'],
  );
  assert.equal(imageOf({ ...disk, image_type: 'partition', root_gb: 1 })['disk_label'], 'gpt');
});

test('preserve_ephemeral may be a boolean or the word True or False, and true is refused for a whole-disk image', () => {
  const image = { ...disk, image_type: 'partition', root_gb: 10, ephemeral_gb: 2 };
  for (const [given, expected] of [
    [true, true],
    ['True', true],
    ['False', false],
    [undefined, false],
  ] as const)
    assert.equal(
      imageOf({ ...image, ...(given !== undefined && { preserve_ephemeral: given }) })['preserve_ephemeral'],
      expected,
    );
  assert.throws(
    () => imageOf({ ...image, preserve_ephemeral: 'perhaps' }),
    /"perhaps"; expected true or false/,
  );
  assert.throws(
    () => imageOf({ ...disk, preserve_ephemeral: true }),
    /a whole-disk image overwrites the ephemeral partition/,
  );
  assert.equal(imageOf({ ...disk, preserve_ephemeral: 'False' })['image_type'], 'whole-disk');
});

test('an image checksum may be a digest with or without its algorithm, a URL, or an algorithm and a value in two fields', () => {
  const { image_source } = disk;
  const cases: readonly (readonly [Fields, object])[] = [
    [{ image_checksum: 'b'.repeat(32) }, { checksum: 'b'.repeat(32) }],
    [{ image_checksum: `MD5:${'B'.repeat(32)}` }, { checksum: 'b'.repeat(32) }],
    [{ image_checksum: 'c'.repeat(128) }, { os_hash_algo: 'sha512', os_hash_value: 'c'.repeat(128) }],
    [{ image_checksum: `sha256:${SHA256}` }, { os_hash_algo: 'sha256', os_hash_value: SHA256 }],
    [{ image_checksum: 'https://images.test/SUMS' }, { checksum: 'https://images.test/SUMS' }],
    [
      { image_os_hash_algo: 'sha512', image_os_hash_value: 'd'.repeat(128), image_checksum: SHA256 },
      { os_hash_algo: 'sha512', os_hash_value: 'd'.repeat(128) },
    ],
  ];
  for (const [given, expected] of cases) {
    const { checksum, os_hash_algo, os_hash_value } = imageOf(
      { image_source, ...given },
      {},
      { ...configuration, agent: { ...configuration.agent, allow_md5_checksum: true } },
    );
    const said = { checksum, os_hash_algo, os_hash_value };
    assert.deepEqual(JSON.parse(JSON.stringify(said)), expected);
  }
});

test('the image description contains the image server login and the proxies when they are set', () => {
  const deploy = {
    image_server_auth_strategy: 'http_basic',
    image_server_user: 'u',
    image_server_password: 'p',
    image_server_hosts: ['images.test'],
  };
  const image = imageOf(
    disk,
    { image_http_proxy: 'http://proxy.test', image_no_proxy: 'a,b' },
    { ...configuration, deploy: { ...configuration.deploy, ...deploy } },
  );
  assert.deepEqual(image['proxies'], { http: 'http://proxy.test' });
  assert.deepEqual(
    [image['no_proxy'], image['image_server_user'], image['image_server_password']],
    ['a,b', 'u', 'p'],
  );
});

test('the image server login is sent only to hosts in image_server_hosts', () => {
  const deploy = {
    ...configuration.deploy,
    image_server_auth_strategy: 'http_basic',
    image_server_user: 'u',
    image_server_password: 'p',
  };
  const sent = (image_server_hosts: readonly string[], fields: Fields = {}) => {
    const more = { ...configuration, deploy: { ...deploy, image_server_hosts } };
    const image = imageOf({ ...disk, ...fields }, {}, more);
    assert.equal(image['image_server_user'], image['image_server_password'] === undefined ? undefined : 'u');
    return image['image_server_auth_strategy'] === 'http_basic';
  };
  const tls = { image_source: 'https://[2001:db8::1]/a' };
  const cases: readonly (readonly [boolean, readonly string[], Fields?])[] = [
    [true, ['images.test']],
    [true, ['other.test', 'IMAGES.test:80']],
    [true, ['images.test:8080'], { image_source: 'http://images.test:8080/a' }],
    [true, ['[2001:db8::1]'], tls],
    [true, ['[2001:db8::1]:443'], tls],
    [true, ['images.test'], { image_checksum: 'http://images.test/SHA256SUMS' }],
    [false, []],
    [false, ['images.test:8080']],
    [false, ['test', 'ages.test', '*', 'images.test.evil.example']],
    [false, ['images.test'], { image_source: 'http://images.test.evil.example/a' }],
    [false, ['images.test'], { image_source: 'http://images.test@evil.example/a' }],
    [false, ['images.test'], { image_checksum: 'http://evil.example/SHA256SUMS' }],
  ];
  for (const [expected, hosts, fields] of cases)
    assert.equal(sent(hosts, fields), expected, JSON.stringify([hosts, fields]));
});

test('the refusal of a missing or invalid image field names the field', () => {
  const { image_source, image_checksum } = disk;
  const refused: readonly (readonly [Fields, RegExp])[] = [
    [{}, /instance_info\/image_source: it is missing/],
    [{ image_checksum, image_source: 'ftp://images/a' }, /image_source: ftp:/],
    [{ image_checksum, image_source: 'http://images.test/folder/' }, /image_source: /],
    [{ image_checksum, image_source: 'c68a2a1c-0d6f-4c5f-8f30-8d4f4c5c0a5a' }, /image_source: c68a/],
    [{ ...disk, image_download_source: 'floppy' }, /image_download_source: "floppy"/],
    [{ ...disk, image_download_source: 'swift' }, /image_download_source: swift; there is no object store/],
    [{ image_source, image_checksum: 'b'.repeat(32) }, /image_checksum: it is an MD5 digest/],
    [{ image_source }, /image_checksum: it is missing/],
    [{ image_source, image_checksum: 'abc' }, /image_checksum: abc/],
    [{ image_source, image_checksum: `md5:${SHA256}` }, /image_checksum: md5:/],
    [
      { image_source, image_os_hash_algo: 'md5', image_os_hash_value: 'b'.repeat(32) },
      /image_os_hash_value: it is an MD5 digest/,
    ],
    [{ image_source, image_os_hash_algo: 'sha256' }, /image_os_hash_value: it is missing/],
    [{ image_source, image_os_hash_value: SHA256 }, /image_os_hash_algo: it is missing/],
    [{ ...disk, image_type: 'floppy' }, /image_type: "floppy"/],
    [{ ...disk, image_type: 'partition' }, /root_gb: it is missing/],
    [{ ...disk, image_type: 'partition', root_gb: 'ten' }, /root_gb: "ten"/],
    [{ ...disk, image_type: 'partition', root_gb: 1, swap_mb: -1 }, /swap_mb: -1/],
    [
      { ...disk, image_type: 'partition', root_gb: 1, capabilities: { boot_mode: 'floppy' } },
      /boot_mode: "floppy"/,
    ],
    [
      { ...disk, image_type: 'partition', root_gb: 1, capabilities: 'boot_mode' },
      /capabilities: expected an object/,
    ],
    [
      { ...disk, image_type: 'partition', root_gb: 1, capabilities: { disk_label: 'none' } },
      /disk_label: "none"/,
    ],
  ];
  for (const [instance, reason] of refused) throwsFault(() => imageOf(instance), 400, reason);
  throwsFault(
    () => imageOf(disk, { image_download_source: 'floppy' }),
    400,
    /driver_info\/image_download_source: "floppy"; expected http or local/,
  );
});

const prepared = { url: 'http://10.0.0.1/secret/x/image', sha256: 'e'.repeat(64), bytes: 9, format: 'raw' };

test('the agent gets the URL and the checksum of the file that the daemon serves', async () => {
  const local: Fields = { ...disk, image_download_source: 'local', image_disk_format: 'qcow2' };
  const task = fakeTask({ node: { instance_info: local as {} }, configuration });
  await checkAgentImage(task);
  throwsFault(() => imageFor(task), 500, /has not prepared it for this deployment/);
  await prepareAgentImage(task);
  assert.deepEqual(task.preparedImages, [
    {
      source: 'http://images.test/pool/debian.raw',
      checksum: SHA256,
      format: 'qcow2',
      type: 'whole-disk',
      login: null,
      isStreamed: true,
      architecture: 'x86_64',
      pullSecret: null,
    },
  ]);
  const { urls, disk_format, os_hash_algo, os_hash_value, proxies } = imageFor(task);
  assert.deepEqual(
    [urls, disk_format, os_hash_algo, os_hash_value, proxies],
    [['http://10.0.0.1:8080/secret/x/image'], 'raw', 'sha256', 'e'.repeat(64), undefined],
  );
});

test('the daemon serves file images, and images for which instance_info, driver_info or the configuration says local', () => {
  const cases: readonly (readonly [Fields, Fields, string?])[] = [
    [{ image_source: 'file:///images/a.qcow2' }, {}],
    [disk, { image_download_source: 'local' }],
    [{ ...disk, image_download_source: 'local' }, { image_download_source: 'http' }],
    [disk, {}, 'local'],
  ];
  for (const [instance_info, driver_info, image_download_source = 'http'] of cases) {
    const task = fakeTask({
      node: { instance_info: instance_info as {}, driver_info: driver_info as {} },
      configuration: { ...configuration, agent: { ...configuration.agent, image_download_source } },
      preparedImage: prepared,
    });
    assert.deepEqual(imageFor(task)['urls'], [prepared.url], JSON.stringify(instance_info));
  }
  assert.deepEqual(
    imageOf({ ...disk, image_download_source: 'http' }, { image_download_source: 'local' })['urls'],
    [disk.image_source],
  );
});

test('a node whose image the daemon must serve is refused when the daemon serves no files', async () => {
  const task = fakeTask({
    node: { instance_info: { image_source: 'file:///images/a.raw' } },
    configuration,
    bootObstacle: 'the daemon serves no boot files: set [boot_http] port',
  });
  await rejectsFault(
    checkAgentImage(task),
    'InvalidParameter',
    /must serve this image.*set \[boot_http\] port/,
  );
});

test('the URL of a checksum file is refused where the configuration forbids it', () => {
  const forbidding = { ...configuration, conductor: { disable_support_for_checksum_files: true } };
  const sums = { image_source: disk.image_source, image_checksum: 'http://images.test/SHA256SUMS' };
  throwsFault(() => imageOf(sums, {}, forbidding), 400, /disable_support_for_checksum_files/);
});

test('if the configuration asks for it, the daemon checks the format of images that ramdisks download', async () => {
  const validating = { ...configuration, conductor: { conductor_always_validates_images: true } };
  const asked = fakeTask({ node: { instance_info: disk }, configuration: validating });
  await prepareAgentImage(asked);
  assert.deepEqual(asked.done, ['inspect the image', 'update']);
  assert.deepEqual([imageFor(asked)['disk_format'], imageFor(asked)['urls']], ['qcow2', [disk.image_source]]);
  const unasked = fakeTask({ node: { instance_info: disk }, configuration });
  await prepareAgentImage(unasked);
  assert.deepEqual(unasked.done, []);
});
