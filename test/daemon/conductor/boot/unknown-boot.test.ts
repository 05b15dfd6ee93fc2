import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { test, type TestContext } from 'node:test';
import { useImage } from '../../../../daemon/cli/agent-image/agent-images.ts';
import { hostArchitecture } from '../../../../daemon/cli/agent-image/build/packages.ts';
import { linesForUsed } from '../../../../daemon/cli/agent-image/configuration-lines.ts';
import { serveUnknownMachines } from '../../../../daemon/conductor/boot/unknown-boot.ts';
import { plantImage } from '../../../fakes/agent-images.ts';
import { fastDirectory, startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const IMAGES = { deploy_kernel: 'http://192.0.2.1/k', deploy_ramdisk: 'http://192.0.2.1/r' };
const OWN_DHCP = '[dhcp_server]\nsubnet = 10.0.0.0/24 range=10.0.0.50-10.0.0.60 interface=br0\n';
const RAMDISK = `[conductor]\ndeploy_kernel = ${IMAGES.deploy_kernel}\ndeploy_ramdisk = ${IMAGES.deploy_ramdisk}\n`;

interface Given {
  readonly ini: string;
  readonly boot_interface?: string;
  readonly hasPort?: boolean;
  readonly servesFiles?: boolean;
}

/** A node that is known by its BMC and has its own ramdisk. */
async function session(t: TestContext, { ini, hasPort = false, servesFiles = true, ...fields }: Given) {
  const daemon = await startInProcess(t, { ini: `[DEFAULT]\nenabled_hardware_types = ipmi\n${ini}` });
  if (servesFiles) daemon.services.networkBoots.serveFrom('http://10.0.0.1:8080');
  const driver_info = { ipmi_address: '192.0.2.7', ipmi_username: 'a', ipmi_password: 'b', ...IMAGES };
  const { uuid } = await daemon.createNode({ driver: 'ipmi', driver_info, ...fields });
  if (hasPort) await daemon.createPort(uuid, '52:54:00:00:00:01');
  daemon.services.db.nodes.update(uuid, { provision_state: 'manageable' });
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/validate`);
  return { daemon, uuid, found: (body as Record<string, unknown>)['inspect'] };
}

test('an inspection for which no server would boot the machine is refused at once, with what to do', async (t) => {
  const { daemon, uuid } = await session(t, { ini: OWN_DHCP });
  const body = { target: 'inspect' };
  const { status, text } = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, { body });
  assert.deepEqual([status, daemon.node(uuid).provision_state], [400, 'manageable']);
  assert.match(
    text,
    /No server boots the machine for its inspection\. The daemon answers its DHCP requests, but machines without a port boot nothing: set \[conductor\] deploy_kernel and deploy_ramdisk, or create the port of the card that the machine boots from\./,
  );
  const without = await session(t, { ini: OWN_DHCP + RAMDISK, servesFiles: false });
  assert.match(JSON.stringify(without.found), /but the daemon serves no boot files: set \[boot_http\] port/);
});

test('an inspection is valid when the machine boots as one without a port, by its port, or from another server', async (t) => {
  for (const given of [
    { ini: OWN_DHCP + RAMDISK },
    { ini: OWN_DHCP, hasPort: true },
    { ini: '' },
    { ini: '', servesFiles: false },
    { ini: `${OWN_DHCP}mode = proxy\n` },
    { ini: OWN_DHCP, boot_interface: 'no-boot' },
  ]) {
    const { found } = await session(t, given);
    assert.equal((found as { result: boolean }).result, true, JSON.stringify([given, found]));
  }
});

test('an inspection is refused while the ramdisk for machines without a port cannot be read, and says why', async (t) => {
  const missing =
    '[conductor]\ndeploy_kernel = file:///absent/kernel\ndeploy_ramdisk = file:///absent/ramdisk\n';
  const { daemon, uuid } = await session(t, { ini: `${OWN_DHCP}${missing}` });
  await serveUnknownMachines(daemon.services);
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/validate`);
  assert.match(
    JSON.stringify((body as Record<string, unknown>)['inspect']),
    /machines without a port boot nothing: Image \[conductor\] deploy_kernel = .*\/absent\/kernel.* cannot be used: .*, or create the port/,
  );
});

