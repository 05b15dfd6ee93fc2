import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { redfishManagement } from '../../../../plugins/redfish/management/management.ts';
import { attachVirtualMedia } from '../../../../plugins/redfish/management/media/virtual-media.ts';
import { concerns, type Identity, isBelow, quirksIn } from '../../../../plugins/redfish/quirks/quirks.ts';
import { redfishLab } from '../redfish-lab.ts';

const nobody: Identity = {
  vendor: undefined,
  manufacturer: undefined,
  model: undefined,
  product: undefined,
  managerModel: undefined,
  firmware: undefined,
  oem: undefined,
  recorded: undefined,
};

test('a quirk concerns a BMC when all conditions of the quirk hold', () => {
  const quirk = { when: { vendor: ['Dell'], firmwareBelow: '6.0.0.0' }, reason: '', set: {} };
  assert.equal(concerns(quirk, { ...nobody, vendor: 'DELL', firmware: '5.10.00.00' }), true);
  assert.equal(concerns(quirk, { ...nobody, vendor: 'Dell', firmware: '6.00.02.00' }), false);
  assert.equal(concerns(quirk, { ...nobody, vendor: 'Dell' }), false);
  assert.equal(concerns(quirk, { ...nobody, vendor: 'HPE', firmware: '1.0' }), false);
});

test('versions are compared by their numbers', () => {
  for (const [version, limit, below] of [
    ['4.9', '4.10', true],
    ['4.10', '4.9', false],
    ['iLO 5 v2.44', 'iLO 5 v2.63', true],
    ['2.0', '2.0', false],
    [undefined, '1.0', false],
  ] as const)
    assert.equal(isBelow(version, limit), below, `${version} ${limit}`);
});

test("a site's quirks file is applied", async (t) => {
  const file = path.join(tmpdir(), `quirks-${process.pid}.json`);
  t.after(() => rm(file));
  const quirk = { when: { manufacturer: ['contoso'] }, reason: 'seen here', set: { bootFull: true } };
  await writeFile(file, JSON.stringify([quirk]));
  const { bmc, task } = await redfishLab(t, { options: { quirks_file: file } });
  await redfishManagement.setBootDevice(task, 'pxe', false);
  assert.match(JSON.stringify(bmc.requests.at(-1)?.body), /BootSourceOverrideMode/);
});

test("a site's quirk takes precedence over a known one", async (t) => {
  const file = path.join(tmpdir(), `own-quirks-${process.pid}.json`);
  t.after(() => rm(file));
  const quirk = { when: { vendor: ['Dell'] }, reason: 'slot 1 is broken', set: { mediaSlots: ['2'] } };
  await writeFile(file, JSON.stringify([quirk]));
  const { machine, task } = await redfishLab(t, { shape: 'dell10', options: { quirks_file: file } });
  await attachVirtualMedia(task, 'cdrom', 'http://192.0.2.9/boot.iso');
  assert.deepEqual([machine.media['1']?.inserted, machine.media['2']?.inserted], [false, true]);
});

test("a mistake in a site's quirks is named with the file", async (t) => {
  const file = path.join(tmpdir(), `wrong-quirks-${process.pid}.json`);
  t.after(() => rm(file));
  await writeFile(file, '[{"when": {"vender": ["x"]}, "reason": "", "set": {}}]');
  const { task } = await redfishLab(t, { options: { quirks_file: file } });
  await assert.rejects(
    redfishManagement.setBootDevice(task, 'pxe', false),
    /wrong-quirks.*quirk 1: .*not vender/,
  );
});

test('a list of quirks with a mistake is refused', () => {
  for (const [given, reason] of [
    [{}, /a list/],
    [[5], /quirk 1: expected an object/],
    [[{ when: { vendor: 'Dell' }, reason: '', set: {} }], /vendor in when to be a list of texts/],
    [[{ when: { firmwareBelow: 5 }, reason: '', set: {} }], /firmwareBelow in when to be a version/],
    [[{ when: {}, reason: '', set: { nothing: 1 } }], /not nothing$/],
  ] as const)
    assert.throws(() => quirksIn(given), reason);
});
