// The `no-*` interfaces refuse validation, and `no-inspect` refuses to inspect.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
  noBios,
  noBoot,
  noConsole,
  noDeploy,
  noFirmware,
  noInspect,
  noRaid,
  noRescue,
  noVendor,
} from '../../../plugins/noop/absent.ts';
import { fakeTask } from '../../fakes/task.ts';

const refuses = (type: string) => ({
  code: 'UnsupportedDriverExtension',
  message: `Driver fake-hardware does not support ${type}.`,
});

const byType = {
  bios: noBios,
  boot: noBoot,
  console: noConsole,
  deploy: noDeploy,
  firmware: noFirmware,
  inspect: noInspect,
  raid: noRaid,
  rescue: noRescue,
  vendor: noVendor,
};

for (const [type, absent] of Object.entries(byType)) {
  test(`validating no-${type} fails with the driver and the interface type`, () => {
    assert.throws(() => absent.validate(fakeTask()), refuses(type));
  });
}

test('no-inspect refuses to inspect', async () => {
  await assert.rejects(noInspect.inspectHardware(fakeTask()), refuses('inspect'));
});
