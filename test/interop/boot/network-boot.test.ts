// What boot loaders fetch from the daemon: a node's script and ramdisk from its cleaning until its deletion, and boot.ipxe. Also
// what `node validate` says when the daemon serves no boot files.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Daemon } from '../../../daemon/main.ts';
import { callApi } from '../../fakes/clients/api-call.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';

const MAC = '52:54:00:12:34:56';
const SCRIPT = 'ipxe/52-54-00-12-34-56';

function images(t: TestContext): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'ramdisks-'));
  t.after(() => rmSync(directory, { recursive: true }));
  writeFileSync(path.join(directory, 'kernel'), 'the kernel');
  writeFileSync(path.join(directory, 'ramdisk'), 'the ramdisk');
  return directory;
}

const environmentFor = (directory: string) => ({
  IRONIC_BOOT_HTTP__PORT: '0',
  IRONIC_BOOT_HTTP__HOST_IP: '127.0.0.1',
  IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: directory,
  IRONIC_CONDUCTOR__DEPLOY_KERNEL: `file://${directory}/kernel`,
  IRONIC_CONDUCTOR__DEPLOY_RAMDISK: `file://${directory}/ramdisk`,
  IRONIC_DEFAULT__ENABLED_BOOT_INTERFACES: 'ipxe,pxe,fake',
  IRONIC_DEFAULT__ENABLED_DEPLOY_INTERFACES: 'direct,fake',
});

async function got(daemon: Daemon, name: string): Promise<string | undefined> {
  const reply = await fetch(`${daemon.bootUrl}/${name}`);
  const text = await reply.text();
  return reply.status === 200 ? text : undefined;
}

async function until(daemon: Daemon, uuid: string, state: string): Promise<void> {
  while (daemon.services.db.nodes.get(uuid)?.provision_state !== state) {
    assert.equal(daemon.services.db.nodes.get(uuid)?.last_error ?? null, null);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

test('the boot files of a node in cleaning are served until its deletion, and its script even after a restart', async (t) => {
  const directory = images(t);
  const first = await startListening(t, { environment: environmentFor(directory) });
  const { uuid = '' } = await callApi(first, 'POST', 'nodes', {
    driver: 'fake-hardware',
    name: 'one',
    boot_interface: 'ipxe',
    deploy_interface: 'direct',
    driver_info: { kernel_append_params: '%default% console=ttyS0' },
  });
  await callApi(first, 'POST', 'ports', { node_uuid: uuid, address: MAC });
  await callApi(first, 'PUT', `nodes/${uuid}/states/provision`, { target: 'manage' });
  await until(first, uuid, 'manageable');
  assert.equal(await got(first, SCRIPT), undefined);
  await callApi(first, 'PUT', `nodes/${uuid}/states/provision`, { target: 'provide' });
  await until(first, uuid, 'clean wait');

  const script = (await got(first, SCRIPT)) ?? '';
  const line = script.split('\n').find((each) => each.startsWith('kernel ')) ?? '';
  assert.match(line, new RegExp(`^kernel ${first.bootUrl}/nodes/${uuid}/kernel `));
  for (const word of [
    'nofb',
    'vga=normal',
    'console=ttyS0',
    'ipa-api-url=http://127.0.0.1:0',
    'initrd=ramdisk',
  ])
    assert.ok(line.split(' ').includes(word), `${word} in ${line}`);
  assert.equal(await got(first, `nodes/${uuid}/kernel`), 'the kernel');
  assert.equal(await got(first, `nodes/${uuid}/ramdisk`), 'the ramdisk');
  assert.match((await got(first, 'boot.ipxe')) ?? '', /^#!ipxe/);
  assert.match(
    (await got(first, 'ipxe/unknown')) ?? '',
    /ipa-inspection-callback-url=\S+\/v1\/continue_inspection /,
  );
  await first.stop();

  const second = await startListening(t, {
    environment: { ...environmentFor(directory), IRONIC_DEFAULT__STATE_PATH: first.stateDirectory },
  });
  assert.match((await got(second, SCRIPT)) ?? '', new RegExp(`/nodes/${uuid}/kernel selinux=0`));
  const other = '52:54:00:00:00:07';
  await callApi(second, 'PUT', `nodes/${uuid}/maintenance`, {});
  await callApi(second, 'POST', 'ports', { node_uuid: uuid, address: other });
  assert.notEqual(await got(second, 'ipxe/52-54-00-00-00-07'), undefined);
  await callApi(second, 'DELETE', `nodes/${uuid}`);
  assert.equal(await got(second, SCRIPT), undefined);
  assert.equal(await got(second, `nodes/${uuid}/kernel`), undefined);
});

test("a file of [pxe] loader_file_paths replaces the daemon's boot.ipxe", async (t) => {
  const directory = images(t);
  const own = path.join(directory, 'own.ipxe');
  writeFileSync(own, '#!ipxe\nshell\n');
  const daemon = await startListening(t, {
    environment: { ...environmentFor(directory), IRONIC_PXE__LOADER_FILE_PATHS: `boot.ipxe:${own}` },
  });
  assert.equal(await got(daemon, 'boot.ipxe'), '#!ipxe\nshell\n');
  assert.match((await got(daemon, 'grub/grub.cfg')) ?? '', /source/);
});

test('node validate says that booting from the network needs [boot_http] port', async (t) => {
  const directory = images(t);
  const { IRONIC_BOOT_HTTP__PORT: _, ...withoutServer } = environmentFor(directory);
  const daemon = await startListening(t, { environment: withoutServer });
  const { uuid = '' } = await callApi(daemon, 'POST', 'nodes', {
    driver: 'fake-hardware',
    boot_interface: 'ipxe',
  });
  const validation = (await callApi(daemon, 'GET', `nodes/${uuid}/validate`)) as unknown as {
    readonly boot: { readonly result: boolean; readonly reason: string };
  };
  assert.equal(validation.boot.result, false);
  assert.match(validation.boot.reason, /serves no boot files: set \[boot_http\] port/);
});
