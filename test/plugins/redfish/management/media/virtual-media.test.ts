import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../../daemon/plugin-api/index.ts';
import { shapeNames } from '#plugin-api/fake-redfish';
import {
  attachVirtualMedia as attach,
  detachVirtualMedia as detach,
  listVirtualMedia as list,
} from '../../../../../plugins/redfish/management/media/virtual-media.ts';
import { rejectsFault } from '../../../../fakes/faults.ts';
import { redfishLab } from '../../redfish-lab.ts';

const URL_OF_ISO = 'http://192.0.2.9/boot.iso';

test('an image is inserted, listed and ejected, on every simulated BMC', async (t) => {
  for (const shape of shapeNames) {
    const { task } = await redfishLab(t, { shape });
    await attach(task, 'cdrom', URL_OF_ISO);
    const inserted = (await list(task)).filter(({ inserted: isIn }) => isIn);
    assert.deepEqual(
      inserted.map(({ image }) => image),
      [URL_OF_ISO],
      shape,
    );
    await detach(task, ['cdrom']);
    assert.equal(
      (await list(task)).some(({ inserted: isIn }) => isIn),
      false,
      shape,
    );
    await detach(task, ['cdrom']);
  }
});

test('when a slot refuses the image, the next one is tried; when all refuse it, the fault names the reason of each', async (t) => {
  const two = { media: { A: ['CD'], B: ['DVD'] } };
  for (const status of [400, 405]) {
    const { bmc, machine, task } = await redfishLab(t, { differences: two });
    bmc.faults.add({ path: '/A/Actions/', times: 9, does: { kind: 'answer', status, body: {} } });
    await attach(task, 'cdrom', URL_OF_ISO);
    assert.equal(machine.media['B']?.inserted, true);
    bmc.faults.add({ path: '/B/Actions/VirtualMedia.Insert', does: { kind: 'answer', status, body: {} } });
    await rejectsFault(
      attach(task, 'cdrom', URL_OF_ISO),
      'VirtualMediaRefused',
      /VirtualMedia\/A: .*VirtualMedia\/B: /,
    );
  }
});

test('an image that is there already is ejected first', async (t) => {
  const { machine, task } = await redfishLab(t);
  machine.insert('CD', 'http://192.0.2.9/old.iso');
  await attach(task, 'cdrom', URL_OF_ISO);
  assert.equal(machine.media['CD']?.image, URL_OF_ISO);
});

test('inserting an image is tried again while the previous media are still being ejected', async (t) => {
  const { bmc, machine, task } = await redfishLab(t);
  const info = { MessageId: 'IDRAC.2.8.VRM0012', Message: 'Attached already.' };
  bmc.faults.add({
    path: 'InsertMedia',
    times: 2,
    does: { kind: 'answer', status: 500, body: { error: { '@Message.ExtendedInfo': info } } },
  });
  await attach(task, 'cdrom', URL_OF_ISO);
  assert.equal(machine.media['CD']?.image, URL_OF_ISO);
  assert.deepEqual(task.sleeps, [3000, 3000]);
});

test('a property that a BMC demands is added, and sent at once the next time', async (t) => {
  const { bmc, task } = await redfishLab(t, { shape: 'ami' });
  await attach(task, 'cdrom', URL_OF_ISO);
  await detach(task, ['cdrom']);
  const inserts = () =>
    bmc.requests.filter(({ path }) => path.endsWith('InsertMedia')).map(({ body }) => body);
  assert.deepEqual(inserts(), [
    { Image: URL_OF_ISO },
    { Image: URL_OF_ISO, TransferProtocolType: 'HTTP' },
    { Image: URL_OF_ISO, TransferProtocolType: 'HTTP', UserName: 'none' },
  ]);
  bmc.forget();
  await attach(task, 'cdrom', URL_OF_ISO);
  assert.equal(inserts().length, 1);
});

test('a user name or another property that a BMC asks for in free text is added', async (t) => {
  const askedFor = async (does: { readonly text?: string; readonly body?: JsonObject }) => {
    const { bmc, machine, task } = await redfishLab(t);
    bmc.faults.add({ path: 'InsertMedia', does: { kind: 'answer', status: 400, ...does } });
    await attach(task, 'cdrom', URL_OF_ISO);
    assert.equal(machine.media['CD']?.image, URL_OF_ISO);
    return bmc.requests.filter(({ path }) => path.endsWith('InsertMedia')).map(({ body }) => body);
  };
  const both = { Image: URL_OF_ISO, UserName: 'none', Password: 'none' };
  assert.deepEqual(await askedFor({ text: 'Enter a user name and a password' }), [
    { Image: URL_OF_ISO },
    both,
  ]);
  const error = { message: 'Username is mandatory' };
  assert.deepEqual(await askedFor({ body: { error } }), [
    { Image: URL_OF_ISO },
    { Image: URL_OF_ISO, UserName: 'none' },
  ]);
});

