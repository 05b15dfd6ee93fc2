// Machines with IPMI BMCs, as `ironic-edge rack N --ipmi` makes them, beside a daemon.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../../../daemon/lib/clock.ts';
import { missingPrograms } from '../../../../daemon/simulator/ipmi/ipmi-sim.ts';
import { plugInIpmiRack } from '../../../../daemon/simulator/ipmi/rack.ts';
import { DaemonProcess } from '../../../fakes/daemon/daemon-process.ts';
import { freeTcpPort } from '../../../../daemon/simulator/free-port.ts';

test(
  'a machine with an IPMI BMC boots a ramdisk over the network and is cleaned',
  { skip: await missingPrograms() },
  async (t) => {
    const images = mkdtempSync(path.join(tmpdir(), 'ironic-edge-images-'));
    t.after(() => rmSync(images, { recursive: true }));
    for (const name of ['kernel', 'ramdisk']) writeFileSync(path.join(images, name), name);
    const boot = await freeTcpPort();
    await using daemon = await DaemonProcess.start({
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'ipmi',
      IRONIC_DEFAULT__MY_IP: '127.0.0.1',
      IRONIC_BOOT_HTTP__PORT: String(boot),
      IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
      IRONIC_CONDUCTOR__DEPLOY_KERNEL: `file://${images}/kernel`,
      IRONIC_CONDUCTOR__DEPLOY_RAMDISK: `file://${images}/ramdisk`,
      IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: images,
    });
    const told: string[] = [];
    const rack = await plugInIpmiRack({
      size: 1,
      url: daemon.url,
      bootUrl: `http://127.0.0.1:${boot}`,
      clock: systemClock,
      bootSeconds: 0,
      stepSeconds: 0,
      tell: (machine, what) => told.push(`${machine} ${what}`),
    });
    t.after(() => {
      for (const { machine } of rack) machine.unplug();
    });
    const provision = (target: string) =>
      daemon.request('PUT', '/v1/nodes/ipmi-001/states/provision', { target });
    const settled = () =>
      daemon.nodeWhen(
        'ipmi-001',
        ({ provision_state, reservation }) =>
          reservation === null && /manageable|available|enroll|failed/.test(provision_state),
      );
    await provision('manage');
    const { last_error, power_state } = await settled();
    assert.deepEqual([last_error, power_state], [null, 'power off']);
    await provision('provide');
    const cleaned = await settled();
    assert.deepEqual([cleaned.last_error, cleaned.provision_state], [null, 'available']);
    assert.ok(told.includes('ipmi-001 booted ramdisk'), told.join('\n'));
    assert.equal(told.at(-1), 'ipmi-001 power off');
  },
);
