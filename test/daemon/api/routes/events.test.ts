// Events of a network service over HTTP.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { expectFault, expectReply } from '../../../fakes/clients/api-replies.ts';
import { startInProcess } from '../../../fakes/daemon/in-process-daemon.ts';

const session = await startInProcess({ after });

const event = {
  event: 'network.bind_port',
  port_id: '11111111-2222-4333-8444-555555555555',
  mac_address: '52:54:00:12:34:56',
  status: 'ACTIVE',
};
const post = (body: unknown, version = 115) => session.request('POST', '/v1/events', { version, body });
const refused = (body: unknown) => expectFault(post(body), 400);

test('valid events are accepted', async () => {
  const full = {
    device_id: event.port_id,
    'binding:host_id': event.port_id,
    'binding:vnic_type': 'baremetal',
  };
  const others = ['network.unbind_port', 'network.delete_port'].map((name) => ({ ...event, event: name }));
  assert.equal(await expectReply(post({ events: [event] }, 54), 204), undefined);
  await expectReply(post({ events: [{ ...event, ...full }, ...others] }), 204);
});

test('events return 404 before 1.54', async () => {
  await expectFault(post({ events: [event] }, 53), 404);
});

test('invalid events are refused with the reason', async () => {
  assert.match(await refused(undefined), /'events' is a required property/);
  assert.match(await refused({ events: [] }), /events/);
  assert.match(await refused({ events: [event], more: 1 }), /'more' was unexpected/);
  assert.match(await refused([event]), /not of type object/);
  for (const name of Object.keys(event)) {
    const { [name as 'event']: _, ...rest } = event;
    assert.match(await refused({ events: [rest] }), new RegExp(`'${name}' is a required property`));
    assert.match(await refused({ events: [{ ...event, [name]: 1 }] }), new RegExp(`events/0/${name}`));
  }
  assert.match(await refused({ events: [{ ...event, device_id: 'text' }] }), /events\/0\/device_id/);
  assert.match(await refused({ events: [{ ...event, color: 'red' }] }), /'color' was unexpected/);
  assert.match(await refused({ events: [{ ...event, event: 'network.create_port' }] }), /events\/0\/event/);
  assert.match(await refused({ events: [{ ...event, port_id: 'eth0' }] }), /events\/0\/port_id/);
  assert.match(await refused({ events: [{ ...event, mac_address: 'eth0' }] }), /events\/0\/mac_address/);
});
