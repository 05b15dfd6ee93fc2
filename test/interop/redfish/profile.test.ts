// The simulated BMC against the profile that OpenStack publishes for BMCs that Ironic can drive.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { startFakeRedfish } from '../../../daemon/simulator/redfish/fake-redfish.ts';
import { type ShapeName, shapeNames } from '../../../daemon/simulator/redfish/shapes.ts';
import {
  redfishProfileValidator,
  skipWithoutRedfishProfileValidator,
} from '../../setup/redfish-validator.ts';

const skip = skipWithoutRedfishProfileValidator();
const PROFILE = path.join(import.meta.dirname, '../../fixtures/redfish/OpenStackIronicProfile.v1_2_0.json');

/** The profile requires this property of every resource of the type Bios, also of the one with the pending settings. */
const OF_PENDING_SETTINGS = '/@Redfish.Settings';
const BOOT = [
  '/Boot/BootSourceOverrideEnabled',
  '/Boot/BootSourceOverrideMode',
  '/Boot/BootSourceOverrideTarget',
];
const MEDIA = ['/Actions/#VirtualMedia.EjectMedia', '/Actions/#VirtualMedia.InsertMedia'];

/** What the simulated BMC lacks in each shape, because the real BMCs that the shape models lack it. */
const lacking: Readonly<Record<ShapeName, readonly string[]>> = {
  plain: [OF_PENDING_SETTINGS],
  dell9: [OF_PENDING_SETTINGS],
  // the system's settings resource of an iDRAC10 has nothing but `Boot`
  dell10: [OF_PENDING_SETTINGS, ...BOOT, '/Links', '/PowerState', '/Actions/#ComputerSystem.Reset'],
  // an iLO hides its boot mode
  hpe: [OF_PENDING_SETTINGS, '/Boot/BootSourceOverrideMode'],
  // Secure Boot needs a licence
  supermicro: [OF_PENDING_SETTINGS, '/SecureBoot'],
  // Lenovo's two slots take images by PATCH
  lenovo: [OF_PENDING_SETTINGS, ...MEDIA, ...MEDIA],
  // one slot of OpenBMC serves only its remote console, and there is no BIOS
  openbmc: MEDIA,
  // AMI's boot settings are in a resource of their own
  ami: [OF_PENDING_SETTINGS, ...BOOT],
};

for (const shape of shapeNames)
  test(
    `a BMC like ${shape} meets the profile of OpenStack's Ironic except for what it lacks on purpose`,
    { skip },
    async (t) => {
      const logs = mkdtempSync(path.join(tmpdir(), 'redfish-profile-'));
      const bmc = await startFakeRedfish({ shape });
      t.after(() => bmc.stop());
      t.after(() => rmSync(logs, { recursive: true }));
      const login = ['--user', 'admin', '--password', 'secret', '--authtype', 'Basic', '--ip', bmc.address];
      const validator = spawn(redfishProfileValidator, [...login, '--logdir', logs, PROFILE], {
        stdio: 'ignore',
      });
      await once(validator, 'exit');
      const [log = ''] = globSync(path.join(logs, '**/*Debug*.log')).map((file) =>
        readFileSync(file, 'utf8'),
      );
      assert.match(log, /NOT TESTED/);
      const failures = [...log.matchAll(/ERROR - FAIL - (\S+)/g)].map(([, what = '']) => what);
      assert.deepEqual(failures.toSorted(), lacking[shape].toSorted());
    },
  );
