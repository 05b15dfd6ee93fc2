// The baremetal client's commands that concern a node's machine, such as those for power, boot, consoles, BIOS settings and VIFs.
import assert from 'node:assert/strict';
import type { ApiNode } from '../../../fakes/daemon/daemon-process.ts';
import { MISSING, REPORT, type Site } from '../site.ts';
import type { Client, Scenario, Scenarios } from './scenario.ts';

/** The command is accepted and soon makes the node fulfil `reached`; for an unknown node it is refused. */
const leadsTo =
  (
    command: string,
    prepare: (site: Site) => Promise<ApiNode>,
    reached: (node: ApiNode) => boolean,
    words = '',
  ): Scenario =>
  async ({ done, refused }, site) => {
    const node = await prepare(site);
    assert.equal(reached(node), false);
    await done(`node ${command} ${node.uuid} ${words}`.trim());
    await site.nodeWhen(node.uuid, reached);
    assert.match(await refused(`node ${command} nobody ${words}`.trim()), /nobody could not be found/);
  };

async function powerOff({ done, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.node({}, 'manageable');
  const off = () => site.nodeWhen(uuid, ({ power_state }) => power_state === 'power off');
  await done(`node power off ${uuid}`);
  await off();
  await done(`node power on ${uuid}`);
  await site.nodeWhen(uuid, ({ power_state }) => power_state === 'power on');
  await done(`node power off ${uuid} --soft --power-timeout 5`);
  await off();
  const kept = await site.node({ disable_power_off: true }, 'manageable');
  assert.match(await refused(`node power off ${kept.uuid}`), /409/);
}

async function reboot({ done, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.poweredOff();
  await done(`node reboot ${uuid}`);
  await site.nodeWhen(uuid, ({ power_state }) => power_state === 'power on');
  await done(`node reboot ${uuid} --soft --power-timeout 5`);
  await site.nodeWhen(uuid, ({ target_power_state }) => target_power_state === null);
  assert.match(await refused('node reboot nobody'), /nobody could not be found/);
}

async function manage({ done, refused }: Client, site: Site): Promise<void> {
  const node = await site.node();
  await done(`node manage ${node.name} --wait 20`);
  assert.equal((await site.daemon.node(node.uuid)).provision_state, 'manageable');
  assert.match(
    await refused(`node manage ${node.name}`),
    /"manage" can not be performed on node .* while it is in state "manageable".*400/,
  );
  const bare = await site.node({ driver: 'ipmi' });
  assert.match(await refused(`node manage ${bare.uuid} --wait 20`), /unexpected stable state enroll/);
  assert.match((await site.daemon.node(bare.uuid)).last_error ?? '', /ipmi_address/);
}

async function provide({ done, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.node({}, 'manageable');
  await done(`node provide ${uuid} --wait 20`);
  assert.equal((await site.daemon.node(uuid)).provision_state, 'available');
  const old = await site.node({ retired: true }, 'manageable');
  assert.match(await refused(`node provide ${old.uuid}`), /retired.*400/);
}

async function inspect({ done, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.node({}, 'manageable');
  await done(`node inspect ${uuid} --wait 20`);
  assert.partialDeepStrictEqual(await site.daemon.node(uuid), {
    provision_state: 'manageable',
    last_error: null,
  });
  const enrolled = await site.node();
  assert.match(await refused(`node inspect ${enrolled.uuid}`), /"inspect" can not .* "enroll".*400/);
}

async function abort({ done, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.node(
    { driver: 'manual-management', inspect_interface: 'agent' },
    'inspect wait',
  );
  await done(`node abort ${uuid}`);
  const failed = await site.nodeWhen(uuid, ({ provision_state }) => provision_state === 'inspect failed');
  assert.match(failed.last_error ?? '', /aborted by request/);
  assert.match(await refused(`node abort ${uuid}`), /"abort" can not be performed.*400/);
}

async function inventory({ done, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.inspected();
  const saved = JSON.parse(await done(`node inventory save ${uuid}`)) as object;
  assert.partialDeepStrictEqual(saved, { inventory: (REPORT as { inventory: object }).inventory });
  const bare = await site.node();
  assert.match(await refused(`node inventory save ${bare.uuid}`), /Inventory for node .* was not found/);
}

async function showConsole({ json, refused }: Client, site: Site): Promise<void> {
  const without = await site.able();
  assert.deepEqual(await json(`node console show ${without.uuid}`), {
    console_enabled: false,
    console_info: null,
  });
  const { uuid } = await site.withConsole();
  assert.deepEqual(await json(`node console show ${uuid}`), {
    console_enabled: true,
    console_info: { type: 'socat', url: 'tcp://192.0.2.1:10000' },
  });
  assert.match(await refused('node console show nobody'), /nobody.*404/);
}

async function securely(site: Site): Promise<ApiNode> {
  const { uuid } = await site.able();
  await site.put(`/v1/nodes/${uuid}/states/secure_boot`, { target: true });
  return site.nodeWhen(uuid, ({ secure_boot }) => secure_boot === true);
}

async function setBootDevice({ done, json, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.able();
  await done(`node boot device set ${uuid} disk --persistent`);
  assert.deepEqual(await json(`node boot device show ${uuid}`), { boot_device: 'disk', persistent: true });
  const fake = await site.node({}, 'manageable');
  assert.match(await refused(`node boot device set ${fake.uuid} disk`), /boot_device.*disk.*pxe.*400/);
}

async function showBootDevice({ json, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.node({}, 'manageable');
  assert.deepEqual(await json(`node boot device show ${uuid}`), { boot_device: 'pxe', persistent: false });
  assert.deepEqual(await json(`node boot device show ${uuid} --supported`), {
    supported_boot_devices: 'pxe',
  });
  assert.match(await refused(`node boot device show ${MISSING}`), /404/);
}

async function injectNmi({ done, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.able();
  await done(`node inject nmi ${uuid}`);
  assert.partialDeepStrictEqual(await site.daemon.node(uuid), { driver_internal_info: { interrupts: 1 } });
  const fake = await site.node({}, 'manageable');
  assert.match(await refused(`node inject nmi ${fake.uuid}`), /does not support.*400/);
}

async function attachVif({ done, refused, newest }: Client, site: Site): Promise<void> {
  const { uuid } = await site.able();
  const port = await site.made('/v1/ports', { node_uuid: uuid, address: site.mac() });
  const group = await site.made('/v1/portgroups', { node_uuid: uuid });
  await done(`node vif attach ${uuid} vif-1 --vif-info vlan=7`);
  await done(`node vif attach ${uuid} vif-2 --port-uuid ${port.uuid}`);
  if (newest) await done(`node vif attach ${uuid} vif-3 --portgroup-uuid ${group.uuid}`);
  const { driver_internal_info } = await site.daemon.node(uuid);
  assert.deepEqual(driver_internal_info['vifs'], [
    { id: 'vif-1', vlan: 7 },
    { id: 'vif-2', port_uuid: port.uuid },
    ...(newest ? [{ id: 'vif-3', portgroup_uuid: group.uuid }] : []),
  ]);
  assert.match(await refused(`node vif attach ${uuid} vif-1`), /vif-1 is already attached.*409/);
}

async function detachVif({ done, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.withVif();
  await done(`node vif detach ${uuid} vif-1`);
  assert.deepEqual(await site.shown(`/v1/nodes/${uuid}/vifs`), { vifs: [] });
  assert.match(await refused(`node vif detach ${uuid} vif-1`), /vif-1 is not attached.*400/);
}

async function listVifs({ rows, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.withVif();
  assert.deepEqual(await rows(`node vif list ${uuid}`), [['vif-1']]);
  assert.match(await refused('node vif list nobody'), /nobody.*404/);
}

const settings = [
  { name: 'Virtualization', value: 'Enabled', attribute_type: 'Enumeration', read_only: false },
  { name: 'Asset', value: null },
];

async function listBios({ rows, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.able({ driver_info: { settings } });
  assert.deepEqual(await rows(`node bios setting list ${uuid} --fields name value`), [
    ['Asset', null],
    ['Virtualization', 'Enabled'],
  ]);
  const [, long = []] = await rows(`node bios setting list ${uuid} --long`);
  assert.ok(long.length > 8 && long.includes('Enumeration'), JSON.stringify(long));
  assert.match(await refused('node bios setting list nobody'), /nobody.*404/);
}

async function showBios({ json, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.able({ driver_info: { settings } });
  assert.partialDeepStrictEqual(await json(`node bios setting show ${uuid} Virtualization`), settings[0]);
  assert.match(await refused(`node bios setting show ${uuid} Other`), /Other.*404/);
}

async function listFirmware({ rows, refused }: Client, site: Site): Promise<void> {
  const firmware = [{ component: 'bmc', current_version: '1.0' }];
  const { uuid } = await site.able({ driver_info: { firmware } });
  const [row = []] = await rows(`node firmware list ${uuid}`);
  assert.ok(row.includes('bmc') && row.includes('1.0'), JSON.stringify(row));
  assert.match(await refused('node firmware list nobody'), /nobody.*404/);
}

async function passthru({ done, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.able();
  const call = `node passthru call ${uuid}`;
  for (const verb of ['POST', 'PUT', 'PATCH']) {
    assert.equal(
      await done(`${call} echo --http-method ${verb} --arg a=1`),
      `{'verb': '${verb}', 'given': {'a': 1}}\n`,
    );
  }
  // the client sends no arguments with GET and DELETE
  assert.equal(await done(`${call} echo --http-method GET`), "{'verb': 'GET', 'given': {}}\n");
  await done(`${call} echo --http-method DELETE`);
  await done(`${call} keep --arg a=1`);
  await site.nodeWhen(uuid, ({ driver_internal_info }) => driver_internal_info['kept'] !== undefined);
  assert.match(await refused(`${call} refuse`), /not now.*409/);
  assert.match(await refused(`${call} unheard_of`), /unheard_of.*400/);
  assert.match(await refused(`${call} peek --http-method PUT`), /PUT.*400/);
}

async function listPassthru({ rows, refused }: Client, site: Site): Promise<void> {
  const { uuid } = await site.node();
  const methods = await rows(`node passthru list ${uuid}`);
  assert.deepEqual(
    methods.find(([name]) => name === 'third_method_sync'),
    ['third_method_sync', 'POST', false, 'Returns whether bar is "meow".', false],
  );
  assert.match(await refused('node passthru list nobody'), /nobody.*404/);
}

export const machines: Scenarios = {
  'node manage': manage,
  'node provide': provide,
  'node inspect': inspect,
  'node abort': abort,
  'node power on': leadsTo(
    'power on',
    (site) => site.poweredOff(),
    ({ power_state }) => power_state === 'power on',
    '--power-timeout 5',
  ),
  'node power off': powerOff,
  'node reboot': reboot,
  'node boot device set': setBootDevice,
  'node boot device show': showBootDevice,
  'node boot mode set': leadsTo(
    'boot mode set',
    (site) => site.able(),
    ({ boot_mode }) => boot_mode === 'uefi',
    'uefi',
  ),
  'node secure boot on': leadsTo(
    'secure boot on',
    (site) => site.able(),
    ({ secure_boot }) => secure_boot === true,
  ),
  'node secure boot off': leadsTo('secure boot off', securely, ({ secure_boot }) => secure_boot === false),
  'node console enable': leadsTo(
    'console enable',
    (site) => site.able(),
    ({ console_enabled }) => console_enabled,
  ),
  'node console disable': leadsTo(
    'console disable',
    (site) => site.withConsole(),
    ({ console_enabled }) => !console_enabled,
  ),
  'node console show': showConsole,
  'node inject nmi': injectNmi,
  'node vif attach': attachVif,
  'node vif detach': detachVif,
  'node vif list': listVifs,
  'node bios setting list': listBios,
  'node bios setting show': showBios,
  'node firmware list': listFirmware,
  'node inventory save': inventory,
  'node passthru call': passthru,
  'node passthru list': listPassthru,
};
