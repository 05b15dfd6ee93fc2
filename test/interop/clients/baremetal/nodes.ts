// The commands on a node's record.
import assert from 'node:assert/strict';
import { HOST, MISSING, type Shown, type Site } from '../site.ts';
import type { Client, Scenarios } from './scenario.ts';

const NETWORK_DATA = '{"links":[],"networks":[],"services":[]}';
const RAID = { logical_disks: [{ size_gb: 10, raid_level: '1' }] };
const FAKE_INTERFACES = 'bios boot console deploy inspect management power raid rescue storage vendor'.split(
  ' ',
);

const words = (...parts: readonly string[]) => parts.filter((part) => part !== '').join(' ');
const interfaceFields = (name: string) =>
  Object.fromEntries(FAKE_INTERFACES.map((type) => [`${type}_interface`, name]));
const stored = (site: Site, uuid: string) => site.shown(`/v1/nodes/${uuid}`);

async function create({ json, refused, newest }: Client, site: Site): Promise<void> {
  const [uuid, name] = [site.uuid(), site.name('node')];
  const chassis = await site.made('/v1/chassis');
  const parent = await site.node();
  const line = words(
    `node create --driver fake-hardware --uuid ${uuid} --name ${name} --chassis-uuid ${chassis.uuid}`,
    '--driver-info a=1 --driver-info password=secret --property cpus=8 --extra rack=r1 --resource-class gold',
    '--conductor-group  --no-automated-clean',
    `--network-interface noop --network-data ${NETWORK_DATA}`,
    FAKE_INTERFACES.map((type) => `--${type}-interface fake`).join(' '),
    newest
      ? `--owner me --lessee you --description words --shard east --parent-node ${parent.uuid} --firmware-interface fake --disable-power-off --instance-name i1`
      : '',
  );
  const expected = {
    uuid,
    name,
    driver: 'fake-hardware',
    chassis_uuid: chassis.uuid,
    driver_info: { a: 1, password: '******' },
    properties: { cpus: 8 },
    extra: { rack: 'r1' },
    resource_class: 'gold',
    automated_clean: false,
    network_interface: 'noop',
    network_data: { links: [], networks: [], services: [] },
    provision_state: 'enroll',
    ...interfaceFields('fake'),
  };
  // only the newest client is asked to set these: Debian's has options for some of them, but refuses these options itself
  const newer = {
    owner: 'me',
    lessee: 'you',
    description: 'words',
    shard: 'east',
    parent_node: parent.uuid,
    firmware_interface: 'fake',
    disable_power_off: true,
    instance_name: 'i1',
  };
  assert.partialDeepStrictEqual(await json(line), expected);
  assert.partialDeepStrictEqual(await stored(site, uuid), { ...expected, ...(newest && newer) });
  assert.match(await refused(`node create --driver fake-hardware --name ${name}`), /already exists.*409/);
  assert.match(
    await refused('node create --driver nothing'),
    /supports driver nothing\. It is not enabled.*400/,
  );
}

async function show({ json, refused, newest }: Client, site: Site): Promise<void> {
  const instance = site.uuid();
  const node = await site.node({ instance_uuid: instance, extra: { rack: 'r1' } });
  const record = await stored(site, node.uuid);
  const printed = (await json(`node show ${node.name}`)) as Shown;
  assert.ok(Object.keys(printed).length > (newest ? 60 : 50), `${Object.keys(printed).length} fields`);
  // the record has further fields: those of API versions newer than the client's
  assert.partialDeepStrictEqual(record, printed);
  assert.equal(((await json(`node show ${instance} --instance`)) as Shown).uuid, node.uuid);
  assert.deepEqual(await json(`node show ${node.uuid} --fields driver extra`), {
    driver: 'fake-hardware',
    extra: { rack: 'r1' },
  });
  assert.match(await refused('node show nobody'), /Node nobody could not be found\. \(HTTP 404\)/);
}

