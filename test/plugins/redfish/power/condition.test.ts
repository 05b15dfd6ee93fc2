import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redfishManagement } from '../../../../plugins/redfish/management/management.ts';
import { readCondition } from '../../../../plugins/redfish/power/condition.ts';
import { redfishPower } from '../../../../plugins/redfish/power/power.ts';
import { type RedfishLab, redfishLab } from '../redfish-lab.ts';

/** What the daemon does at each synchronization of power states. */
async function synchronized({ task, bmc }: RedfishLab) {
  bmc.forget();
  await redfishPower.getPowerState(task);
  const condition = await readCondition(task);
  return { condition, requests: bmc.forget() };
}

test('health and boot mode come with the power state; Secure Boot costs a request once an hour', async (t) => {
  const lab = await redfishLab(t);
  const { condition } = await synchronized(lab);
  assert.deepEqual(condition, { health: 'OK', boot_mode: 'uefi', secure_boot: false });
  lab.machine.health = 'Critical';
  lab.machine.boot.BootSourceOverrideMode = 'Legacy';
  const later = await synchronized(lab);
  assert.deepEqual(later.condition, { health: 'Critical', boot_mode: 'bios', secure_boot: false });
  assert.deepEqual(later.requests, ['GET /redfish/v1/Systems/1']);
  for (let minutes = 2; minutes < 60; minutes += 2) {
    await lab.task.clock.advance(120_000);
    assert.equal((await synchronized(lab)).requests.length, 1, `${minutes} minutes`);
  }
  await lab.task.clock.advance(120_000);
  assert.equal((await synchronized(lab)).requests.length, 2);
});

test('a boot mode that only the settings resource has is not read again at the next synchronization', async (t) => {
  const lab = await redfishLab(t, { shape: 'dell10' });
  assert.equal((await synchronized(lab)).condition.boot_mode, 'uefi');
  assert.equal((await synchronized(lab)).requests.length, 1);
});

test('a change of Secure Boot by the daemon is seen at once', async (t) => {
  const lab = await redfishLab(t, { options: { boot_mode_config_timeout: 0 } });
  await synchronized(lab);
  await redfishManagement.setSecureBoot?.(lab.task, true);
  lab.machine.secureBoot = true;
  assert.equal((await synchronized(lab)).condition.secure_boot, true);
});

test('a BMC without licence for Secure Boot, or without a boot mode or a valid health, reports only the rest', async (t) => {
  const unlicensed = await redfishLab(t, { shape: 'supermicro' });
  assert.deepEqual((await synchronized(unlicensed)).condition, { health: 'OK', boot_mode: 'uefi' });
  const modeless = await redfishLab(t, { shape: 'hpe' });
  modeless.machine.health = 'Rollup';
  assert.deepEqual((await synchronized(modeless)).condition, { health: null, secure_boot: false });
});

test('Secure Boot or boot settings that a BMC does not show leave the rest, and the boot device is that of the system', async (t) => {
  const lab = await redfishLab(t, { shape: 'dell10' });
  const { system } = lab.bmc.paths;
  for (const path of [`${system}/SecureBoot`, `${system}/Settings`])
    lab.bmc.faults.add({ method: 'GET', path, times: 99, does: { kind: 'answer', status: 400 } });
  assert.deepEqual((await synchronized(lab)).condition, { health: 'OK' });
  assert.equal(await redfishManagement.getSecureBoot?.(lab.task), null);
  assert.equal(await redfishManagement.getBootMode?.(lab.task), null);
  assert.deepEqual(await redfishManagement.getBootDevice(lab.task), { boot_device: null, persistent: null });
});
