// The daemon makes a CD with the ramdisk of an inspection and has a simulated BMC boot it. The test fetches the CD by its URL.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startFakeRedfish } from '#plugin-api/fake-redfish';
import { serveBoots } from '../../fakes/boot/boot-http.ts';
import { startInProcess } from '../../fakes/daemon/in-process-daemon.ts';
import { skipWithout } from '../../setup/packages.ts';

const skip =
  skipWithout('isolinux') ||
  skipWithout('mtools') ||
  skipWithout('shim-signed') ||
  skipWithout('grub-efi-amd64-signed');

test(
  'the machine boots a CD that has the token of its agent and is no longer served after the inspection',
  { skip },
  async (t) => {
    const cds: string[] = [];
    const fake = await startFakeRedfish({
      shape: 'dell10',
      booted: ({ url }) => void (url !== null && cds.push(url)),
    });
    t.after(() => fake.stop());
    const daemon = await startInProcess(t, {
      ini: 'enabled_hardware_types = redfish\n[inspector]\nrequire_managed_boot = true\n',
    });
    await serveBoots(t, daemon.services);
    const images = path.join(daemon.stateDirectory, 'agent-images');
    mkdirSync(images);
    for (const name of ['kernel', 'ramdisk']) writeFileSync(path.join(images, name), `the ${name}`);
    const { uuid } = await daemon.createNode({
      driver: 'redfish',
      boot_interface: 'redfish-virtual-media',
      inspect_interface: 'agent',
      driver_info: {
        redfish_address: fake.address,
        redfish_username: 'admin',
        redfish_password: 'secret',
        deploy_kernel: `file://${images}/kernel`,
        deploy_ramdisk: `file://${images}/ramdisk`,
      },
    });
    const provision = async (target: string) => {
      const { status, fault } = await daemon.request('PUT', `/v1/nodes/${uuid}/states/provision`, {
        body: { target },
      });
      assert.equal(status, 202, fault);
      await daemon.idle();
    };
    await provision('manage');
    await provision('inspect');
    assert.equal(daemon.node(uuid).provision_state, 'inspect wait', String(daemon.node(uuid).last_error));
    const { agent_secret_token: token } = daemon.node(uuid).driver_internal_info;
    const [url = ''] = cds;
    const cd = Buffer.from(await (await fetch(url)).arrayBuffer()).toString('latin1');
    assert.match(cd, /linux \/kernel .*ipa-inspection-callback-url=/);
    assert.ok(token !== undefined && cd.includes(`ipa-agent-token=${token}`));
    await provision('abort');
    assert.equal((await fetch(url)).status, 404);
    assert.equal(fake.machine.media['1']?.inserted, false);
  },
);
