// metalsmith chooses a machine, deploys it with a config drive, finds its instance and gives it back, without Neutron and Glance.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Node } from '../../../daemon/model/records/node.ts';
import { skipWithoutOpenstackClients } from '../../setup/openstack-clients.ts';
import { enrol, IMAGE, startMachineSite } from './machine-site.ts';

test(
  'metalsmith deploys a machine with a config drive and undeploys it',
  { skip: skipWithoutOpenstackClients() },
  async (t) => {
    const site = await startMachineSite(t);
    const { machine, nodes, run } = site;
    const node = () => nodes().get('rack1-01') as Node;
    await enrol(site, 'rack1-01');
    const key = join(site.folder, 'key.pub');
    writeFileSync(key, 'ssh-ed25519 AAAA someone');
    const image = ['--image', IMAGE.url, '--image-checksum', IMAGE.sha256];
    const instance = ['--resource-class', 'compute', '--hostname', 'web-1', '--ssh-public-key', key];
    // without --quiet, metalsmith asks Neutron for the addresses of the instance
    await run('metalsmith', ['--quiet', 'deploy', ...image, ...instance, '--wait', '60']);

    assert.equal(node().provision_state, 'active');
    const { image_info, configdrive } = machine.computer.disk ?? {};
    assert.deepEqual(image_info?.['urls'], [IMAGE.url]);
    const drive = gunzipSync(Buffer.from(configdrive as string, 'base64')).toString('latin1');
    assert.match(drive, /"hostname": ?"web-1"/);
    assert.match(drive, /ssh-ed25519 AAAA someone/);

    assert.match(
      await run('metalsmith', ['undeploy', '--wait', '60', 'web-1']),
      /Successfully unprovisioned/,
    );
    const after = node();
    assert.equal(after.provision_state, 'available');
    assert.equal(after.instance_uuid, null);
    assert.deepEqual(after.extra, {});
    assert.equal(machine.computer.powerState, 'Off');
    assert.equal(await run('metalsmith', ['--format', 'value', 'list']), '');
  },
);

test(
  'metalsmith names the resource class when no available node has it',
  { skip: skipWithoutOpenstackClients() },
  async (t) => {
    const { run } = await startMachineSite(t);
    const words = ['deploy', '--image', IMAGE.url, '--image-checksum', IMAGE.sha256];
    await assert.rejects(
      run('metalsmith', [...words, '--resource-class', 'gpu', '--hostname', 'web-1']),
      /no available nodes match the resource class gpu/i,
    );
  },
);
