// `validate` finds what the action would refuse, because both make the same checks.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { NodeTask } from '../../../../daemon/conductor/tasks/task.ts';
import { reasonOf } from '../../../../daemon/model/faults.ts';
import { parseKernelParameters } from '../../../../daemon/model/machine/kernel-parameters.ts';
import type { JsonObject } from '../../../../daemon/model/json.ts';
import type { BootSystem, InstanceImage } from '../../../../daemon/plugin-api/index.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const MAC = '52:54:00:00:00:0a';

async function site(t: TestContext) {
  const daemon = await startInProcess(t, {
    ini: `enabled_hardware_types = ipmi
enabled_deploy_interfaces = direct,ramdisk,anaconda
enabled_rescue_interfaces = agent,no-rescue
enabled_boot_interfaces = ipxe
[conductor]
file_url_allowed_paths = /srv/nothing
`,
  });
  const { services } = daemon;
  services.networkBoots.serveFrom('http://10.0.0.1:8080');
  const images = path.join(daemon.stateDirectory, 'agent-images');
  mkdirSync(images);
  writeFileSync(path.join(images, 'file'), 'x');
  const file = `file://${images}/file`;
  const usable = { deploy_kernel: file, deploy_ramdisk: file };
  const node = async (
    fields: { readonly driver_info?: JsonObject; readonly [field: string]: unknown } = {},
  ) => {
    const { driver_info = {}, ...rest } = fields;
    const address = { ipmi_address: '192.0.2.1', ipmi_username: 'u', ipmi_password: 'p' };
    const { uuid } = await daemon.createNode({
      driver: 'ipmi',
      boot_interface: 'ipxe',
      rescue_interface: 'agent',
      ...rest,
      driver_info: { ...address, ...usable, ...driver_info },
    });
    const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/validate`);
    const reasons = Object.fromEntries(
      Object.entries(body as unknown as Record<string, { reason?: string }>).map(([name, { reason }]) => [
        name,
        reason ?? 'valid',
      ]),
    );
    return { uuid, reasons };
  };
  const task = async () => new NodeTask({ services, caller: null }, daemon.node((await node()).uuid));
  return { daemon, file, node, task };
}

const outcome = (work: Promise<unknown>) =>
  work.then(
    () => 'done',
    (error: unknown) => reasonOf(error),
  );

test('the check of a system to boot says what serving it says, for each wrong image and parameter', async (t) => {
  const { file, task } = await site(t);
  const { view } = await task();
  const good = { kind: 'kernel', kernel: file, ramdisk: file, parameters: { quiet: null } } as const;
  const boot = { protocol: 'ipxe', bootMode: 'uefi', title: 't' } as const;
  assert.equal(await outcome(view.boot.check(good, 'network')), 'done');
  const wrong: readonly BootSystem[] = [
    ...[
      'file:///etc/passwd',
      'file:///no/such',
      'kernel',
      'ftp://192.0.2.9/k',
      'http://127.0.0.1/k',
      'http://192.0.2.9/k#sha256=12',
      '',
    ].flatMap((image): readonly BootSystem[] => [
      { ...good, kernel: image },
      { ...good, ramdisk: image },
      { kind: 'iso', iso: image },
      { ...good, files: [{ name: 'f', content: { image }, parameter: 'p', urlOf: 'file' }] },
    ]),
    ...[{ '&&': null }, { a: '${mac}' }, { a: "'" }, { a: '"b' }, { a: 'x'.repeat(2048) }].map(
      (parameters): BootSystem => ({ ...good, parameters }),
    ),
  ];
  for (const system of wrong) {
    const said = await outcome(view.boot.check(system, 'network'));
    assert.notEqual(said, 'done', JSON.stringify(system));
    assert.equal(await outcome(view.boot.serve({ ...system, ...boot })), said, JSON.stringify(system));
  }
});

test('the check of an image of an instance says what its preparation says', async (t) => {
  const { file, task } = await site(t);
  const { view } = await task();
  const good: InstanceImage = {
    source: file,
    checksum: null,
    format: null,
    type: 'whole-disk',
    login: null,
    isStreamed: true,
    architecture: 'x86_64',
    pullSecret: null,
  };
  assert.equal(await outcome(view.images.check(good)), 'done');
  for (const wrong of [
    { source: 'file:///etc/passwd' },
    { source: 'file:///no/such' },
    { source: 'ftp://192.0.2.9/i' },
    { source: 'http://192.0.2.9/i' },
    { source: 'http://192.0.2.9/i#sha256=12', checksum: 'a'.repeat(64) },
    { source: 'http://192.0.2.9/i', checksum: 'abc' },
    { source: 'http://192.0.2.9/i', checksum: `md5:${'a'.repeat(32)}` },
    { checksum: 'nonsense' },
  ]) {
    const image = { ...good, ...wrong };
    const said = await outcome(view.images.check(image));
    assert.notEqual(said, 'done', JSON.stringify(wrong));
    assert.equal(await outcome(view.images.prepare(image)), said, JSON.stringify(wrong));
  }
  const sums = { ...good, source: 'oci://192.0.2.9/team/i:1', checksum: 'http://192.0.2.9/SHA256SUMS' };
  assert.match(
    await outcome(view.images.check(sums)),
    /an image in a registry is verified by its SHA-256 only/,
  );
});

test('validate refuses files of the host, other URLs and parameters that a boot loader would interpret', async (t) => {
  const { node, file } = await site(t);
  const fine = await node({ instance_info: { image_source: file } });
  assert.deepEqual(
    [fine.reasons['boot'], fine.reasons['deploy'], fine.reasons['rescue']],
    ['valid', 'valid', 'valid'],
  );
  const refused = async (fields: Parameters<typeof node>[0], wanted: Readonly<Record<string, RegExp>>) => {
    const { reasons } = await node(fields);
    for (const [name, reason] of Object.entries(wanted))
      assert.match(reasons[name] ?? '', reason, `${name} of ${JSON.stringify(fields)}`);
  };
  const passwd = /the kernel = \/etc\/passwd.*file_url_allowed_paths/;
  await refused({ driver_info: { deploy_kernel: 'file:///etc/passwd' } }, { boot: passwd, deploy: passwd });
  await refused(
    { driver_info: { deploy_ramdisk: 'nonsense' } },
    { boot: /nonsense.* is not an http, https or file URL/ },
  );
  const shell = /kernel_append_params.*"&&" is not a name/;
  await refused(
    { driver_info: { kernel_append_params: 'quiet && shell' } },
    { boot: shell, deploy: shell, rescue: shell },
  );
  await refused(
    { instance_info: { image_source: file, kernel_append_params: "a='b'" } },
    { deploy: /characters that a boot loader changes/ },
  );
  await refused(
    { driver_info: { rescue_kernel: 'file:///etc/passwd', rescue_ramdisk: file } },
    { boot: /^valid$/, rescue: passwd },
  );
  const instance = (more: JsonObject) => ({ instance_info: { image_source: file, ...more } });
  await refused(instance({ image_source: 'file:///etc/passwd' }), { deploy: /file_url_allowed_paths/ });
  await refused(instance({ configdrive: 'file:///etc/passwd' }), { deploy: /file_url_allowed_paths/ });
  const ramdisk = (more: JsonObject) => ({
    deploy_interface: 'ramdisk',
    instance_info: { kernel: file, ramdisk: file, ...more },
  });
  await refused(ramdisk({ kernel: 'file:///etc/passwd' }), { deploy: passwd });
  await refused(ramdisk({ ramdisk_kernel_arguments: 'quiet && shell' }), { deploy: /"&&" is not a name/ });
  await refused(ramdisk({ boot_iso: 'file:///etc/passwd' }), { deploy: /the CD image = \/etc\/passwd/ });
  await refused(
    ramdisk({
      ramdisk_kernel_arguments: `a=${'x'.repeat(2000)}`,
      kernel_append_params: `b=${'x'.repeat(100)}`,
    }),
    {
      deploy: /at most 2048 fit/,
    },
  );
  const anaconda = (more: JsonObject) => ({
    deploy_interface: 'anaconda',
    instance_info: { image_source: 'http://192.0.2.9/os/', kernel: file, ramdisk: file, ...more },
  });
  await refused(anaconda({}), { deploy: /^valid$/ });
  await refused(anaconda({ kernel: 'file:///etc/passwd' }), { deploy: passwd });
  await refused(anaconda({ stage2: 'file:///etc/passwd' }), { deploy: /squashfs\.img = \/etc\/passwd/ });
});

test('quoted kernel parameters are valid, and served as they are written', async (t) => {
  const { daemon, node, file } = await site(t);
  const given =
    'sshkey="ssh-rsa A u@h" ds=nocloud-net;s=http://10.0.0.1/ ip=[fd00::2]::[fd00::1]:64::eth0:off';
  const { uuid, reasons } = await node({ driver_info: { kernel_append_params: given } });
  assert.equal(reasons['boot'], 'valid');
  await daemon.createPort(uuid, MAC);
  const { view } = new NodeTask({ services: daemon.services, caller: null }, daemon.node(uuid));
  const parameters = parseKernelParameters(given) ?? {};
  await view.boot.serve({
    kind: 'kernel',
    kernel: file,
    ramdisk: null,
    parameters,
    protocol: 'ipxe',
    bootMode: 'uefi',
    title: 't',
  });
  const script = (name: string) => {
    const served = daemon.services.served.find(name);
    return served?.kind === 'bytes' ? Buffer.from(served.bytes).toString() : '';
  };
  assert.ok(script('ipxe/52-54-00-00-00-0a').includes(`/kernel ${given} BOOTIF=`));
  assert.ok(script('pxelinux.cfg/01-52-54-00-00-00-0a').includes(`append ${given}\n`));
  assert.ok(script(`grub/${MAC}.cfg`).includes("'sshkey=ssh-rsa A u@h' 'ds=nocloud-net;s=http://10.0.0.1/'"));
});
