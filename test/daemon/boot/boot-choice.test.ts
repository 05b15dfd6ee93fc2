import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type BootingNode, bootFileOf, firstBootFile } from '../../../daemon/boot/boot-choice.ts';
import type { BootStage, Client } from '../../../daemon/boot/dhcp/client.ts';

const URL = 'http://10.0.0.1:8080';
const client = (stage: BootStage, more: Partial<Client> = {}): Client => ({
  mac: '52:54:00:00:00:01',
  stage,
  firmware: stage === 'bios' ? 'bios' : 'uefi',
  architecture: 'x86_64',
  ...more,
});
const node = (bootInterface: string, secureBoot = false): BootingNode => ({
  uuid: 'u',
  bootInterface,
  secureBoot,
});

const chosen = (asks: Client, of: BootingNode | undefined) => {
  const choice = firstBootFile({ client: asks, node: of, serverAddress: '10.0.0.1' }, URL);
  return choice && `${choice.kind} ${bootFileOf(choice)}`;
};
const row = (asks: (stage: BootStage) => Client, of: BootingNode | undefined) =>
  (['bios', 'uefi-pxe', 'uefi-http', 'ipxe', 'os'] as const).map((stage) => chosen(asks(stage), of));

test('iPXE interfaces load iPXE, and iPXE its script', () => {
  const expected = [
    'tftp undionly.kpxe',
    'tftp snponly.efi',
    `http ${URL}/snponly.efi`,
    `http ${URL}/boot.ipxe`,
    undefined,
  ];
  for (const name of ['ipxe', 'http-ipxe']) assert.deepEqual(row(client, node(name)), expected);
  assert.deepEqual(row(client, undefined), expected, 'a machine that nobody enrolled');
});

test('the pxe interface loads pxelinux or GRUB, iPXE ROMs too', () => {
  const expected = [
    'tftp pxelinux.0',
    'tftp bootx64.efi',
    `http ${URL}/bootx64.efi`,
    'tftp bootx64.efi',
    undefined,
  ];
  for (const name of ['pxe', 'http']) assert.deepEqual(row(client, node(name)), expected);
  assert.equal(chosen(client('ipxe', { firmware: 'bios' }), node('pxe')), 'tftp pxelinux.0');
});

test('with Secure Boot the signed shim is loaded', () => {
  assert.deepEqual(row(client, node('ipxe', true)).slice(0, 3), [
    'tftp undionly.kpxe',
    'tftp bootx64.efi',
    `http ${URL}/bootx64.efi`,
  ]);
});

const arm = (stage: BootStage) => client(stage, { architecture: 'aarch64' });

test('aarch64 has loaders of its own', () => {
  assert.equal(chosen(arm('uefi-pxe'), node('ipxe')), 'tftp snponly-arm64.efi');
  assert.equal(chosen(arm('uefi-http'), node('pxe')), `http ${URL}/bootaa64.efi`);
});

test('without an HTTP server only what comes by TFTP is named', () => {
  const files = (['uefi-pxe', 'uefi-http', 'ipxe'] as const).map((stage) =>
    firstBootFile({ client: client(stage), node: node('ipxe'), serverAddress: '10.0.0.1' }, undefined),
  );
  assert.deepEqual(files, [{ kind: 'tftp', file: 'snponly.efi' }, undefined, undefined]);
});

test('other boot interfaces boot nothing from the network', () => {
  assert.deepEqual(row(client, node('no-boot')), Array(5).fill(undefined));
});