async function list({ rows, refused, newest }: Client, site: Site): Promise<void> {
  const chassis = await site.made('/v1/chassis');
  const instance_uuid = site.uuid();
  const special = await site.node(
    {
      chassis_uuid: chassis.uuid,
      instance_uuid,
      resource_class: 'rare',
      instance_name: 'i-list',
      owner: 'she',
      lessee: 'he',
      description: 'the odd one',
      retired: true,
      shard: 'list-shard',
    },
    'manageable',
  );
  await site.put(`/v1/nodes/${special.uuid}/maintenance`, {});
  const plain = await site.node({ driver: 'manual-management' });
  const child = await site.node({ parent_node: plain.uuid });
  const column = async (field: string, ...filter: readonly string[]) =>
    (await rows(['node', 'list', '--fields', field, ...filter])).map(([value]) => String(value));
  const found = async (...filter: readonly string[]) => {
    const names = await column('name', ...filter);
    return [special, plain, child].map(({ name }) => name).filter((name) => names.includes(name));
  };

  const onlySpecial = [
    '--maintenance',
    '--retired',
    '--associated',
    '--provision-state manageable',
    '--driver fake-hardware',
    '--resource-class rare',
    `--chassis ${chassis.uuid}`,
    '--owner she',
    '--lessee he',
    // Debian's client offers `--description-contains` and fails with it
    ...(newest
      ? ['--description-contains odd', '--instance-name i-list', '--sharded', '--shards list-shard']
      : []),
  ];
  const onlyPlain = [
    '--no-maintenance',
    '--no-retired',
    '--unassociated',
    '--provision-state enroll',
    '--driver manual-management',
    ...(newest ? ['--unsharded'] : []),
  ];
  for (const filter of onlySpecial)
    assert.deepEqual(await found(...filter.split(' ')), [special.name], filter);
  for (const filter of onlyPlain) assert.deepEqual(await found(...filter.split(' ')), [plain.name], filter);
  assert.deepEqual(await found('--conductor-group', ''), [special.name, plain.name]);
  assert.deepEqual(await found('--conductor', HOST), [special.name, plain.name]);
  assert.deepEqual(await found('--fault', 'power failure'), []);
  if (newest) {
    assert.deepEqual(await found('--include-children'), [special.name, plain.name, child.name]);
    assert.deepEqual(await found('--parent-node', plain.uuid), [child.name]);
  }

  assert.deepEqual(await rows(`node list --marker ${special.uuid} --limit 1`), [
    [plain.uuid, plain.name, null, null, 'enroll', false],
  ]);
  const sorted = await column('uuid', '--sort', 'uuid:desc');
  assert.deepEqual(sorted, sorted.toSorted().toReversed());
  const [long = []] = await rows('node list --long --limit 1');
  assert.ok(long.length > 50);
  assert.match(await refused('node list --provision-state bored'), /bored.*400/);
  assert.match(await refused(`node list --marker ${MISSING}`), /404/);
}

async function set({ done, refused, newest }: Client, site: Site): Promise<void> {
  const node = await site.node();
  const chassis = await site.made('/v1/chassis');
  const [name, instance] = [site.name('node'), site.uuid()];
  await done(
    words(
      `node set ${node.uuid} --name ${name} --chassis-uuid ${chassis.uuid} --instance-uuid ${instance}`,
      '--property cpus=8 --extra rack=r1 --driver-info a=1 --instance-info image_source=http://example.org/i',
      '--owner me --lessee you --description words --resource-class gold --conductor-group ',
      `--automated-clean --retired --retired-reason old --network-data ${NETWORK_DATA} --network-interface noop`,
      FAKE_INTERFACES.map((type) => `--${type}-interface fake`).join(' '),
      newest ? '--shard east --firmware-interface fake --disable-power-off --instance-name i1' : '',
    ),
  );
  assert.partialDeepStrictEqual(await stored(site, node.uuid), {
    name,
    chassis_uuid: chassis.uuid,
    instance_uuid: instance,
    properties: { cpus: 8 },
    extra: { rack: 'r1' },
    driver_info: { a: 1 },
    instance_info: { image_source: 'http://example.org/i' },
    owner: 'me',
    lessee: 'you',
    description: 'words',
    resource_class: 'gold',
    automated_clean: true,
    retired: true,
    retired_reason: 'old',
    network_data: { links: [] },
    ...interfaceFields('fake'),
    ...(newest && { shard: 'east', disable_power_off: true, instance_name: 'i1' }),
  });

  await done(`node set ${name} --target-raid-config ${JSON.stringify(RAID)}`);
  assert.partialDeepStrictEqual(await stored(site, node.uuid), { target_raid_config: RAID });
  await done(`node set ${name} --no-automated-clean --reset-bios-interface --storage-interface noop`);
  assert.partialDeepStrictEqual(await stored(site, node.uuid), {
    automated_clean: false,
    bios_interface: 'fake',
    storage_interface: 'noop',
  });
  await done(`node set ${name} --driver manual-management --reset-interfaces`);
  assert.partialDeepStrictEqual(await stored(site, node.uuid), {
    driver: 'manual-management',
    management_interface: 'noop',
  });
  assert.match(await refused(`node set ${name} --power-interface ipmitool`), /interface.*ipmitool.*400/);
  // only a node in use can be protected
  assert.match(await refused(`node set ${name} --protected --protected-reason mine`), /protected.*409/);
  assert.match(await refused(`node set nobody --property cpus=8`), /nobody.*404/);
}

