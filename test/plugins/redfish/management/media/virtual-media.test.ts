import assert from 'node:assert/strict';
import { test } from 'node:test';
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
