// npm run fuzz:dhcp6 [COUNT [SEED]]: sends the DHCPv6 server mutated messages of all kinds of clients and relays, by default a
// million. A test sends a few thousand.
import assert from 'node:assert/strict';
import process from 'node:process';
import type { TestContext } from 'node:test';
import { dhcp6Code, dhcp6Type, encodeDhcp6, encodeRelayed } from '../../daemon/boot/dhcp6/dhcp6-wire.ts';
import {
  association,
  dhcp6Site,
  ip6,
  IPXE6,
  messageOf,
  toServer,
  UEFI6,
  UEFI_HTTP6,
} from '../fakes/dhcp6/dhcp6-site.ts';
import { mac } from '../fakes/boot/dhcp-site.ts';
import type { Tally } from './dhcp.ts';
import { changedPacket } from './inputs/changed-packet.ts';
import { createRandom, type Random } from './inputs/random.ts';

const MACHINES = 20;
const AT_A_TIME = 50;
const KINDS = Object.keys(dhcp6Type) as (keyof typeof dhcp6Type)[];
const ADDRESSES = ['2001:db8::50', '2001:db8::55', '2001:db8::1', '2001:db8:9::1', 'ff02::1', '::'];

function packet(random: Random): Buffer {
  const named = random.once(2) ? [random.of(ADDRESSES)] : [];
  const bytes = encodeDhcp6(
    messageOf(mac(random.below(MACHINES)), random.of(KINDS), [
      association(named, random.below(3)),
      ...random.of([[], UEFI6, UEFI_HTTP6, IPXE6] as const),
      ...(random.once(2) ? [toServer] : []),
      ...(random.once(4) ? [{ code: dhcp6Code.rapidCommit, value: new Uint8Array() }] : []),
      ...(random.once(4) ? [{ code: dhcp6Code.optionRequest, value: Uint8Array.of(0, 23, 0, 59) }] : []),
    ]),
  );
  if (!random.once(4)) return bytes;
  const hop = () => ({
    hops: random.below(9),
    link: ip6(random.of(ADDRESSES)),
    peer: ip6(random.of([...ADDRESSES, 'fe80::5054:ff:fe00:1'])),
    options: random.once(2) ? [{ code: dhcp6Code.interfaceId, value: Buffer.from('port 7') }] : [],
  });
  const hops = Array.from({ length: 1 + random.below(10) }, hop);
  return Buffer.from(encodeRelayed('relayForward', hops, bytes));
}

const CHANGES = {
  packet,
  place: (random: Random, length: number) => random.below(length + 1),
  telling: [0, 1, 3, 5, 9, 12, 255],
};

/**
 * Asserts that nothing throws or logs an unexpected warning, that type and destination of each reply are possible, that every
 * address is of the pool, and that a machine is still served afterwards.
 */
export async function fuzzDhcp6(t: Pick<TestContext, 'after'>, count: number, seed: number): Promise<Tally> {
  const random = createRandom(seed);
  const site = dhcp6Site(t);
  for (let number = 0; number < MACHINES; number += 1) site.enrol(mac(number));
  const tally = { answered: 0, silent: 0 };
  const sources = ['fe80::1', 'fe80::5054:ff:fe00:2', '2001:db8::2'];
  for (let left = count; left > 0; left -= AT_A_TIME) {
    const size = Math.min(AT_A_TIME, left);
    const sent = await Promise.all(
      Array.from({ length: size }, () => site.say(changedPacket(random, CHANGES), random.of(sources))),
    );
    const replies = sent.flat();
    for (const { type, to, address = '2001:db8::50', relays } of replies) {
      assert.ok(type === 'advertise' || type === 'reply', type);
      assert.match(to, relays.length > 0 ? /\]:547$/ : /^\[fe80::[^\]]+\]:546$/);
      assert.ok(relays.length <= 8);
      assert.match(address, /^2001:db8:/);
    }
    tally.answered += replies.length;
    tally.silent += size - replies.length;
    if (random.once(50)) await site.clock.advance(random.below(4_000_000));
  }
  assert.deepEqual(
    site.warnings.filter((warning) => !/another DHCP server|are taken|boot loop/.test(warning)),
    [],
  );
  await site.clock.advance(4_000_000);
  assert.equal((await site.boot(mac(0), UEFI6))?.type, 'reply');
  return tally;
}

if (import.meta.main) {
  const [count = '1000000', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
  const ends: (() => void)[] = [];
  console.log(`${count} messages, seed ${seed}`);
  console.log(
    await fuzzDhcp6({ after: (end) => void ends.push(end as () => void) }, Number(count), Number(seed)),
  );
  for (const end of ends) end();
}