async function unset({ done, refused, newest }: Client, site: Site): Promise<void> {
  const chassis = await site.made('/v1/chassis');
  const parent = await site.node();
  const { uuid } = await site.node({
    chassis_uuid: chassis.uuid,
    instance_uuid: site.uuid(),
    resource_class: 'gold',
    owner: 'me',
    lessee: 'you',
    description: 'words',
    automated_clean: true,
    retired: true,
    retired_reason: 'old',
    properties: { cpus: 8, arch: 'x' },
    extra: { a: 1 },
    driver_info: { b: 1 },
    instance_info: { c: 1 },
    network_data: JSON.parse(NETWORK_DATA) as unknown,
    storage_interface: 'fake',
    instance_name: 'i1',
    shard: 'east',
    parent_node: parent.uuid,
  });
  await site.put(`/v1/nodes/${uuid}/states/raid`, RAID);
  await done(
    words(
      `node unset ${uuid} --property cpus --extra a --driver-info b --instance-info c --instance-uuid --name`,
      '--resource-class --chassis-uuid --owner --lessee --description --automated-clean --retired --network-data',
      '--protected --protected-reason --retired-reason --conductor-group --target-raid-config --network-interface',
      FAKE_INTERFACES.map((type) => `--${type}-interface`).join(' '),
      newest ? '--instance-name --shard --parent-node --firmware-interface' : '',
    ),
  );
  assert.partialDeepStrictEqual(await stored(site, uuid), {
    name: null,
    chassis_uuid: null,
    instance_uuid: null,
    resource_class: null,
    owner: null,
    lessee: null,
    description: null,
    automated_clean: null,
    retired: false,
    retired_reason: null,
    properties: { arch: 'x' },
    extra: {},
    driver_info: {},
    instance_info: {},
    network_data: {},
    target_raid_config: {},
    ...interfaceFields('fake'),
    storage_interface: 'noop',
    ...(newest && { instance_name: null, shard: null, parent_node: null }),
  });
  assert.match(await refused(`node unset ${uuid} --property absent`), /absent.*400/);
  assert.match(await refused('node unset nobody --name'), /nobody.*404/);
}

async function remove({ done, refused }: Client, site: Site): Promise<void> {
  const [first, second, busy] = [
    await site.node(),
    await site.node(),
    await site.node({ instance_uuid: site.uuid() }),
  ];
  assert.match(await done(`node delete ${first.name}`), new RegExp(first.name));
  assert.match(
    await refused(`node delete nobody ${busy.uuid} ${second.uuid}`),
    /nobody could not be found(.|\n)*is associated with instance/,
  );
  await site.gone(`/v1/nodes/${first.uuid}`);
  await site.gone(`/v1/nodes/${second.uuid}`);
  assert.equal((await stored(site, busy.uuid)).uuid, busy.uuid);
}

export const nodes: Scenarios = {
  'node create': create,
  'node show': show,
  'node list': list,
  'node set': set,
  'node unset': unset,
  'node delete': remove,
};
