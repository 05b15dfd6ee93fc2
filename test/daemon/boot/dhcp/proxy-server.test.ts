import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { firstBootFile } from '../../../../daemon/boot/boot-choice.ts';
import type { BootEvent } from '../../../../daemon/boot/boot-event.ts';
import { knownMachines } from '../../../../daemon/boot/dhcp/known-machines.ts';
import { addressOption, optionCode, textOption } from '../../../../daemon/boot/dhcp/options.ts';
import type { DhcpHint } from '../../../../daemon/boot/dhcp/requests/bmc-hint.ts';
import { ProxyDhcpServer } from '../../../../daemon/boot/dhcp/proxy-server.ts';
import { Reports } from '../../../../daemon/boot/dhcp/reports.ts';
import { decodeMessage, type DhcpMessage, encodeMessage } from '../../../../daemon/boot/dhcp/wire.ts';
import { ipv4Text } from '../../../../daemon/lib/network/ipv4.ts';
import { createLogger } from '../../../../daemon/lib/logger.ts';
import {
  BIOS,
  choosing,
  dhcpSite,
  ip,
  IPXE,
  mac,
  requestOf,
  SERVER,
  subnetOf,
  UEFI,
  UEFI_HTTP,
} from '../../../fakes/boot/dhcp-site.ts';

const A = mac(1);

function proxy(t: TestContext) {
  const { db, clock, loops, enrol } = dhcpSite(t);
  enrol(A);
  const events: BootEvent[] = [];
  const log = createLogger({ level: 'silent', mask: (fields) => fields });
  const machines = knownMachines(db);
  const record = (event: BootEvent) => void events.push(event);
  const hints: DhcpHint[] = [];
  const hear = (hint: DhcpHint) => void hints.push(hint);
  const services = {
    subnets: [subnetOf('10.0.0.0/24 interface=br0')],
    machines,
    loops,
    bootFor: (question: Parameters<typeof firstBootFile>[0]) => firstBootFile(question, 'http://10.0.0.1'),
    servesUnknown: () => false,
    isForBmcs: () => true,
    awaitsReport: () => false,
    reports: new Reports({ log, clock, db, loops, machines, record, hear }),
  };
  const server = new ProxyDhcpServer(services, { name: 'br0', address: ip(SERVER) });
  const sent: string[] = [];
  const keep = (bytes: Uint8Array, to: { readonly address: number; readonly port: number }) => {
    const decoded = decodeMessage(bytes);
    assert.ok(decoded.kind === 'message');
    const { options, yourAddress, nextServer, file } = decoded.message;
    const vendor = Buffer.from(options.get(optionCode.vendorSpecific) ?? []).toString('hex');
    sent.push(
      `${options.get(53)?.[0]} ${textOption(options, 60)} ${vendor} ${file} from ${ipv4Text(nextServer)} to ${ipv4Text(to.address)}:${to.port}`,
    );
    assert.equal(yourAddress, 0);
    assert.equal(addressOption(options, optionCode.serverId), ip(SERVER));
    assert.equal(options.has(optionCode.leaseTime), false);
  };
  return {
    events,
    hints,
    discover: (message: DhcpMessage) => {
      server.receiveDiscover(encodeMessage(message), keep);
      return sent.splice(0);
    },
    request: (message: DhcpMessage) => {
      server.receiveRequest(encodeMessage(message), { address: ip('10.0.0.77'), port: 4011 }, keep);
      return sent.splice(0);
    },
  };
}

test('firmware and iPXE are told what to boot, and get no address', (t) => {
  const { discover } = proxy(t);
  const offered = (options: typeof BIOS) => discover(requestOf(A, 'discover', { options }));
  const everybody = 'from 10.0.0.1 to 255.255.255.255:68';
  assert.deepEqual(offered(BIOS), [`2 PXEClient 060108ff undionly.kpxe ${everybody}`]);
  assert.deepEqual(offered(UEFI), [`2 PXEClient 060108ff snponly.efi ${everybody}`]);
  assert.deepEqual(offered(IPXE), [`2 PXEClient 060108ff http://10.0.0.1/boot.ipxe ${everybody}`]);
  assert.deepEqual(offered(UEFI_HTTP), [`2 HTTPClient  http://10.0.0.1/snponly.efi ${everybody}`]);
});

test('a machine without a port that takes the address of another server says where it is going to be', (t) => {
  const { discover, hints } = proxy(t);
  const options = choosing('10.0.0.70', '10.0.0.3');
  for (const each of [A, mac(2)]) assert.deepEqual(discover(requestOf(each, 'request', { options })), []);
  assert.deepEqual(
    hints.map(({ mac: who, address }) => [who, address]),
    [[mac(2), '10.0.0.70']],
  );
});

test('on port 4011 the answer goes to where the request came from', (t) => {
  const { request } = proxy(t);
  const message = requestOf(A, 'request', { clientAddress: ip('10.0.0.77'), options: UEFI });
  assert.deepEqual(request(message), ['5 PXEClient 060108ff snponly.efi from 10.0.0.1 to 10.0.0.77:4011']);
});

test('operating systems, unknown machines, replies, and messages of the wrong type for the port get no answer', (t) => {
  const { discover, request, events } = proxy(t);
  assert.deepEqual(discover(requestOf(A, 'discover')), [], 'an operating system');
  assert.deepEqual(discover(requestOf(A, 'request', { options: UEFI })), [], 'a REQUEST on port 67');
  assert.deepEqual(request(requestOf(A, 'discover', { options: UEFI })), []);
  assert.deepEqual(discover(requestOf(A, 'offer', { op: 'reply', options: UEFI })), []);
  assert.deepEqual(discover(requestOf(mac(2), 'discover', { options: UEFI })), [], 'an unknown machine');
  assert.deepEqual(events, [
    {
      hop: 'proxydhcp',
      mac: mac(2),
      text: 'gets no answer: no port has this MAC address (uefi-pxe)',
      failed: true,
    },
  ]);
});
