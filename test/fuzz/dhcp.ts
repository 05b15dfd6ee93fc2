// npm run fuzz:dhcp [COUNT [SEED]]: sends the DHCP server mutated messages of all kinds of clients, by default a million. A test
// sends a few thousand.
import assert from 'node:assert/strict';
import process from 'node:process';
import type { TestContext } from 'node:test';
import { encodeMessage, messageType } from '../../daemon/boot/dhcp/wire.ts';
import {
  BIOS,
  choosing,
  dhcpSite,
  ip,
  IPXE,
  mac,
  requestOf,
  UEFI,
  UEFI_HTTP,
} from '../fakes/boot/dhcp-site.ts';
import { changedPacket } from './inputs/changed-packet.ts';
import { createRandom, type Random } from './inputs/random.ts';

export interface Tally {
  readonly answered: number;
  readonly silent: number;
}

const MACHINES = 20;
const AT_A_TIME = 50;
const KINDS = Object.keys(messageType) as (keyof typeof messageType)[];

function packet(random: Random): Buffer {
  const clients = [[], BIOS, UEFI, UEFI_HTTP, IPXE] as const;
  const address = random.of(['10.0.0.50', '10.0.0.55', '10.0.0.1', '192.0.2.1', '255.255.255.255']);
  const message = requestOf(mac(random.below(MACHINES)), random.of(KINDS), {
    op: random.once(20) ? 'reply' : 'request',
    relay: random.once(5) ? ip(random.of(['10.0.0.254', '192.0.2.1', '10.0.0.1'])) : 0,
    clientAddress: random.once(3) ? ip(address) : 0,
    options: [
      ...random.of(clients),
      ...(random.once(2) ? choosing(address, random.of(['10.0.0.1', '10.0.0.9'])) : []),
      ...(random.once(4) ? ([[82, Uint8Array.of(1, 2, 3, 4)]] as const) : []),
    ],
  });
  return Buffer.from(encodeMessage(message));
}

const CHANGES = {
  packet,
  place: (random: Random, length: number) =>
    random.once(3) ? random.below(length + 1) : Math.min(length, 240 + random.below(60)),
  telling: [0, 1, 4, 52, 53, 82, 255],
};

/**
 * Asserts that nothing throws or logs an unexpected warning, that type, length and destination of each reply are possible,
 * and that a machine is still served afterwards.
 */
export async function fuzzDhcp(t: Pick<TestContext, 'after'>, count: number, seed: number): Promise<Tally> {
  const random = createRandom(seed);
  const site = dhcpSite(t);
  for (let number = 0; number < MACHINES; number += 1) site.enrol(mac(number));
  const tally = { answered: 0, silent: 0 };
  for (let left = count; left > 0; left -= AT_A_TIME) {
    const batch = Array.from({ length: Math.min(AT_A_TIME, left) }, () =>
      site.say(changedPacket(random, CHANGES)),
    );
    const sent = await Promise.all(batch);
    const replies = sent.flat();
    for (const { type, to, bytes } of replies) {
      assert.ok(type === 'offer' || type === 'acknowledge' || type === 'refuse', type);
      assert.match(to, /^(?:255\.255\.255\.255:68|10\.0\.0\.\d+:6[78])$/);
      assert.ok(bytes.length >= 300 && bytes.length < 1500, `${bytes.length} bytes`);
    }
    tally.answered += replies.length;
    tally.silent += batch.length - replies.length;
    if (random.once(50)) await site.clock.advance(random.below(4_000_000));
  }
  const failures = site.warnings.filter(
    (warning) => !/another DHCP server|are taken|boot loop/.test(warning),
  );
  assert.deepEqual(failures, []);
  await site.clock.advance(4_000_000);
  assert.notEqual(await site.boot(mac(0), UEFI), undefined);
  return tally;
}

if (import.meta.main) {
  const [count = '1000000', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2);
  const ends: (() => void)[] = [];
  console.log(`${count} messages, seed ${seed}`);
  console.log(
    await fuzzDhcp({ after: (end) => void ends.push(end as () => void) }, Number(count), Number(seed)),
  );
  for (const end of ends) end();
}
