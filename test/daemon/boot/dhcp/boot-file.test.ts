import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proxyGrant } from '../../../../daemon/boot/dhcp/reply.ts';
import { encodeMessage } from '../../../../daemon/boot/dhcp/wire.ts';
import { addressOption, optionCode, textOption } from '../../../../daemon/boot/dhcp/options.ts';
import { ipv4Text } from '../../../../daemon/lib/network/ipv4.ts';
import {
  BIOS,
  choosing,
  dhcpSite,
  firmware,
  IPXE,
  ip,
  mac,
  requestOf,
  type Sent,
  UEFI,
  UEFI_HTTP,
} from '../../../fakes/boot/dhcp-site.ts';

const A = mac(1);
const RELAY_OPTION_LAST = /52050103090909ff/;
const B = mac(2);

const brief = (sent: readonly Sent[]) => sent.map(({ type, address, to }) => `${type} ${address} to ${to}`);
const hex = (sent: Sent | undefined, code: number) =>
  Buffer.from(sent?.message.options.get(code) ?? []).toString('hex');

/** The parts of a reply that concern the boot file. */
const bootData = ({ message: { options, file, nextServer } }: Sent) => ({
  file,
  nextServer: ipv4Text(nextServer),
  67: textOption(options, 67),
  66: textOption(options, 66),
  150: addressOption(options, 150),
  60: textOption(options, 60),
  43: options.has(43),
});

const byTftp = (file: string) => ({
  file,
  nextServer: '10.0.0.1',
  67: file,
  66: '10.0.0.1',
  150: ip('10.0.0.1'),
  60: undefined,
  43: false,
});
const byHttp = (url: string, vendorClass?: string) => ({
  file: url,
  nextServer: '10.0.0.1',
  67: url,
  66: undefined,
  150: undefined,
  60: vendorClass,
  43: false,
});

test('BIOS, UEFI, UEFI HTTP and iPXE clients are told their boot files, in offer and acknowledgement alike', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const told = async (words: typeof BIOS) => {
    const [offer] = await site.say(requestOf(A, 'discover', { options: words }));
    const [ack] = await site.say(requestOf(A, 'request', { options: [...words, ...choosing('10.0.0.50')] }));
    assert.deepEqual(bootData(offer!), bootData(ack!));
    return bootData(offer!);
  };
  assert.deepEqual(await told(BIOS), byTftp('undionly.kpxe'));
  assert.deepEqual(await told(UEFI), byTftp('snponly.efi'));
  assert.deepEqual(await told(UEFI_HTTP), byHttp('http://10.0.0.1/snponly.efi', 'HTTPClient'));
  assert.deepEqual(await told(IPXE), byHttp('http://10.0.0.1/boot.ipxe'));
});

test('iPXE is told not to wait for ProxyDHCP servers', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const [offer] = await site.say(requestOf(A, 'discover', { options: IPXE }));
  assert.equal(hex(offer, optionCode.ipxe), 'b00101');
});

test('options that clients and relays expect back are repeated unchanged, the relay option last', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const id = Uint8Array.of(0, ...Buffer.from('0123456789abcdef'));
  const relayed = [
    [optionCode.relayAgent, Uint8Array.of(1, 3, 9, 9, 9)],
    [optionCode.machineId, id],
    [optionCode.clientId, Uint8Array.of(1, 2, 3)],
  ] as const;
  const [offer] = await site.say(
    requestOf(A, 'discover', { relay: ip('10.0.0.254'), flags: 0x8000, options: relayed }),
  );
  assert.deepEqual(brief([offer!]), ['offer 10.0.0.50 to 10.0.0.254:67']);
  assert.deepEqual([hex(offer, 97), hex(offer, 61)], [Buffer.from(id).toString('hex'), '010203']);
  assert.equal(offer?.message.flags, 0x8000);
  assert.ok(RELAY_OPTION_LAST.test(Buffer.from(offer?.bytes ?? []).toString('hex')));
});

test('iPXE gets a router advertisement with each answer, other clients none', async (t) => {
  let advertisements = 0;
  const site = dhcpSite(t, { advertise: () => void (advertisements += 1) });
  site.enrol(A);
  await site.boot(A, UEFI);
  assert.equal(advertisements, 0);
  await site.boot(A, IPXE);
  assert.equal(advertisements, 2);
});

test('firmware with nothing to boot or pxe_enabled false gets no answer, but an operating system gets one', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A, { boot: 'no-boot' });
  site.enrol(B, { pxe_enabled: false });
  for (const client of [A, B]) assert.equal(await site.boot(client, UEFI), undefined);
  assert.deepEqual(
    site.events.map(({ text }) => text),
    [
      'gets no answer: there is nothing to boot (uefi-pxe)',
      'gets no answer: pxe_enabled of its port is false (uefi-pxe)',
    ],
  );
  assert.deepEqual([await site.boot(A), await site.boot(B)], ['10.0.0.50', '10.0.0.51']);
});

test('firmware for which there is no boot loader is reported', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  assert.deepEqual(await site.say(requestOf(A, 'discover', { options: firmware('PXEClient', 6) })), []);
  assert.match(site.events[0]?.text ?? '', /no boot loader for firmware of architecture type 6/);
});

test('a NUL byte follows the names of boot file and TFTP server, in offers, acknowledgements and ProxyDHCP', async (t) => {
  const site = dhcpSite(t);
  site.enrol(A);
  const [offer] = await site.say(requestOf(A, 'discover', { options: BIOS }));
  const [ack] = await site.say(requestOf(A, 'request', { options: [...BIOS, ...choosing('10.0.0.50')] }));
  const boot = { kind: 'tftp', file: 'undionly.kpxe' } as const;
  const proxy = proxyGrant(requestOf(A, 'discover', { options: BIOS }), 'offer', {
    serverAddress: ip('10.0.0.1'),
    stage: 'bios',
    boot,
  });
  for (const bytes of [offer?.bytes, ack?.bytes, encodeMessage(proxy)]) {
    const message = Buffer.from(bytes ?? []).toString('latin1');
    // code, length and text, and no more than the NUL byte before the next option
    assert.ok(message.includes('\u0042\u000810.0.0.1\0\u0043\u000dundionly.kpxe\0\u0096'));
  }
});
