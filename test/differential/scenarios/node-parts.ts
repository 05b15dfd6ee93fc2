// The resources below a node: traits, maintenance, power, boot device, indicators, console, RAID, vendor methods and
// more.
import { type Conversation, uuid } from '../conversation.ts';
import { BODIES, type Scenario, withArguments } from './scenario.ts';

const NODE = uuid(1);
const BARE = uuid(2);
const MISSING = uuid(999);
const AT = `/v1/nodes/${NODE}`;

/**
 * Creates a node with the default interfaces of fake-hardware, and one with `no-*` interfaces for BIOS, console, inspection, RAID,
 * rescue and vendor.
 */
async function prepare(both: Conversation): Promise<void> {
  await both.quietly('POST', '/v1/nodes', { uuid: NODE, name: 'full', driver: 'fake-hardware' });
  await both.quietly('POST', '/v1/nodes', {
    uuid: BARE,
    driver: 'fake-hardware',
    bios_interface: 'no-bios',
    console_interface: 'no-console',
    inspect_interface: 'no-inspect',
    raid_interface: 'no-raid',
    rescue_interface: 'no-rescue',
    vendor_interface: 'no-vendor',
  });
}

export const nodeParts: Scenario = async (both) => {
  await prepare(both);
  await traits(both);
  await maintenance(both);
  await power(both);
  await management(both);
  await console(both);
  await raid(both);
  await vendor(both);
};

async function traits(both: Conversation): Promise<void> {
  for (const minor of both.versions(36, 37, 115)) {
    const here = both.at(minor);
    const names = ['CUSTOM_A', 'HW_CPU_X86_VMX', 'custom_a', 'CUSTOM_', 'HW_NONE', 'A'.repeat(300)];
    for (const name of names) await here.sendAll(`PUT ${AT}/traits/${name}`, `PUT ${AT}/traits/${name}`);
    for (const value of [[], names, ['CUSTOM_B', 'CUSTOM_B', 'CUSTOM_A'], 'CUSTOM_A', null, [5], {}])
      for (const body of [{ traits: value }, { traits: value, more: 1 }]) {
        await here.send('PUT', `${AT}/traits`, { body });
        await here.sendAll(`GET ${AT}/traits`);
      }
    for (const body of BODIES) await here.send('PUT', `${AT}/traits`, { body });
    for (const body of BODIES) await here.send('PUT', `${AT}/traits/CUSTOM_C`, { body });
    const many = Array.from({ length: 51 }, (_, index) => `CUSTOM_${index}`);
    await here.send('PUT', `${AT}/traits`, { body: { traits: many } });
    await here.send('PUT', `${AT}/traits`, { body: { traits: many.slice(0, 50) } });
    await here.sendAll(
      `PUT ${AT}/traits/CUSTOM_51`,
      `GET ${AT}/traits`,
      `GET ${AT}/traits/CUSTOM_1`,
      `DELETE ${AT}/traits/CUSTOM_1`,
      `DELETE ${AT}/traits/CUSTOM_1`,
      `DELETE ${AT}/traits`,
      `DELETE ${AT}/traits`,
      `GET /v1/nodes/${MISSING}/traits`,
      `DELETE /v1/nodes/${MISSING}/traits`,
    );
    await here.send('PUT', `/v1/nodes/${MISSING}/traits`, { body: { traits: [] } });
  }
}

async function maintenance(both: Conversation): Promise<void> {
  for (const minor of both.versions(1, 4, 5, 115))
    for (const node of [NODE, 'full', MISSING])
      for (const body of withArguments('reason', ['broken', null, '', 5, {}])) {
        await both.at(minor).send('PUT', `/v1/nodes/${node}/maintenance`, { body });
        await both.at(minor).sendAll(`GET /v1/nodes/${NODE}`);
      }
  await both.sendAll(
    `PUT ${AT}/maintenance?reason=query`,
    `GET ${AT}`,
    `GET ${AT}/maintenance`,
    `POST ${AT}/maintenance`,
    `DELETE ${AT}/maintenance`,
    `DELETE ${AT}/maintenance`,
    `DELETE /v1/nodes/${MISSING}/maintenance`,
    `DELETE ${AT}/maintenance?unknown=1`,
    `GET ${AT}`,
  );
}

const POWER = [
  'power on',
  'power off',
  'rebooting',
  'soft rebooting',
  'soft power off',
  'reboot',
  'on',
  '',
  null,
  5,
];

async function power(both: Conversation): Promise<void> {
  for (const minor of both.versions(1, 26, 27, 115))
    for (const body of [
      ...withArguments('target', POWER),
      ...[0, -1, 5, '5', 'text', null, 1.5].map((timeout) => ({ target: 'power on', timeout })),
    ]) {
      await both.at(minor).send('PUT', `${AT}/states/power`, { body });
      await both.settled(NODE);
      await both.at(minor).sendAll(`GET ${AT}/states`);
    }
  await both.sendAll(`PUT ${AT}/states/power?target=power%20off`);
  await both.settled(NODE);
  await both.sendAll(
    `GET ${AT}/states`,
    `GET ${AT}/states/power`,
    `GET ${AT}/states/unknown`,
    `PUT /v1/nodes/${MISSING}/states/power?target=power%20off`,
  );
}

