import assert from 'node:assert/strict';
import { test } from 'node:test';
import { choosing, dhcpSite, IPXE, mac, requestOf, type Sent } from '../../../../fakes/boot/dhcp-site.ts';

const A = mac(1);
const hex = (sent: Sent | undefined, code: number) => {
  const value = sent?.message.options.get(code);
  return value && Buffer.from(value).toString('hex');
};
const asking = (...codes: readonly number[]) => ({ options: [[55, Uint8Array.from(codes)]] as const });

test('a machine gets the options of its subnet that it asks for, all of them when it lists none, and always those with !', async (t) => {
  const site = dhcpSite(t, { options: ['{"interface-mtu": 9000, "log-server!": "10.0.0.3"}'] });
  site.enrol(A);
  const told = async (more: Parameters<typeof requestOf>[2]) => {
    const [offer] = await site.say(requestOf(A, 'discover', more));
    return [hex(offer, 26), hex(offer, 7)];
  };
  assert.deepEqual(await told(asking(1, 26)), ['2328', '0a000003']);
  assert.deepEqual(await told(asking(1)), [undefined, '0a000003']);
  assert.deepEqual(await told({}), ['2328', '0a000003']);
  const [ack] = await site.say(requestOf(A, 'request', { options: choosing('10.0.0.50') }));
  assert.deepEqual([hex(ack, 26), hex(ack, 7)], ['2328', '0a000003'], 'the acknowledgement has them too');
});

test('the options of a port precede those of its subnet, also the router', async (t) => {
  const site = dhcpSite(t, { options: ['{"26": 9000, "7": "10.0.0.3"}'] });
  site.enrol(A, { extra: { dhcp_options: { 26: 1400, router: '10.0.0.7' } } });
  const [offer] = await site.say(requestOf(A, 'discover'));
  assert.deepEqual([hex(offer, 26), hex(offer, 7), hex(offer, 3)], ['0578', '0a000003', '0a000007']);
});

test('an option that the daemon does not boot with reaches phones, but does not replace what a machine is told to boot', async (t) => {
  const site = dhcpSite(t, {
    options: ['{"66!": "phones.example", "150!": "10.0.0.9", "43!": "0104", "67!": "phone.cfg"}'],
  });
  site.enrol(A);
  const [phone] = await site.say(requestOf(A, 'discover', asking(1)));
  assert.deepEqual([hex(phone, 150), hex(phone, 43)], ['0a000009', '0104']);
  assert.equal(Buffer.from(hex(phone, 67) ?? '', 'hex').toString(), 'phone.cfg');
  const [ipxe] = await site.say(requestOf(A, 'discover', { options: IPXE }));
  assert.equal(Buffer.from(hex(ipxe, 67) ?? '', 'hex').toString(), 'http://10.0.0.1/boot.ipxe');
  assert.deepEqual([hex(ipxe, 43), hex(ipxe, 66), hex(ipxe, 150)], [undefined, undefined, undefined]);
});

test('an option that a machine has no room for is left out, and its timeline says so', async (t) => {
  const long = 'x'.repeat(200);
  const site = dhcpSite(t, { options: [`{"17": "${long}", "14": "${long}", "26": 1400}`] });
  site.enrol(A);
  const [small] = await site.say(requestOf(A, 'discover'));
  assert.deepEqual(
    [hex(small, 17)?.length, hex(small, 14), hex(small, 26)],
    [undefined, hex(small, 14), '0578'],
  );
  assert.ok((small?.bytes.length ?? 0) <= 548);
  assert.equal(site.events.at(-1)?.text, 'does not get option 17: its messages have no room for it');
  const [large] = await site.say(requestOf(A, 'discover', { options: [[57, Uint8Array.of(5, 192)]] }));
  assert.deepEqual([hex(large, 17)?.length, hex(large, 14)?.length], [400, 400]);
});

test('options of a port that cannot be used are left out, and the timeline gives the reason', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A, { extra: { dhcp_options: { 26: 'big' } } });
  const [offer] = await site.say(requestOf(A, 'discover'));
  assert.equal(offer?.type, 'offer');
  assert.match(
    site.events.at(-1)?.text ?? '',
    /does not get extra\/dhcp_options of its port: option 26 \(interface-mtu\)/,
  );
});
