import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BootingNode, bootFileOf, firstBootFile } from '../../../daemon/boot/boot-choice.ts';
import type { BootProtocol } from '../../../daemon/model/machine/boot-protocols.ts';
import type { BootStage, Client } from '../../../daemon/boot/dhcp/client.ts';

const URL = 'http://10.0.0.1:8080';
const client = (stage: BootStage, more: Partial<Client> = {}): Client => ({
  mac: '52:54:00:00:00:01',
  stage,
  firmware: stage === 'bios' ? 'bios' : 'uefi',
  architecture: 'x86_64',
  ...more,
});
interface Boots {
  readonly node: BootingNode;
  readonly protocol: BootProtocol;
}
const node = (protocol: BootProtocol, secureBoot = false): Boots => ({
  node: { uuid: 'u', secureBoot },
  protocol,
});

const chosen = (asks: Client, of: Boots | undefined) => {
  const question = { client: asks, node: of?.node, serverAddress: '10.0.0.1' };
  const choice = firstBootFile(question, URL, of?.protocol);
  return choice && `${choice.kind} ${bootFileOf(choice)}`;
};
const row = (asks: (stage: BootStage) => Client, of: Boots | undefined) =>
  (['bios', 'uefi-pxe', 'uefi-http', 'ipxe', 'os'] as const).map((stage) => chosen(asks(stage), of));

test('with the boot interface ipxe or http-ipxe, or without a node, firmware loads iPXE, and iPXE loads its script', () => {
  const expected = [
    'tftp undionly.kpxe',
    'tftp snponly.efi',
    `http ${URL}/snponly.efi`,
    `http ${URL}/boot.ipxe`,
    undefined,
  ];
  for (const name of ['ipxe', 'http-ipxe'] as const) assert.deepEqual(row(client, node(name)), expected);
  assert.deepEqual(row(client, undefined), expected, 'a machine that is not enrolled');
});

test('with the boot interface pxe or http, firmware loads pxelinux or GRUB, and so does iPXE in a ROM', () => {
  const expected = [
    'tftp pxelinux.0',
    'tftp bootx64.efi',
    `http ${URL}/bootx64.efi`,
    'tftp bootx64.efi',
    undefined,
  ];
  for (const name of ['pxe', 'http'] as const) assert.deepEqual(row(client, node(name)), expected);
  assert.equal(chosen(client('ipxe', { firmware: 'bios' }), node('pxe')), 'tftp pxelinux.0');
});

test('with Secure Boot, UEFI firmware loads the signed shim instead of iPXE', () => {
  assert.deepEqual(row(client, node('ipxe', true)).slice(0, 3), [
    'tftp undionly.kpxe',
    'tftp bootx64.efi',
    `http ${URL}/bootx64.efi`,
  ]);
});

const arm = (stage: BootStage) => client(stage, { architecture: 'aarch64' });

test('aarch64 has its own loaders', () => {
  assert.equal(chosen(arm('uefi-pxe'), node('ipxe')), 'tftp snponly-arm64.efi');
  assert.equal(chosen(arm('uefi-http'), node('pxe')), `http ${URL}/bootaa64.efi`);
});

test('without an HTTP server only boot files that come by TFTP are named', () => {
  const files = (['uefi-pxe', 'uefi-http', 'ipxe'] as const).map((stage) =>
    firstBootFile({ client: client(stage), node: undefined, serverAddress: '10.0.0.1' }, undefined),
  );
  assert.deepEqual(files, [{ kind: 'tftp', file: 'snponly.efi' }, undefined, undefined]);
});