async function management(both: Conversation): Promise<void> {
  const devices = ['pxe', 'disk', 'cdrom', 'text', '', null, 5];
  for (const body of [
    ...withArguments('boot_device', devices),
    ...[true, 'true', 'maybe', null, 5].map((persistent) => ({ boot_device: 'pxe', persistent })),
  ])
    await both.send('PUT', `${AT}/management/boot_device`, { body });
  await both.sendAll(
    `PUT ${AT}/management/boot_device?boot_device=pxe&persistent=true`,
    `GET ${AT}/management/boot_device`,
    `GET ${AT}/management/boot_device/supported`,
    `GET ${AT}/management/boot_device/unknown`,
    `GET ${AT}/management`,
    `GET /v1/nodes/${MISSING}/management/boot_device`,
    `GET /v1/nodes/full/management/boot_device`,
    `GET ${AT}/management/indicators`,
    `GET ${AT}/management/indicators/led-0@chassis`,
    `GET ${AT}/management/indicators/led@system`,
    `GET ${AT}/management/indicators/led@none`,
    `GET ${AT}/management/indicators/none@system`,
    `GET ${AT}/management/indicators/led`,
    `GET ${AT}/management/indicators/system/led`,
    `GET /v1/nodes/${MISSING}/management/indicators`,
  );
  for (const body of withArguments('state', ['on', 'off', 'blinking', 'text', null, 5]))
    for (const indicator of ['led@system', 'led-0@chassis', 'led@none', 'led'])
      await both.send('PUT', `${AT}/management/indicators/${indicator}`, { body });
  for (const minor of both.versions(28, 29, 115))
    for (const body of BODIES) await both.at(minor).send('PUT', `${AT}/management/inject_nmi`, { body });
  for (const minor of both.versions(75, 76, 115)) {
    for (const body of withArguments('target', ['uefi', 'bios', 'text', null, 5])) {
      await both.at(minor).send('PUT', `${AT}/states/boot_mode`, { body });
      await both.settled(NODE);
    }
    for (const body of withArguments('target', [true, false, 'true', 'text', null, 5])) {
      await both.at(minor).send('PUT', `${AT}/states/secure_boot`, { body });
      await both.settled(NODE);
    }
  }
}

async function console(both: Conversation): Promise<void> {
  for (const node of [NODE, BARE, MISSING]) {
    for (const body of withArguments('enabled', [true, false, 'true', 'maybe', null, 5])) {
      await both.send('PUT', `/v1/nodes/${node}/states/console`, { body });
      await both.settled(node);
      await both.sendAll(`GET /v1/nodes/${node}/states/console`, `GET /v1/nodes/${node}/states`);
    }
    await both.sendAll(`PUT /v1/nodes/${node}/states/console?enabled=true`);
    await both.settled(node);
  }
  await both.sendAll(`PUT ${AT}/states/console?enabled=false`);
  await both.settled(NODE);
}

async function raid(both: Conversation): Promise<void> {
  const disk = { raid_level: '1', size_gb: 100 };
  const bodies: readonly unknown[] = [
    ...BODIES,
    { logical_disks: [] },
    { logical_disks: [disk] },
    { logical_disks: [{ ...disk, size_gb: 'MAX', is_root_volume: true, volume_name: 'v' }] },
    {
      logical_disks: [
        { ...disk, is_root_volume: true },
        { ...disk, is_root_volume: true },
      ],
    },
    { logical_disks: [{ size_gb: 1 }] },
    { logical_disks: [{ ...disk, raid_level: '7' }] },
    { logical_disks: [{ ...disk, size_gb: -1 }] },
    { logical_disks: [{ ...disk, unknown: 1 }] },
    { logical_disks: [{ ...disk, physical_disks: ['a'] }] },
    { logical_disks: [{ ...disk, physical_disks: ['a'], controller: 'c' }] },
    { logical_disks: [{ ...disk, number_of_physical_disks: 0 }] },
    { logical_disks: [{ ...disk, disk_type: 'tape' }] },
    { logical_disks: [disk], unknown: 1 },
  ];
  for (const minor of both.versions(11, 12, 115))
    for (const node of [NODE, BARE, MISSING])
      for (const body of bodies) {
        await both.at(minor).send('PUT', `/v1/nodes/${node}/states/raid`, { body });
        await both.at(minor).sendAll(`GET /v1/nodes/${node}/states`);
      }
}

async function vendor(both: Conversation): Promise<void> {
  const methods = [
    'second_method',
    'third_method_sync',
    'fourth_method_shared_lock',
    'log_passthrough',
    'unknown',
  ];
  for (const name of methods)
    for (const node of [NODE, BARE, MISSING])
      for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'] as const)
        for (const body of [undefined, {}, { bar: 'meow' }, '{', [], { bar: 'meow', more: 1 }]) {
          await both.send(method, `/v1/nodes/${node}/vendor_passthru/${name}`, { body });
          await both.settled(node);
        }
  await both.send('POST', `${AT}/vendor_passthru?method=third_method_sync`, { body: { bar: 'meow' } });
  await both.send('POST', `${AT}/vendor_passthru?method=third_method_sync&bar=meow`);
  await both.sendAll(
    `POST ${AT}/vendor_passthru`,
    `GET ${AT}/vendor_passthru`,
    `GET /v1/nodes/${BARE}/vendor_passthru/methods`,
    `GET /v1/nodes/${MISSING}/vendor_passthru/methods`,
    'GET /v1/drivers/fake-hardware/vendor_passthru/methods',
    'POST /v1/drivers/fake-hardware/vendor_passthru/unknown',
    'POST /v1/drivers/fake-hardware/vendor_passthru?method=unknown',
    'POST /v1/drivers/none/vendor_passthru/unknown',
    'GET /v1/drivers/none/vendor_passthru/methods',
    'GET /v1/drivers/none/properties',
    'GET /v1/drivers/none/raid/logical_disk_properties',
    'GET /v1/drivers/none',
  );
}
