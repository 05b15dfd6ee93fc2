// Each `no-*` interface refuses validation and every operation.
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
  message: `Driver fake-hardware does not support ${type} (disabled or not implemented).`,
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
  test(`validating a node with no-${type} names its driver and the type`, () => {
    assert.throws(() => absent.validate(fakeTask()), refuses(type));
  });
}

test('no-inspect does not inspect', async () => {
  await assert.rejects(noInspect.inspectHardware(fakeTask()), refuses('inspect'));
});
