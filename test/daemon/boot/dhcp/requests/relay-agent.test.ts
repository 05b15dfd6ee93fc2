import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addressesValue } from '../../../../../daemon/boot/dhcp/options.ts';
import {
  choosing,
  dhcpSite,
  ip,
  mac,
  requestOf,
  type Sent,
  SUBNET,
} from '../../../../fakes/boot/dhcp-site.ts';

const A = mac(1);
const FAR = '10.1.0.0/24 range=10.1.0.10-10.1.0.20 router=10.1.0.1';
/** The relay reaches the server from an address that is in none of its subnets. */
const RELAY = '172.16.0.9';

const brief = (sent: readonly Sent[]) => sent.map(({ type, address, to }) => `${type} ${address} to ${to}`);
const addressOption = (code: number, address: string) => [code, addressesValue([ip(address)])] as const;
const agent = (...subOptions: readonly (readonly [code: number, address: string])[]) =>
  [
    82,
    Buffer.concat(subOptions.map(([code, address]) => Buffer.of(code, 4, ...addressesValue([ip(address)])))),
  ] as const;

const site = (t: Parameters<typeof dhcpSite>[0]) => {
  const made = dhcpSite(t, { subnets: [SUBNET, FAR] });
  made.enrol(A);
  return made;
};

test('the link that a relay selects decides the subnet, before the one that the message selects and the relay itself', async (t) => {
  const { say, events } = site(t);
  const discover = (relay: string, ...options: readonly (readonly [number, Uint8Array])[]) =>
    say(requestOf(A, 'discover', { relay: ip(relay), options }));
  assert.deepEqual(brief(await discover(RELAY, agent([5, '10.1.0.0']))), [`offer 10.1.0.10 to ${RELAY}:67`]);
  assert.deepEqual(brief(await discover(RELAY, addressOption(118, '10.1.0.0'))), [
    `offer 10.1.0.10 to ${RELAY}:67`,
  ]);
  assert.deepEqual(
    brief(await discover('10.0.0.7', agent([5, '10.1.0.3']), addressOption(118, '10.0.0.0'))),
    ['offer 10.1.0.10 to 10.0.0.7:67'],
  );
  assert.deepEqual(await discover(RELAY, agent([5, '10.2.0.0'])), []);
  assert.equal(
    events.at(-1)?.text,
    `gets no answer: no subnet of [dhcp_server] contains 10.2.0.0, the link that the relay ${RELAY} names (os)`,
  );
});

test('the answer repeats what the relay and the message said', async (t) => {
  const { say } = site(t);
  const [[, said], selection] = [agent([5, '10.1.0.0']), addressOption(118, '10.1.0.0')];
  const [offer] = await say(requestOf(A, 'discover', { relay: ip(RELAY), options: [[82, said], selection] }));
  assert.deepEqual(Buffer.from(offer?.message.options.get(82) ?? []), said);
  assert.deepEqual(Buffer.from(offer?.message.options.get(118) ?? []), Buffer.from(selection[1]));
});

test('a machine on the network of the daemon cannot select another subnet or server', async (t) => {
  const { say } = site(t);
  const claims = [agent([5, '10.1.0.0'], [11, '10.0.0.66']), addressOption(118, '10.1.0.0')];
  const [offer] = await say(requestOf(A, 'discover', { options: claims }));
  assert.deepEqual([offer?.address, offer?.message.options.has(118)], ['10.0.0.50', false]);
  assert.deepEqual(
    Buffer.from(offer?.message.options.get(54) ?? []),
    Buffer.from(addressesValue([ip('10.0.0.1')])),
  );
});

test('where a relay stands for the server, the client requests from the relay, and no other server is reported', async (t) => {
  const { say, db, clock } = site(t);
  const override = agent([5, '10.1.0.0'], [11, '10.1.0.1']);
  const [offer] = await say(requestOf(A, 'discover', { relay: ip(RELAY), options: [override] }));
  assert.deepEqual(
    Buffer.from(offer?.message.options.get(54) ?? []),
    Buffer.from(addressesValue([ip('10.1.0.1')])),
  );
  const chosen = [override, ...choosing('10.1.0.10', '10.1.0.1')];
  assert.deepEqual(brief(await say(requestOf(A, 'request', { relay: ip(RELAY), options: chosen }))), [
    `acknowledge 10.1.0.10 to ${RELAY}:67`,
  ]);
  assert.deepEqual(db.dhcpRivals.recent(clock.now()), []);
});

test('a relay option that is cut short, or empty, counts for nothing', async (t) => {
  const { say } = site(t);
  for (const bytes of [[], [5], [5, 4, 10], [5, 3, 10, 1, 0], [0, 0, 5, 9]])
    assert.deepEqual(
      brief(
        await say(
          requestOf(A, 'discover', { relay: ip('10.1.0.1'), options: [[82, Uint8Array.from(bytes)]] }),
        ),
      ),
      ['offer 10.1.0.10 to 10.1.0.1:67'],
      String(bytes),
    );
});