test('an insertion or ejection whose answer is lost or a passing error is looked at, and repeated only if it was not made', async (t) => {
  const weak = { kind: 'answer', status: 503 } as const;
  for (const does of [weak, { kind: 'cut' }] as const)
    for (const afterObeying of [true, false]) {
      const { bmc, machine, task } = await redfishLab(t);
      const add = (path: string) => bmc.faults.add({ path, does, ...(afterObeying && { afterObeying }) });
      const sent = (path: string) => bmc.requests.filter((each) => each.path.endsWith(path)).length;
      add('InsertMedia');
      await attach(task, 'cdrom', URL_OF_ISO);
      assert.equal(machine.media['CD']?.image, URL_OF_ISO);
      assert.equal(sent('InsertMedia'), afterObeying ? 1 : 2);
      bmc.forget();
      add('EjectMedia');
      await detach(task, ['cdrom']);
      assert.equal(machine.media['CD']?.inserted, false);
      assert.equal(sent('EjectMedia'), afterObeying ? 1 : 2);
    }
});

test('an ejection fails when no slot for the device can be read, because an image may be inserted', async (t) => {
  const { bmc, task } = await redfishLab(t);
  bmc.faults.add({ path: '/VirtualMedia/CD', times: 99, does: { kind: 'answer', status: 403 } });
  await rejectsFault(
    detach(task, ['cdrom']),
    'InvalidParameter',
    /unknown whether a cdrom is inserted; .*403/,
  );
});

test('the first request already contains the transfer protocol that the node names', async (t) => {
  const { bmc, task } = await redfishLab(t, { info: { vmedia_transport_protocol: 'https' } });
  await attach(task, 'cdrom', URL_OF_ISO);
  const inserts = bmc.requests.filter(({ path }) => path.endsWith('InsertMedia'));
  assert.deepEqual(
    inserts.map(({ body }) => body['TransferProtocolType']),
    ['HTTPS'],
  );
});

test('an image that was accepted and never appears is a failure', async (t) => {
  const { bmc, task } = await redfishLab(t);
  bmc.faults.add({ path: 'InsertMedia', does: { kind: 'answer', status: 204 } });
  await rejectsFault(attach(task, 'cdrom', URL_OF_ISO), 'VirtualMediaRefused', /not there after 30 s/);
});

test('a CD goes into slot 1 of an iDRAC10', async (t) => {
  const { machine, task } = await redfishLab(t, { shape: 'dell10' });
  await attach(task, 'cdrom', URL_OF_ISO);
  assert.equal(machine.media['1']?.inserted, true);
});

test('a kind of virtual drive that the BMC does not have is refused', async (t) => {
  const { task } = await redfishLab(t);
  await rejectsFault(attach(task, 'floppy', URL_OF_ISO), 'InvalidParameter', /no virtual floppy/);
});

test('a slot that cannot be read leaves the others, also when the slots are known; without any, the reason is named', async (t) => {
  const { bmc, machine, task } = await redfishLab(t, { differences: { media: { A: ['CD'], B: ['DVD'] } } });
  const refuse = (path: string) =>
    bmc.faults.add({ method: 'GET', path, times: 99, does: { kind: 'answer', status: 403 } });
  assert.equal((await list(task)).length, 2);
  refuse('/VirtualMedia/A');
  await attach(task, 'cdrom', URL_OF_ISO);
  assert.equal(machine.media['B']?.inserted, true);
  assert.equal((await list(task)).length, 1);
  await detach(task, ['cdrom']);
  assert.equal(machine.media['B']?.inserted, false);
  refuse('/VirtualMedia/B');
  await rejectsFault(
    attach(task, 'cdrom', URL_OF_ISO),
    'InvalidParameter',
    /no virtual cdrom; .*\/A\): HTTP status 403; .*\/B\): HTTP status 403/,
  );
});

test('a BMC whose virtual media are linked and not there has none', async (t) => {
  const { bmc, task } = await redfishLab(t, { shape: 'supermicro' });
  bmc.overrides.set(bmc.paths.media, null);
  await rejectsFault(list(task), 'InvalidParameter', /the BMC has no virtual media$/);
});
