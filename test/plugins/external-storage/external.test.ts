import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  BootInterface,
  Driver,
  DriverInterface,
  Json,
  JsonObject,
  Node,
  Task,
} from '../../../daemon/plugin-api/index.ts';
import { directDeploy } from '../../../plugins/agent/deploy/direct.ts';
import { ramdiskDeploy } from '../../../plugins/agent/deploy/ramdisk.ts';
import { externalStorage } from '../../../plugins/external-storage/external.ts';
import { httpIpxeBoot, ipxeBoot, pxeBoot } from '../../../plugins/pxe/boot.ts';
import { rejectsFault } from '../../fakes/faults.ts';
import { fakeTask, notingBootDevices } from '../../fakes/task.ts';

const UUID = '22222222-2222-4333-8444-555555555555';
const IQN = 'iqn.2026-01.example.storage:disk-1';
const complete = { target_portal: '192.0.2.1:3260', target_iqn: IQN, target_lun: '1' };
const chap = { auth_method: 'CHAP', auth_username: 'machine', auth_password: 'a secret' };

const common = { extra: {}, created_at: null, updated_at: null, node_uuid: UUID } as const;
const target = (properties: JsonObject, boot_index = 0, volume_type = 'iscsi') => ({
  ...common,
  uuid: `0000000${boot_index}-2222-4333-8444-555555555555`,
  volume_type,
  volume_id: 'v',
  boot_index,
  properties,
});
const connector = (connector_id: string, type = 'iqn') => ({ ...common, uuid: UUID, type, connector_id });
const named = [connector('iqn.2026-01.example:node-1')];

interface Case {
  readonly targets?: readonly ReturnType<typeof target>[];
  readonly connectors?: typeof named;
  readonly node?: Partial<Node>;
  readonly boot?: BootInterface;
  readonly deploy?: Driver['deploy'];
}

function scene({ targets, connectors, node, boot = ipxeBoot, deploy = directDeploy }: Case = {}) {
  const devices: string[] = [];
  const task = fakeTask({
    node: {
      boot_interface: 'ipxe',
      deploy_interface: 'direct',
      driver_info: { deploy_kernel: 'http://i/kernel', deploy_ramdisk: 'http://i/ramdisk' },
      provision_state: 'deploying',
      ...node,
    },
    volumes: { connectors: connectors ?? named, targets: targets ?? [target({ ...complete, ...chap })] },
    configuration: {
      pxe: { kernel_append_params: '' },
      deploy: { default_boot_mode: 'uefi' },
      conductor: {},
    },
    driver: {
      boot,
      deploy,
      storage: externalStorage,
      management: notingBootDevices(devices),
    },
  });
  return { task, devices };
}

const validated = async (one: DriverInterface, task: Task): Promise<void> => one.validate(task);
const refused = (given: Case, message: RegExp, code = 'InvalidParameter') =>
  rejectsFault(validated(externalStorage, scene(given).task), code, message);

test('the volume with boot index 0 is what the instance boots, and the other iSCSI volumes are attached', async () => {
  const other = { ...complete, target_portal: '[2001:db8::1]', target_lun: 300 };
  const { task } = scene({
    targets: [target(other, 1), target({}, 2, 'fibre_channel'), target({ ...complete, ...chap })],
  });
  await externalStorage.validate(task);
  assert.deepEqual(await externalStorage.instanceSystem?.(task), {
    kind: 'volume',
    initiator: 'iqn.2026-01.example:node-1',
    login: { username: 'machine', password: 'a secret' },
    volumes: [
      [{ portal: '192.0.2.1:3260', target: IQN, lun: 1 }],
      [{ portal: '[2001:db8::1]', target: IQN, lun: 300 }],
    ],
  });
});

test('several ways to a volume are lists of portals, and of targets and LUNs or one of these; the first two are used', async () => {
  const { task } = scene({
    targets: [
      target({
        target_portals: ['192.0.2.1:3260', '192.0.2.2:3260', '192.0.2.3:3260'],
        target_iqns: [IQN, `${IQN}-b`, `${IQN}-c`],
        target_lun: 0,
      }),
    ],
  });
  const system = await externalStorage.instanceSystem?.(task);
  assert.deepEqual(system?.kind === 'volume' && system.volumes, [
    [
      { portal: '192.0.2.1:3260', target: IQN, lun: 0 },
      { portal: '192.0.2.2:3260', target: `${IQN}-b`, lun: 0 },
    ],
  ]);
});

