import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import type { Port, Task } from '../../../../daemon/plugin-api/index.ts';
import { httpsBoot } from '../../../../plugins/redfish/boot/https-boot.ts';
import { virtualMediaBoot } from '../../../../plugins/redfish/boot/virtual-media-boot.ts';
import { redfishManagement } from '../../../../plugins/redfish/management/management.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { type LabSettings, redfishLab } from '../redfish-lab.ts';

const images = {
  deploy_kernel: 'http://images.example/kernel',
  deploy_ramdisk: 'http://images.example/ramdisk',
};
const agent = { 'ipa-api-url': 'http://10.0.0.1:6385' };
const URL_OF_CD = 'http://192.0.2.9/secret/1/boot.iso';

async function bootLab(t: TestContext, settings: LabSettings = {}) {
  const lab = await redfishLab(t, {
    ...settings,
    info: { ...images, ...settings.info },
    node: { provision_state: 'cleaning', ...settings.node },
    task: { driver: { management: redfishManagement, power: redfishPower }, ...settings.task },
  });
  const setPower: Task['setPower'] = (target) => redfishPower.setPowerState(lab.task, target, 60);
  Object.assign(lab.task, { setPower });
  return lab;
}

test('to boot a ramdisk, the machine is powered off, and a CD is inserted and set as the device for one boot', async (t) => {
  const { machine, task } = await bootLab(t);
  machine.power = 'On';
  await virtualMediaBoot.prepareRamdisk?.(task, agent);
  assert.equal(machine.power, 'Off');
  assert.equal(machine.media['CD']?.image, URL_OF_CD);
  assert.deepEqual(
    [machine.boot.BootSourceOverrideTarget, machine.boot.BootSourceOverrideEnabled],
    ['Cd', 'Once'],
  );
  assert.match(
    task.done.join('\n'),
    /serve CD \{.*"boot_method":"vmedia","ipa-api-url":"http:\/\/10\.0\.0\.1:6385"\}/,
  );
});

test('a boot needs at most five requests once paths and quirks of the BMC are known', async (t) => {
  const { bmc, task } = await bootLab(t, { differences: { expand: true } });
  await virtualMediaBoot.prepareRamdisk?.(task, agent);
  await virtualMediaBoot.cleanUpRamdisk?.(task);
  await redfishPower.getPowerState(task);
  bmc.forget();
  await virtualMediaBoot.prepareRamdisk?.(task, agent);
  const requests = bmc.forget();
  assert.ok(requests.length <= 5, requests.join('\n'));
});

test('after its agent has ended, a rescue system keeps running and keeps its CD', async (t) => {
  const { machine, task } = await bootLab(t, { node: { provision_state: 'rescuing' } });
  await virtualMediaBoot.prepareRamdisk?.(task, agent);
  machine.power = 'On';
  await virtualMediaBoot.cleanUpRamdisk?.(task);
  assert.deepEqual([machine.power, machine.media['CD']?.image], ['On', URL_OF_CD]);
});

test('after a ramdisk, the machine is powered off before the drive is emptied, and the CD is no longer served', async (t) => {
  const { bmc, machine, task } = await bootLab(t);
  await virtualMediaBoot.prepareRamdisk?.(task, agent);
  machine.power = 'On';
  bmc.forget();
  await virtualMediaBoot.cleanUpRamdisk?.(task);
  const requests = bmc.forget();
  const [off, eject] = ['Reset', 'EjectMedia'].map((word) =>
    requests.findIndex((each) => each.endsWith(word)),
  );
  assert.ok((off ?? -1) >= 0 && (off ?? 0) < (eject ?? -1), requests.join('\n'));
  assert.equal(machine.media['CD']?.inserted, false);
  assert.equal(task.done.at(-1), 'withdraw the network boot');
});

test('the ramdisk gets the address of the only port, and a CD image of the operator is used unchanged', async (t) => {
  const port = { address: '52:54:00:cc:00:01', pxe_enabled: true } as Port;
  const own = await bootLab(t, { task: { ports: [port] } });
  await virtualMediaBoot.prepareRamdisk?.(own.task, agent);
  assert.match(own.task.done.join(), /"BOOTIF":"52:54:00:cc:00:01"/);
  const iso = await bootLab(t, { info: { deploy_iso: 'http://images.example/ipa.iso' } });
  await virtualMediaBoot.prepareRamdisk?.(iso.task, agent);
  assert.match(iso.task.done.join(), /serve CD http:\/\/images\.example\/ipa\.iso/);
});

test('validation refuses an external_http_url that is no URL', async (t) => {
  const { task } = await bootLab(t, { info: { external_http_url: '198.51.100.1' } });
  await assert.rejects(
    async () => virtualMediaBoot.validate(task),
    /external_http_url.*an http or https URL/,
  );
});

test('an instance boots from the disk, or from a CD at every boot', async (t) => {
  const { machine, task } = await bootLab(t);
  await virtualMediaBoot.bootSystem?.(task, { kind: 'iso', iso: 'http://images.example/live.iso' }, true);
  assert.deepEqual(
    [machine.boot.BootSourceOverrideTarget, machine.boot.BootSourceOverrideEnabled],
    ['Cd', 'Continuous'],
  );
  await virtualMediaBoot.prepareInstance?.(task);
  assert.equal(machine.boot.BootSourceOverrideTarget, 'Hdd');
  assert.equal(machine.media['CD']?.inserted, false);
});

test('UEFI downloads the CD itself where the BMC takes its URL', async (t) => {
  const { machine, task } = await bootLab(t);
  await httpsBoot.validateMachine?.(task);
  await httpsBoot.prepareRamdisk?.(task, agent);
  assert.deepEqual(
    [machine.boot.BootSourceOverrideTarget, machine.boot.HttpBootUri],
    ['UefiHttp', URL_OF_CD],
  );
  await httpsBoot.prepareInstance?.(task);
  assert.equal(machine.boot.HttpBootUri, null);
});

test('a BMC that takes no URL to boot from is refused before the power changes', async (t) => {
  const { machine, task } = await bootLab(t, { differences: { hasHttpBootUri: false } });
  machine.power = 'On';
  await rejectsFault(
    httpsBoot.prepareRamdisk?.(task, agent) ?? Promise.resolve(),
    'UnsupportedDriverExtension',
    /takes no URL to boot from/,
  );
  assert.equal(machine.power, 'On');
  const openbmc = await bootLab(t, { shape: 'openbmc' });
  await rejectsFault(
    httpsBoot.validateMachine?.(openbmc.task) ?? Promise.resolve(),
    'UnsupportedDriverExtension',
    /does not offer UefiHttp/,
  );
});

test('validation names what is missing, and sends no request', async (t) => {
  const lacking = await bootLab(t, { info: { deploy_kernel: '' } });
  await rejectsFault(
    (async () => virtualMediaBoot.validate(lacking.task))(),
    'DriverInfoMissing',
    /deploy_kernel/,
  );
  const closed = await bootLab(t, { task: { bootObstacle: 'the daemon serves no boot files' } });
  await rejectsFault(
    (async () => virtualMediaBoot.validate(closed.task))(),
    'UnsupportedDriverExtension',
    /no boot files/,
  );
  assert.deepEqual(closed.bmc.requests, []);
});
