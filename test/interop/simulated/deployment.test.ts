import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Node } from '../../../daemon/model/records/node.ts';
import { isFailure } from '../../../daemon/model/states/provision-states.ts';
import { collectEndings } from '../../fakes/endings.ts';
import type { SimulatedMachine } from '../../../daemon/simulator/machine.ts';
import { simulatedSite, type SimulatedSite } from '../../fakes/machines/simulated-site.ts';

const GZIPPED = gzipSync('a config drive').toString('base64');

// machines deployed at the same time, some with a fault
interface Case {
  readonly what: string;
  readonly node?: object;
  readonly image?: object;
  readonly configdrive?: object;
  readonly trouble?: (machine: SimulatedMachine) => void;
  readonly ends: Node['provision_state'];
  readonly error?: RegExp;
}

const image = {
  image_source: 'http://images.test/debian.raw',
  image_checksum: 'a'.repeat(64),
  image_disk_format: 'raw',
};

const cases: readonly Case[] = [
  { what: 'without any fault', ends: 'active' },
  {
    what: 'whose instance makes autodetect choose bootc',
    node: { deploy_interface: 'autodetect' },
    image: { image_source: 'oci://registry.test/os:1', image_disk_format: 'bootc' },
    ends: 'active',
  },
  {
    what: 'whose instance makes autodetect choose direct',
    node: { deploy_interface: 'autodetect' },
    ends: 'active',
  },
  {
    what: 'that boots in BIOS mode',
    node: { properties: { capabilities: 'boot_mode:bios' } },
    ends: 'active',
  },
  {
    what: 'whose config drive is given as meta_data and user_data',
    configdrive: { meta_data: { 'local-hostname': 'web-1' }, user_data: '#cloud-config' },
    ends: 'active',
  },
  { what: 'with disable_power_off', node: { disable_power_off: true }, ends: 'active' },
  {
    what: 'whose image does not exist',
    trouble: ({ troubles }) => troubles.failingSteps.set('write_image', 'status code 404 from images.test'),
    ends: 'deploy failed',
    error: /write_image.*status code 404 from images\.test/,
  },
  {
    what: 'whose agent dies during write_image',
    trouble: ({ troubles }) => troubles.deadlySteps.add('write_image'),
    ends: 'deploy failed',
    error: /Nothing was heard for 120 s/,
  },
  {
    what: 'whose agent never sends a heartbeat',
    trouble: ({ troubles }) => void (troubles.mute = true),
    ends: 'deploy failed',
    error: /Nothing was heard for 120 s/,
  },
];

let site: SimulatedSite;
const endings = collectEndings();
const nodes = () => site.rack.map(({ node }) => site.node(node));
const machineOf = (index: number) => site.rack[index]?.machine as SimulatedMachine;

async function prepare(index: number, { node = {}, image: own = image, trouble }: Case): Promise<void> {
  trouble?.(machineOf(index));
  const changes = Object.entries({ ...node, instance_info: own }).map(([name, value]) => ({
    op: 'add',
    path: `/${name}`,
    value,
  }));
  await site.request('PATCH', `/v1/nodes/${site.rack[index]?.node}`, changes);
}

before(async () => {
  site = await simulatedSite(endings, {
    machines: cases.length,
    environment: {
      IRONIC_CONDUCTOR__AUTOMATED_CLEAN: 'false',
      IRONIC_CONDUCTOR__DEPLOY_CALLBACK_TIMEOUT: '120',
      IRONIC_API__RAMDISK_HEARTBEAT_TIMEOUT: '60',
      IRONIC_DEFAULT__ENABLED_DEPLOY_INTERFACES: 'direct,bootc,autodetect',
      IRONIC_DEFAULT__AUTODETECT_DEPLOY_INTERFACES: 'bootc,direct',
    },
  });
  for (const [target, state] of [
    ['manage', 'manageable'],
    ['provide', 'available'],
  ] as const) {
    for (const { uuid } of nodes()) await site.provision(uuid, target);
    await site.until(() => nodes().every(({ provision_state }) => provision_state === state));
  }
  for (const [index, each] of cases.entries()) await prepare(index, each);
  for (const [index, { uuid }] of nodes().entries())
    await site.provision(uuid, 'active', { configdrive: cases[index]?.configdrive ?? GZIPPED });
  await site.until(() =>
    nodes().every(({ provision_state: state }) => state === 'active' || isFailure(state)),
  );
});

after(() => endings.end());

for (const [index, { what, ends, error, image: own = image, configdrive: given }] of cases.entries()) {
  test(`a machine ${what} ends in ${ends}`, async () => {
    const { provision_state, last_error, driver_internal_info } = nodes()[index] as Node;
    assert.equal(provision_state, ends, last_error ?? '');
    if (error === undefined) assert.equal(last_error, null);
    else assert.match(last_error ?? '', error);
    assert.equal(driver_internal_info['agent_secret_token'], undefined);
    if (ends !== 'active') return;
    await site.until(() => machineOf(index).booted === 'disk');
    const { image_info, configdrive } = machineOf(index).disk ?? {};
    if (own !== image) return assert.deepEqual(image_info, { bootc: 'oci://registry.test/os:1' });
    assert.deepEqual(image_info?.['urls'], ['http://images.test/debian.raw']);
    if (given === undefined) assert.equal(configdrive, GZIPPED);
    else assert.match(gunzipSync(Buffer.from(configdrive as string, 'base64')).toString('latin1'), /web-1/);
  });
}
