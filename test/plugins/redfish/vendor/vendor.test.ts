import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../daemon/plugin-api/index.ts';
import { redfishLink } from '../../../../plugins/redfish/console.ts';
import { redfishVendor } from '../../../../plugins/redfish/vendor/vendor.ts';
import { rejectsFault } from '../../../fakes/faults.ts';
import { redfishLab, type RedfishLab } from '../redfish-lab.ts';

async function called({ task }: RedfishLab, name: string, given: JsonObject = {}): Promise<JsonObject> {
  const method = redfishVendor.nodeMethods?.[name] ?? assert.fail(name);
  await method.validate?.(task, given);
  return (await method.call(task, given, method.httpMethods[0] ?? 'GET')) as JsonObject;
}

const Destination = 'https://192.0.2.9/events';

test('subscriptions are made, shown, listed and deleted', async (t) => {
  const lab = await redfishLab(t);
  const made = await called(lab, 'create_subscription', { Destination, Context: 'mine' });
  assert.deepEqual(made, {
    Id: '1',
    Context: 'mine',
    Protocol: 'Redfish',
    Destination,
    EventTypes: ['Alert'],
  });
  assert.deepEqual(await called(lab, 'get_subscription', { id: '1' }), made);
  assert.equal(((await called(lab, 'get_all_subscriptions'))['Members'] as unknown[]).length, 1);
  await called(lab, 'delete_subscription', { id: '1' });
  await rejectsFault(called(lab, 'get_subscription', { id: '1' }), 'InvalidParameter', /no subscription 1/);
});

test('a service that refuses event types gets the subscription without them', async (t) => {
  const lab = await redfishLab(t, { shape: 'openbmc' });
  const made = await called(lab, 'create_subscription', { Destination });
  assert.deepEqual([made['Destination'], made['EventTypes']], [Destination, null]);
});

test('wrong subscriptions are refused', async (t) => {
  const lab = await redfishLab(t);
  for (const [given, reason] of [
    [{}, /Destination/],
    [{ Destination: 'nowhere' }, /"nowhere"; expected a URL/],
    [{ Destination, EventTypes: 'Alert' }, /EventTypes.*a list of texts/],
    [{ Destination, EventTypes: ['Sunset'] }, /does not send Sunset; it sends Alert, StatusChange/],
    [{ Destination, HttpHeaders: 'x' }, /HttpHeaders.*a list/],
  ] as const)
    await assert.rejects(called(lab, 'create_subscription', given), reason);
});

test('virtual media are ejected by device name, and an unknown device is refused', async (t) => {
  const lab = await redfishLab(t);
  lab.machine.insert('CD', 'http://192.0.2.9/x.iso');
  await called(lab, 'eject_vmedia', { boot_device: 'dvd' });
  assert.equal(lab.machine.media['CD']?.inserted, false);
  for (const boot_device of ['tape', 'constructor', 7])
    await assert.rejects(
      called(lab, 'eject_vmedia', { boot_device }),
      /expected one of cd, dvd, usb, floppy/,
    );
});

test('the console is a link to the web page of the BMC; a console that the BMC has switched off is refused', async (t) => {
  const { address, task, bmc } = await redfishLab(t);
  await redfishLink.startConsole?.(task);
  assert.deepEqual(await redfishLink.getConsole?.(task), { type: 'redfish-link', url: address });
  bmc.overrides.set(bmc.paths.manager, { GraphicalConsole: { ServiceEnabled: false } });
  await rejectsFault(
    redfishLink.startConsole?.(task) ?? Promise.resolve(),
    'UnsupportedDriverExtension',
    /switched off/,
  );
});

test('the console is a link also when the BMC does not say whether it is switched on', async (t) => {
  const { task, bmc } = await redfishLab(t);
  bmc.faults.add({ path: bmc.paths.manager, times: 99, does: { kind: 'answer', status: 403 } });
  await redfishLink.startConsole?.(task);
});
