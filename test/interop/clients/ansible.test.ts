// A playbook with every bare metal module of Ansible's collection openstack.cloud.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { clientPrograms, skipWithoutOpenstackClients } from '../../setup/openstack-clients.ts';
import { IMAGE, MAC, startMachineSite } from './machine-site.ts';

type Shown = Readonly<Record<string, unknown>>;
const PLAYBOOK = join(import.meta.dirname, 'ansible/life.yaml');
const skip = skipWithoutOpenstackClients();

test('a playbook leads a machine from its BMC address to an instance and back', { skip }, async (t) => {
  const site = await startMachineSite(t);
  const seen = join(site.folder, 'seen.json');
  const variables = {
    ...site.fields,
    api_url: site.daemon.url,
    mac: MAC,
    image_url: IMAGE.url,
    image_sha256: IMAGE.sha256,
    seen,
    ansible_python_interpreter: join(clientPrograms, 'python'),
  };
  const words = ['--inventory', 'localhost,', '--extra-vars', JSON.stringify(variables), PLAYBOOK];
  await site.run('ansible-playbook', words, { ANSIBLE_PIPELINING: 'true' });

  const shown = JSON.parse(readFileSync(seen, 'utf8')) as Readonly<Record<string, Shown>>;
  assert.partialDeepStrictEqual(shown, {
    again: { changed: false },
    inspected: { provision_state: 'available', last_error: null },
    template: { name: 'CUSTOM_QUIET' },
    deployed: {
      provision_state: 'active',
      power_state: 'power on',
      instance_info: { image_source: IMAGE.url },
    },
    maintained: { is_maintenance: true, maintenance_reason: 'fans', power_state: 'power off' },
    undeployed: { provision_state: 'available', is_maintenance: false, last_error: null },
    all: [],
  });
  const ports = shown['ports'] as unknown as readonly Shown[];
  const addresses = new Set(ports.map(({ address }) => address));
  assert.ok(addresses.has(MAC) && addresses.has('52:54:00:5a:02:00'));
  assert.ok(site.machine.told.includes('execute_deploy_step write_image: SUCCEEDED'));
});

test('the playbook uses every bare metal module', { skip }, () => {
  const [libraries = ''] = readdirSync(join(clientPrograms, '../lib'));
  const modules = join(
    clientPrograms,
    '../lib',
    libraries,
    'site-packages/ansible_collections/openstack/cloud/plugins/modules',
  );
  const names = readdirSync(modules).filter((name) => name.startsWith('baremetal_'));
  const playbook = readFileSync(PLAYBOOK, 'utf8');
  assert.ok(names.length >= 7);
  for (const name of names) assert.ok(playbook.includes(`openstack.cloud.${name.replace('.py', ':')}`), name);
});
