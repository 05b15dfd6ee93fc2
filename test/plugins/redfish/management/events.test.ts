import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventsIn } from '../../../../plugins/redfish/management/events/read-events.ts';
import { subscribe, unsubscribe } from '../../../../plugins/redfish/management/events/subscription.ts';
import { type RedfishLab, redfishLab } from '../redfish-lab.ts';

const SERVICE = '/redfish/v1/EventService';
const subscriptionsOf = ({ machine }: RedfishLab) => [...machine.subscriptions.values()];

test('a BMC gets one subscription, and later checks only read it', async (t) => {
  const lab = await redfishLab(t);
  await subscribe(lab.task);
  const [subscription] = subscriptionsOf(lab);
  assert.match(subscription?.['Destination'] as string, /^https:\/\/192\.0\.2\.9\/v1\/bmc_events\//);
  assert.deepEqual(subscription?.['EventTypes'], ['Alert', 'StatusChange']);
  lab.bmc.forget();
  await subscribe(lab.task);
  assert.deepEqual(lab.bmc.forget(), [`GET ${SERVICE}/Subscriptions/1`]);
});

test('a subscription that the BMC lost or disabled is made again with a new URL, and the disabled one is deleted', async (t) => {
  const lab = await redfishLab(t);
  await subscribe(lab.task);
  const [first] = subscriptionsOf(lab);
  lab.machine.subscriptions.clear();
  await subscribe(lab.task);
  const [second] = subscriptionsOf(lab);
  assert.notEqual(second?.['Destination'], first?.['Destination']);
  lab.machine.subscriptions.set(`${SERVICE}/Subscriptions/1`, {
    ...second,
    '@odata.id': `${SERVICE}/Subscriptions/1`,
    Status: { State: 'Disabled' },
  });
  lab.machine.subscriptions.set(`${SERVICE}/Subscriptions/9`, { Id: '9', Context: 'of somebody else' });
  await subscribe(lab.task);
  assert.equal(lab.machine.subscriptions.size, 2);
  assert.notEqual(subscriptionsOf(lab).at(-1)?.['Destination'], second?.['Destination']);
});

test('a service that refuses event types is asked for the events of its registries', async (t) => {
  const lab = await redfishLab(t, { shape: 'openbmc' });
  lab.bmc.overrides.set(SERVICE, {
    EventTypesForSubscription: ['Alert'],
    RegistryPrefixes: ['OpenBMC', 'ResourceEvent'],
    Subscriptions: { '@odata.id': `${SERVICE}/Subscriptions` },
  });
  await subscribe(lab.task);
  const [subscription] = subscriptionsOf(lab);
  assert.deepEqual(
    [subscription?.['EventTypes'], subscription?.['RegistryPrefixes']],
    [undefined, ['OpenBMC', 'ResourceEvent']],
  );
});

test('the subscription is deleted on the BMC, and forgotten if the BMC no longer has it', async (t) => {
  const lab = await redfishLab(t);
  await subscribe(lab.task);
  await unsubscribe(lab.task);
  assert.equal(lab.machine.subscriptions.size, 0);
  await subscribe(lab.task);
  lab.machine.subscriptions.clear();
  await unsubscribe(lab.task);
  assert.deepEqual(lab.task.node.driver_internal_info, {});
});

test('events become texts, with the severity unless it is OK', () => {
  const events = [
    { Message: 'The system was powered on.', Severity: 'OK' },
    { Message: 'Fan 3 has failed.', MessageSeverity: 'Critical', MessageId: 'X.1.0.Fan' },
    { MessageId: 'ResourceEvent.1.0.ResourceChanged' },
    { Message: 'x'.repeat(1000) },
    { Message: 7 },
    null,
  ];
  const texts = eventsIn({ Events: events });
  assert.deepEqual(texts.slice(0, 3), [
    'The system was powered on.',
    'Critical: Fan 3 has failed.',
    'ResourceEvent.1.0.ResourceChanged',
  ]);
  assert.deepEqual([texts.length, texts[3]?.length], [4, 300]);
  assert.deepEqual(eventsIn({ Events: 'none' }), []);
});

test('an earlier subscription that cannot be read does not prevent a new one', async (t) => {
  const lab = await redfishLab(t);
  lab.machine.subscriptions.set(`${SERVICE}/Subscriptions/9`, { Id: '9' });
  lab.bmc.faults.add({ path: '/Subscriptions/9', times: 99, does: { kind: 'answer', status: 403 } });
  await subscribe(lab.task);
  assert.equal(lab.machine.subscriptions.size, 2);
});