test('an image, or no volume with boot index 0, means an instance on a disk, whatever the records lack', async () => {
  const cases: readonly Case[] = [
    { node: { instance_info: { image_source: 'http://i/image' } }, connectors: [] },
    { targets: [target({}, 1)], connectors: [] },
    { targets: [] },
  ];
  for (const given of cases) {
    const { task } = scene({ ...given, boot: pxeBoot });
    await externalStorage.validate(task);
    assert.equal(await externalStorage.instanceSystem?.(task), null);
  }
});

test('validation says what the records lack', async () => {
  const withProperties = (changes: Readonly<Record<string, Json | undefined>>): Case => ({
    targets: [
      target(
        Object.fromEntries(
          Object.entries({ ...complete, ...changes }).filter(([, value]) => value !== undefined),
        ),
      ),
    ],
  });
  const cases: readonly (readonly [Case, RegExp])[] = [
    [{ connectors: [] }, /volume connectors of the node: none has type iqn/],
    [{ connectors: [connector('x', 'wwpn')] }, /none has type iqn/],
    [{ connectors: [...named, ...named] }, /2 have type iqn/],
    [{ connectors: [connector('node-1')] }, /"node-1" is not the name of an initiator/],
    [{ targets: [target(complete, 0, 'fibre_channel')] }, /volume_type "fibre_channel" cannot be booted/],
    [withProperties({ target_portal: undefined }), /properties\/target_portal is missing/],
    [withProperties({ target_iqn: '' }), /properties\/target_iqn is missing/],
    [withProperties({ target_lun: undefined }), /properties\/target_lun is missing/],
    [withProperties({ target_lun: 'one' }), /is not a LUN/],
    [withProperties({ target_lun: true }), /is not a LUN/],
    [withProperties({ target_portal: '192.0.2.1:3260\nshell' }), /is not a portal/],
    [withProperties({ target_iqn: `${IQN} || shell` }), /is not the name of a target/],
    [
      withProperties({
        target_portal: undefined,
        target_portals: ['a', 'b', 'c'],
        target_luns: [1, 2],
        target_lun: undefined,
      }),
      /properties\/target_luns has 2 values; expected one, or as many as target_portals has: 3/,
    ],
    [withProperties({ ...chap, auth_method: 'KRB5' }), /auth_method "KRB5" is unknown/],
    [withProperties({ auth_method: 'CHAP' }), /auth_username is missing/],
    [withProperties({ auth_username: 'machine' }), /auth_password is missing/],
    [
      {
        targets: [target({ ...complete, ...chap }), target({ ...complete, ...chap, auth_password: 'b' }, 1)],
      },
      /another than that of another volume/,
    ],
    [
      { node: { properties: { capabilities: 'iscsi_boot:false' } } },
      /capability iscsi_boot: "false"; expected true/,
    ],
  ];
  for (const [given, message] of cases) await refused(given, message);
});

test('validation names an interface that cannot boot from a volume', async () => {
  const code = 'UnsupportedDriverExtension';
  await refused({ boot: pxeBoot, node: { boot_interface: 'pxe' } }, /through boot interface pxe/, code);
  await refused(
    { deploy: ramdiskDeploy, node: { deploy_interface: 'ramdisk' } },
    /deploy interface ramdisk/,
    code,
  );
});

test('a deployment boots no ramdisk, writes nothing, and makes the machine boot its volume at every boot', async () => {
  for (const boot of [ipxeBoot, httpIpxeBoot]) {
    const { task, devices } = scene({ boot });
    await directDeploy.validate(task);
    await directDeploy.prepare?.(task);
    const steps = Object.values(directDeploy.steps ?? {}).toSorted(
      (one, other) => (other.priorities.deploy ?? 0) - (one.priorities.deploy ?? 0),
    );
    for (const step of steps) assert.equal(await step.run(task, {}), 'done');
    assert.deepEqual(task.done, [
      'set power off',
      `serve ${boot === ipxeBoot ? 'ipxe' : 'http-ipxe'} 1 volumes`,
      'set power on',
    ]);
    assert.deepEqual(devices, ['pxe persistently']);
  }
});

test('the machine boots its volume again after a service and a rescue, and when the node is adopted', async () => {
  for (const operation of ['takeOver', 'tearDownService'] as const) {
    const { task } = scene();
    await directDeploy[operation]?.(task);
    assert.ok(task.done.includes('serve ipxe 1 volumes'), operation);
  }
});

test('Secure Boot is refused, because firmware does not start iPXE then', async () => {
  const { task } = scene({ node: { properties: { capabilities: 'secure_boot:true' } } });
  await rejectsFault(
    validated(directDeploy, task),
    'UnsupportedDriverExtension',
    /firmware with Secure Boot does not start iPXE/,
  );
});
