import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choosing, dhcpSite, mac, requestOf, type Sent, UEFI } from '../../../fakes/boot/dhcp-site.ts';

const A = mac(1);

const hex = (sent: Sent | undefined, code: number) =>
  Buffer.from(sent?.message.options.get(code) ?? []).toString('hex');

test('an InfiniBand card, which has no hardware address, gets the address and the boot file of its port', async (t) => {
  const site = dhcpSite(t);
  const identifier = 'ff:00:00:00:00:00:02:00:00:02:c9:00:7c:fe:90:03:00:29:26:52';
  site.enrol(A, { extra: { 'client-id': identifier.toUpperCase(), ipv4_address: '10.0.0.9' } });
  const card = {
    hardwareType: 32,
    hardwareAddress: new Uint8Array(),
    flags: 0x8000,
    options: [...UEFI, [61, Buffer.from(identifier.replaceAll(':', ''), 'hex')] as const],
  };
  const [offer] = await site.say(requestOf(A, 'discover', card));
  const [ack] = await site.say(
    requestOf(A, 'request', { ...card, options: [...card.options, ...choosing('10.0.0.9')] }),
  );
  for (const sent of [offer, ack]) {
    assert.deepEqual([sent?.address, sent?.to], ['10.0.0.9', '255.255.255.255:68']);
    assert.deepEqual([sent?.message.hardwareType, sent?.message.hardwareAddress.length], [32, 0]);
    assert.equal(hex(sent, 61), identifier.replaceAll(':', ''), 'RFC 4390 needs the identifier in the reply');
    assert.equal(sent?.message.file, 'snponly.efi');
  }
  assert.equal(site.events.at(-1)?.mac, A);
});
