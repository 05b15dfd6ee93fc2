// Bifrost's own inventory script, playbooks and roles enrol the machine that a file describes, then inspect, deploy and undeploy it
// and delete its node.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  bifrostPlaybooks,
  clientPrograms,
  skipWithoutOpenstackClients,
} from '../../setup/openstack-clients.ts';
import { IMAGE, MAC, startMachineSite } from './machine-site.ts';

const GIVE_BACK = join(import.meta.dirname, 'bifrost/give-back.yaml');
const upstream = (name: string) => join(bifrostPlaybooks, name);
const skip = skipWithoutOpenstackClients();

test(
  'Bifrost enrols, inspects, deploys, undeploys and deletes the node that its inventory describes',
  { skip },
  async (t) => {
    const site = await startMachineSite(t);
    const inventory = join(site.folder, 'baremetal.json');
    const machine = {
      ...site.fields,
      // without a UUID here the roles send an empty one, which Ironic refuses too
      uuid: randomUUID(),
      nics: [{ mac: MAC }],
      properties: { cpu_arch: 'x86_64' },
      ipv4_address: '192.0.2.10',
      ipv4_gateway: '192.0.2.1',
      ipv4_nameserver: '192.0.2.53',
    };
    writeFileSync(inventory, JSON.stringify({ 'web-1': machine }));
    writeFileSync(join(site.folder, 'key.pub'), 'ssh-ed25519 AAAA someone');
    const variables = {
      inspect_nodes: true,
      internal_ip: '127.0.0.1',
      http_boot_folder: site.folder,
      ssh_public_key_path: join(site.folder, 'key.pub'),
      deploy_image_source: IMAGE.url,
      deploy_image_checksum: IMAGE.sha256,
      wait_for_node_deploy: true,
      provision_state_retry_interval: 1,
      ansible_become: false,
      ansible_connection: 'local',
      ansible_python_interpreter: join(clientPrograms, 'python'),
    };
    const play = (playbook: string) =>
      site.run(
        'ansible-playbook',
        [
          '--inventory',
          upstream('inventory/bifrost_inventory.py'),
          '--extra-vars',
          JSON.stringify(variables),
          playbook,
        ],
        {
          VENV: join(clientPrograms, '..'),
          BIFROST_INVENTORY_SOURCE: inventory,
          ANSIBLE_ROLES_PATH: upstream('roles'),
          ANSIBLE_LIBRARY: upstream('library'),
          ANSIBLE_PIPELINING: 'true',
        },
      );
    const node = () => site.nodes().get('web-1');

    await play(upstream('enroll-dynamic.yaml'));
    assert.equal(node()?.provision_state, 'available', node()?.last_error ?? '');
    assert.notEqual(node()?.inspection_finished_at, null);

    await play(upstream('deploy-dynamic.yaml'));
    assert.equal(node()?.provision_state, 'active', node()?.last_error ?? '');
    const { configdrive } = site.machine.computer.disk ?? {};
    assert.match(configdrive as string, /^http:\/\/127\.0\.0\.1:8080\/configdrive-.*\.iso\.gz$/);

    await play(GIVE_BACK);
    assert.equal(site.nodes().size, 0);
  },
);
