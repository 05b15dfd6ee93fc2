// OpenStack's own Redfish emulator as the BMC: power, boot device and mode, MAC addresses, virtual media, Secure Boot.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { getBootDevice, setBootDevice } from '../../../plugins/redfish/management/boot-device.ts';
import { getBootMode } from '../../../plugins/redfish/management/boot-mode.ts';
import { getMacAddresses } from '../../../plugins/redfish/management/mac-addresses.ts';
import { getSecureBoot } from '../../../plugins/redfish/management/secure-boot.ts';
import {
  attachVirtualMedia,
  detachVirtualMedia,
  listVirtualMedia,
} from '../../../plugins/redfish/management/media/virtual-media.ts';
import { redfishPower } from '../../../plugins/redfish/power/power.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { fakeTask } from '../../fakes/task.ts';
import { defaults } from '../../plugins/redfish/redfish-lab.ts';
import { skipWithoutSushyTools, sushyEmulator } from '../../setup/sushy-tools.ts';

const UUID = '11111111-1111-4111-8111-111111111111';

async function startEmulator(t: TestContext): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'sushy-'));
  const port = await freeTcpPort();
  const settings = {
    SUSHY_EMULATOR_FAKE_DRIVER: 'True',
    SUSHY_EMULATOR_LISTEN_IP: "'127.0.0.1'",
    SUSHY_EMULATOR_LISTEN_PORT: String(port),
    SUSHY_EMULATOR_STATE_DIR: `'${directory}'`,
    SUSHY_EMULATOR_FAKE_SYSTEMS: `[{'uuid': '${UUID}', 'name': 'alpha', 'power_state': 'Off', 'external_notifier': False, 'nics': [{'mac': '52:54:00:aa:00:01', 'ip': '192.0.2.11'}]}]`,
  };
  const file = path.join(directory, 'emulator.conf');
  writeFileSync(
    file,
    Object.entries(settings)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join(''),
  );
  const child = spawn(sushyEmulator, ['--config', file], { stdio: 'ignore' });
  t.after(async () => {
    child.kill();
    await once(child, 'exit');
    rmSync(directory, { recursive: true, force: true });
  });
  const address = `http://127.0.0.1:${port}`;
  for (let attempt = 0; attempt < 150; attempt += 1) {
    const isUp = await fetch(`${address}/redfish/v1/`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return address;
    await sleep(200);
  }
  throw new Error('the emulator does not answer');
}

/** A task that really waits, at most half a second at a time, because the emulated machine takes seconds to change its power. */
async function emulatedTask(t: TestContext) {
  const address = await startEmulator(t);
  const task = fakeTask({
    node: { driver: 'redfish', driver_info: { redfish_address: address } },
    configuration: { redfish: defaults },
  });
  const { clock } = task;
  Object.assign(clock, {
    async sleep(milliseconds: number) {
      await sleep(Math.min(milliseconds, 500));
      await clock.advance(Math.min(milliseconds, 500));
    },
  });
  return task;
}

test(
  'power, boot device and virtual media of an emulated machine are changed; its boot mode, MAC address and Secure Boot are read',
  { skip: skipWithoutSushyTools() },
  async (t) => {
    const task = await emulatedTask(t);
    assert.equal(await redfishPower.getPowerState(task), 'power off');
    await redfishPower.setPowerState(task, 'power on', 60);
    assert.equal(await redfishPower.getPowerState(task), 'power on');
    for (const device of ['pxe', 'disk', 'cdrom'] as const) {
      await setBootDevice(task, device, false);
      assert.equal((await getBootDevice(task)).boot_device, device);
    }
    assert.equal(await getBootMode(task), 'uefi');
    await redfishPower.setPowerState(task, 'power off', 60);
    assert.deepEqual(await getMacAddresses(task), ['52:54:00:aa:00:01']);
    const iso = createServer((_, response) => response.end('image'));
    iso.listen(0, '127.0.0.1');
    await once(iso, 'listening');
    t.after(() => iso.close());
    const image = `http://127.0.0.1:${(iso.address() as AddressInfo).port}/boot.iso`;
    await attachVirtualMedia(task, 'cdrom', image);
    const drives = await listVirtualMedia(task);
    // the emulator lists each virtual drive twice: at the BMC and at the system
    const types = drives.filter((drive) => drive.inserted).map((drive) => drive.media_types.join());
    assert.deepEqual([...new Set(types)], ['CD,DVD']);
    await detachVirtualMedia(task, ['cdrom']);
    assert.equal(
      (await listVirtualMedia(task)).some(({ inserted }) => inserted),
      false,
    );
    assert.equal(await getSecureBoot(task), false);
    await assert.rejects(attachVirtualMedia(task, 'cdrom', `${image}x`.replace('http', 'htp')));
  },
);
