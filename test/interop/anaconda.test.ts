// A deployment with the deploy interface `anaconda`. Instead of an installer, the test runs the scripts of the kickstart file,
// with bash and curl.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { callApi } from '../fakes/clients/api-call.ts';
import { freeTcpPort } from '../../daemon/simulator/free-port.ts';
import { startListening } from '../fakes/daemon/listening-daemon.ts';
import { skipWithout } from '../setup/packages.ts';

const skip = skipWithout('curl');

const MAC = '52:54:00:12:34:56';
const run = promisify(execFile);

async function site(t: TestContext) {
  const directory = mkdtempSync(path.join(tmpdir(), 'anaconda-'));
  t.after(() => rmSync(directory, { recursive: true }));
  for (const name of ['vmlinuz', 'initrd.img', 'install.img', 'ipa'])
    writeFileSync(path.join(directory, name), `the ${name}`);
  const file = (name: string) => `file://${directory}/${name}`;
  const daemon = await startListening(t, {
    environment: {
      IRONIC_API__PORT: String(await freeTcpPort()),
      IRONIC_BOOT_HTTP__PORT: '0',
      IRONIC_BOOT_HTTP__HOST_IP: '127.0.0.1',
      IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: directory,
      IRONIC_CONDUCTOR__DEPLOY_KERNEL: file('ipa'),
      IRONIC_CONDUCTOR__DEPLOY_RAMDISK: file('ipa'),
      IRONIC_CONDUCTOR__AUTOMATED_CLEAN: 'false',
      IRONIC_DEFAULT__ENABLED_BOOT_INTERFACES: 'ipxe,fake',
      IRONIC_DEFAULT__ENABLED_DEPLOY_INTERFACES: 'anaconda,fake',
      IRONIC_DEFAULT__ENABLED_MANAGEMENT_INTERFACES: 'fake,noop',
    },
  });
  const { uuid = '' } = await callApi(daemon, 'POST', 'nodes', {
    driver: 'fake-hardware',
    name: 'rack1-01',
    boot_interface: 'ipxe',
    management_interface: 'noop',
    deploy_interface: 'anaconda',
    instance_info: {
      image_source: 'http://images.test/os.tar.gz',
      kernel: file('vmlinuz'),
      ramdisk: file('initrd.img'),
      stage2: file('install.img'),
    },
  });
  await callApi(daemon, 'POST', 'ports', { node_uuid: uuid, address: MAC });
  const node = () => {
    const found = daemon.services.db.nodes.get(uuid);
    assert.ok(found);
    return found;
  };
  const reaches = async (state: string) => {
    while (node().provision_state !== state || daemon.services.locks.holderOf(uuid) !== null) {
      if (!state.endsWith('failed')) assert.equal(node().last_error, null);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const provision = async (target: string, state: string, more = {}) => {
    await callApi(daemon, 'PUT', `nodes/${uuid}/states/provision`, { target, ...more });
    await reaches(state);
  };
  await provision('manage', 'manageable');
  await provision('provide', 'available');
  await provision('active', 'wait call-back', { configdrive: { user_data: '#cloud-config' } });
  const booted = async () => (await fetch(`${daemon.bootUrl}/ipxe/${MAC.replaceAll(':', '-')}`)).text();
  return { daemon, node, reaches, booted };
}

/** What the installer gets through this iPXE script: the values of kernel parameters, and the kickstart file with its sections. */
async function installer(script: string) {
  const words = script
    .split('\n')
    .find((line) => line.startsWith('kernel '))
    ?.split(' ');
  const parameter = (name: string) =>
    words?.find((word) => word.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
  const kickstart = await (await fetch(parameter('inst.ks'))).text();
  const section = (name: string) => new RegExp(`^%${name}\\n(.*?)\\n%end`, 'ms').exec(kickstart)?.[1] ?? '';
  return { parameter, kickstart, section };
}

test(
  'the report of a finished installation makes the node active and removes the secret URL of the kickstart file',
  { skip },
  async (t) => {
    const { node, reaches, booted, daemon } = await site(t);
    const { parameter, kickstart, section } = await installer(await booted());
    const stage2 = await fetch(`${parameter('inst.stage2')}/LiveOS/squashfs.img`);
    assert.equal(await stage2.text(), 'the install.img');
    assert.match(parameter('inst.ks'), /\/secret\/[\w-]{43}\/ks\.cfg$/);
    assert.match(
      kickstart,
      /base64 --decode > '\/var\/lib\/cloud\/seed\/config_drive\/openstack\/latest\/user_data'/,
    );
    assert.doesNotMatch(
      daemon.log(),
      new RegExp(/"agent_token": "(.*?)"/.exec(kickstart)?.[1] ?? 'no token'),
    );

    await run('bash', ['-c', section('pre')]);
    await reaches('wait call-back');
    await run('bash', ['-c', section('post --nochroot')]);
    await reaches('active');
    assert.deepEqual([node().last_error, node().power_state], [null, 'power on']);
    assert.equal(node().driver_internal_info.agent_secret_token, undefined);
    assert.equal((await fetch(parameter('inst.ks'))).status, 404);
    assert.doesNotMatch(await booted(), /inst\.ks/);
  },
);

test('an installer that reports an error fails the deployment with that error', { skip }, async (t) => {
  const { node, reaches, booted } = await site(t);
  const { section, parameter } = await installer(await booted());
  await run('bash', ['-c', section('onerror')]);
  await reaches('deploy failed');
  assert.match(
    node().last_error ?? '',
    /installation by anaconda: The installer failed; the console of the machine/,
  );
  assert.equal((await fetch(parameter('inst.ks'))).status, 404);
});

test('a report with a wrong token is refused, and the node stays in wait call-back', { skip }, async (t) => {
  const { node, booted } = await site(t);
  const { section } = await installer(await booted());
  const forged = section('post --nochroot').replace(/"agent_token":"[^"]*"/, '"agent_token":"guessed"');
  assert.notEqual(forged, section('post --nochroot'));
  const answer = await run('bash', ['-c', forged.replace('sleep 10', 'break')]).catch(
    (error: Error) => error,
  );
  assert.match('stderr' in answer ? answer.stderr : answer.message, /error: 400/);
  assert.equal(node().provision_state, 'wait call-back');
});