test('unknown machines boot a newer image as soon as it is used, and those that have the earlier script get its files', async (t) => {
  const stateDirectory = mkdtempSync(path.join(fastDirectory(), 'unknown-boot-'));
  const directory = path.join(stateDirectory, 'agent-images');
  mkdirSync(directory);
  await useImage(directory, plantImage(directory, 'old'));
  const { services } = await startInProcess(t, {
    stateDirectory,
    ini: linesForUsed(directory, hostArchitecture(), {
      DEFAULT: { state_path: stateDirectory },
      conductor: { file_url_allowed_paths: [] },
    }),
  });
  services.networkBoots.serveFrom('http://10.0.0.1:8080');
  const { served } = services;
  let published = Promise.withResolvers<undefined>();
  await serveUnknownMachines({
    ...services,
    served: {
      ...served,
      publish(...given) {
        served.publish(...given);
        published.resolve(undefined);
      },
    },
  });
  const kernelName = () => {
    const script = served.find('ipxe/unknown');
    const text = script?.kind === 'bytes' ? Buffer.from(script.bytes).toString() : '';
    return /8080\/(\S+\/kernel) /.exec(text)?.[1] ?? '';
  };
  const contents = (kernel: string) =>
    ['kernel', 'ramdisk'].map((part) => {
      const found = served.find(kernel.replace(/kernel$/, part));
      return found?.kind === 'file' ? readFileSync(found.path, 'utf8') : undefined;
    });
  const first = kernelName();
  assert.deepEqual(contents(first), ['kernel of old', 'ramdisk of old']);
  published = Promise.withResolvers();
  await useImage(directory, plantImage(directory, 'new'));
  await published.promise;
  assert.deepEqual(contents(kernelName()), ['kernel of new', 'ramdisk of new']);
  assert.deepEqual(contents(first), ['kernel of old', 'ramdisk of old']);
});

test('with zero touch, the ramdisk of unknown machines is asked for an account on the BMC, and gets the public key alone', async (t) => {
  const scriptOf = async (ini: string) => {
    const stateDirectory = mkdtempSync(path.join(fastDirectory(), 'unknown-boot-'));
    const directory = path.join(stateDirectory, 'agent-images');
    mkdirSync(directory);
    await useImage(directory, plantImage(directory, 'one'));
    const config = { DEFAULT: { state_path: stateDirectory }, conductor: { file_url_allowed_paths: [] } };
    const lines = linesForUsed(directory, hostArchitecture(), config);
    const { services } = await startInProcess(t, { stateDirectory, ini: `${lines}${ini}` });
    services.networkBoots.serveFrom('http://10.0.0.1:8080');
    await serveUnknownMachines(services);
    const script = services.served.find('ipxe/unknown');
    return { services, text: script?.kind === 'bytes' ? Buffer.from(script.bytes).toString() : '' };
  };
  const { services, text } = await scriptOf('[zero_touch]\nbmc_networks = 192.0.2.0/24\n');
  assert.match(text, / ironic-edge-bmc-account=edge-inband ironic-edge-site-key=[\w-]{43} /);
  const [key] = services.db.siteKeys.all();
  assert.ok(key !== undefined && !text.includes(key.private_key));
  assert.doesNotMatch((await scriptOf('')).text, /ironic-edge-/);
});

test('however often the images change while none can be served, one retry is due', async (t) => {
  const stateDirectory = mkdtempSync(path.join(fastDirectory(), 'unknown-boot-'));
  const directory = path.join(stateDirectory, 'agent-images');
  mkdirSync(directory);
  const place = pathToFileURL(directory).href;
  const { services } = await startInProcess(t, {
    stateDirectory,
    ini: `[conductor]\ndeploy_kernel = ${place}/kernel\ndeploy_ramdisk = ${place}/ramdisk\n`,
  });
  services.networkBoots.serveFrom('http://10.0.0.1:8080');
  const { clock, images } = services;
  let due = 0;
  let tried = Promise.withResolvers<undefined>();
  await serveUnknownMachines({
    ...services,
    images: {
      ...images,
      fetch(...given) {
        tried.resolve(undefined);
        return images.fetch(...given);
      },
    },
    clock: {
      ...clock,
      after(milliseconds, action) {
        due += 1;
        const cancel = clock.after(milliseconds, action);
        return () => {
          due -= 1;
          cancel();
        };
      },
    },
  });
  assert.equal(due, 1);
  for (const name of ['a', 'b', 'c']) {
    tried = Promise.withResolvers();
    mkdirSync(path.join(directory, name));
    await tried.promise;
  }
  await setImmediate();
  assert.ok(due <= 1, `${due} retries are due`);
});
