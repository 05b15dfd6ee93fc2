// Why the daemon does not use the npm package `dhcp` as its server: each fault next to what the daemon's own server does.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { addressesValue, optionCode } from '../../../daemon/boot/dhcp/options.ts';
import { encodeMessage, messageType } from '../../../daemon/boot/dhcp/wire.ts';
import { choosing, dhcpSite, ip, mac, requestOf } from '../../fakes/boot/dhcp-site.ts';

const SCRIPT = join(import.meta.dirname, '../../fakes/boot/npm-dhcp.mjs');
const PATIENCE_MILLISECONDS = 3000;

type Packets = readonly Uint8Array[];
interface Pool {
  readonly last: string;
  readonly randomIP: boolean;
}

/**
 * The replies of the package as text, each with its message type and address. `dies` when its process fails, `never ends` when the
 * process still runs after PATIENCE_MILLISECONDS.
 */
function npmServer(packets: Packets, { last, randomIP }: Pool): string {
  const config = {
    range: ['10.0.0.50', last],
    randomIP,
    server: '10.0.0.1',
    router: ['10.0.0.254'],
    dns: ['10.0.0.2'],
    netmask: '255.255.255.0',
    broadcast: '10.0.0.255',
  };
  const words = [SCRIPT, JSON.stringify(config), ...packets.map((each) => Buffer.from(each).toString('hex'))];
  const ended = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: PATIENCE_MILLISECONDS });
  if (ended.signal !== null) return 'never ends';
  return ended.status === 0 ? ended.stdout.trim().split('\n').join(', ') : 'dies';
}

async function ownServer(t: TestContext, packets: Packets, { last }: Pool): Promise<string> {
  const site = dhcpSite(t, {
    subnets: [`10.0.0.0/24 range=10.0.0.50-${last} router=10.0.0.254 dns=10.0.0.2 interface=br0`],
    knownMachinesOnly: false,
  });
  const said: string[] = [];
  for (const packet of packets)
    for (const { type, address } of await site.say(packet))
      said.push(`${messageType[type as keyof typeof messageType]} ${address}`);
  return said.join(', ');
}

const [A, B, C] = [mac(1), mac(2), mac(3)];
const wanting = (...codes: readonly number[]) =>
  [[optionCode.parameterList, Uint8Array.from(codes)]] as const;
const asking = (address: string) => [[optionCode.requestedAddress, addressesValue([ip(address)])]] as const;

/** A DISCOVER with a PAD byte before its options. */
function padded(): Uint8Array {
  const packet = Buffer.from(encodeMessage(requestOf(A, 'discover', { options: asking('10.0.0.52') })));
  return Buffer.concat([packet.subarray(0, 240), Buffer.of(0), packet.subarray(240)]);
}

const discover = (client: string) => encodeMessage(requestOf(client, 'discover'));
const large: Pool = { last: '10.0.0.59', randomIP: false };

const faults: Readonly<
  Record<
    string,
    { readonly packets: Packets; readonly pool?: Pool; readonly npm: string; readonly own: string }
  >
> = {
  'a request list with option 60, as iPXE and UEFI firmware send it': {
    packets: [encodeMessage(requestOf(A, 'discover', { options: wanting(1, 3, 60) }))],
    npm: 'dies',
    own: '2 10.0.0.50',
  },
  'a request list with an option nobody knows': {
    packets: [encodeMessage(requestOf(A, 'discover', { options: wanting(1, 224) }))],
    npm: 'dies',
    own: '2 10.0.0.50',
  },
  'a short packet': { packets: [new Uint8Array(20), discover(A)], npm: 'dies', own: '2 10.0.0.50' },
  'a PAD byte before the options': { packets: [padded()], npm: 'dies', own: '2 10.0.0.52' },
  'a full pool with random addresses (the default of the package)': {
    packets: [discover(A), discover(B), discover(C)],
    pool: { last: '10.0.0.51', randomIP: true },
    npm: 'never ends',
    own: '2 10.0.0.50, 2 10.0.0.51',
  },
  'a request for the offer of another server': {
    packets: [encodeMessage(requestOf(A, 'request', { options: choosing('10.0.0.77', '10.0.0.9') }))],
    npm: '5 10.0.0.50',
    own: '',
  },
  'a machine that comes with an address of another network': {
    packets: [encodeMessage(requestOf(A, 'request', { options: asking('192.168.7.7') }))],
    npm: '5 10.0.0.50',
    own: '6 0.0.0.0',
  },
  'an address that a machine released': {
    packets: [
      encodeMessage(requestOf(A, 'request', { options: choosing('10.0.0.50') })),
      encodeMessage(requestOf(A, 'release', { clientAddress: ip('10.0.0.50') })),
      discover(B),
      encodeMessage(requestOf(B, 'request', { options: choosing('10.0.0.50') })),
    ],
    pool: { last: '10.0.0.50', randomIP: false },
    npm: '5 10.0.0.50, 2 undefined, 5 undefined',
    // anybody can send a RELEASE in the machine's name, so a machine without a port does not get the address
    own: '5 10.0.0.50, 6 0.0.0.0',
  },
  'an address that a machine found in use': {
    packets: [
      encodeMessage(requestOf(A, 'request', { options: choosing('10.0.0.50') })),
      encodeMessage(requestOf(A, 'decline', { options: choosing('10.0.0.50') })),
      discover(A),
    ],
    npm: '5 10.0.0.50, 2 10.0.0.50',
    own: '5 10.0.0.50, 2 10.0.0.51',
  },
};

for (const [name, { packets, pool = large, npm, own }] of Object.entries(faults))
  test(`the npm package fails, and the daemon does not, at ${name}`, async (t) => {
    assert.equal(npmServer(packets, pool), npm);
    assert.equal(await ownServer(t, packets, pool), own);
  });
