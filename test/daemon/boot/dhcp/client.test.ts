import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeClient } from '../../../../daemon/boot/dhcp/client.ts';
import { optionCode } from '../../../../daemon/boot/dhcp/options.ts';
import { firmware, IPXE, mac, requestOf } from '../../../fakes/boot/dhcp-site.ts';

type Words = Parameters<typeof requestOf>[2] extends { options?: infer O } | undefined ? O : never;

const noPorts = { macOfClientId: () => undefined };

const described = (options: NonNullable<Words>) => {
  const found = describeClient(requestOf(mac(1), 'discover', { options }), noPorts);
  if (found.kind === 'unsupported') return found.reason;
  const { stage, firmware: on, architecture } = found.client;
  return `${stage} ${on} ${architecture}`;
};

test('firmware is recognised by its vendor class and architecture', () => {
  assert.equal(described(firmware('PXEClient', 0)), 'bios bios x86_64');
  assert.equal(described(firmware('PXEClient', 7)), 'uefi-pxe uefi x86_64');
  assert.equal(described(firmware('PXEClient', 9)), 'uefi-pxe uefi x86_64');
  assert.equal(described(firmware('PXEClient', 11)), 'uefi-pxe uefi aarch64');
  assert.equal(described(firmware('HTTPClient', 16)), 'uefi-http uefi x86_64');
  assert.equal(described(firmware('HTTPClient', 19)), 'uefi-http uefi aarch64');
});

test('without option 93 the vendor class names the architecture', () => {
  assert.equal(
    described([[optionCode.vendorClass, 'PXEClient:Arch:00007:UNDI:003016']]),
    'uefi-pxe uefi x86_64',
  );
  assert.equal(described([[optionCode.vendorClass, 'PXEClient']]), 'bios undefined undefined');
});

test('the first architecture with a boot loader counts', () => {
  const both = [
    [optionCode.vendorClass, 'PXEClient'],
    [optionCode.architecture, Uint8Array.of(0, 6, 0, 7)],
  ] as const;
  assert.equal(described(both), 'uefi-pxe uefi x86_64');
});

test('firmware for which there is no boot loader is reported with its architecture number', () => {
  for (const architecture of [6, 10, 15, 18, 20, 31])
    assert.equal(
      described(firmware('PXEClient', architecture)),
      `there is no boot loader for firmware of architecture type ${architecture} (DHCP option 93)`,
    );
});

test("iPXE is recognised by its option or user class, even if it also sends the firmware's vendor class", () => {
  assert.equal(described(IPXE), 'ipxe bios x86_64');
  assert.equal(
    described([...firmware('PXEClient', 7), [optionCode.userClass, '\u0004iPXE']]),
    'ipxe uefi x86_64',
  );
  assert.equal(
    described([...firmware('PXEClient', 7), [optionCode.ipxe, Uint8Array.of(1)]]),
    'ipxe uefi x86_64',
  );
  assert.equal(described([[optionCode.ipxe, new Uint8Array()]]), 'ipxe undefined undefined');
});

test('other user classes are not iPXE', () => {
  assert.equal(described([[optionCode.userClass, 'iPXE-like']]), 'os undefined undefined');
});

test('a client that is neither firmware nor iPXE is an operating system', () => {
  assert.equal(described([]), 'os undefined undefined');
  assert.equal(described([[optionCode.vendorClass, 'udhcp 1.35.0']]), 'os undefined undefined');
});

/** What an InfiniBand card sends: no hardware address, but a client identifier that ends in its GUID. */
const fromInfiniband = (identifier: string) =>
  requestOf(mac(1), 'discover', {
    hardwareType: 32,
    hardwareAddress: new Uint8Array(),
    options: [[optionCode.clientId, Buffer.from(identifier.replaceAll(':', ''), 'hex')]],
  });
const CARD = 'ff:00:00:00:00:00:02:00:00:02:c9:00:7c:fe:90:03:00:29:26:52';

const macs = (identifier: string, port?: string) => {
  const found = describeClient(fromInfiniband(identifier), {
    macOfClientId: (given) => (given === identifier ? port : undefined),
  });
  return found.kind === 'client' ? found.client.mac : found.mac;
};

const unserved = (hardwareType: number) =>
  describeClient(requestOf(mac(1), 'discover', { hardwareType, hardwareAddress: new Uint8Array() }), noPorts);

test('an InfiniBand card is the machine of the port with its client identifier, or else has the MAC address in its GUID', () => {
  assert.equal(macs(CARD, mac(7)), mac(7));
  assert.equal(macs(CARD), '7c:fe:90:29:26:52');
  assert.equal(macs(`20:80:00:00:48:fe:80${':00'.repeat(6)}:7c:fe:90:03:00:29:26:52`), '7c:fe:90:29:26:52');
  assert.equal(macs('01:52:54:00:00:00:01'), undefined);
});

test('other networks, and InfiniBand cards without a client identifier, are not served', () => {
  for (const type of [32, 6])
    assert.deepEqual(unserved(type), {
      kind: 'unsupported',
      mac: undefined,
      reason: `hardware type ${type} with an address of 0 bytes is neither Ethernet nor InfiniBand with a client identifier`,
    });
});
