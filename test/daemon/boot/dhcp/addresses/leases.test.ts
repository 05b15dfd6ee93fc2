import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { IPV4_LEASES, type Wish } from '../../../../../daemon/boot/dhcp/addresses/lease.ts';
import { AddressLeases, UNUSABLE_MILLISECONDS } from '../../../../../daemon/boot/dhcp/addresses/leases.ts';
import { ipv4Text } from '../../../../../daemon/lib/network/ipv4.ts';
import { dhcpSite, ip, mac, subnetOf } from '../../../../fakes/boot/dhcp-site.ts';

const SUBNET = '10.0.0.0/24 range=10.0.0.50-10.0.0.53 interface=br0';
const NO_WISH: Wish = { reserved: undefined, requested: undefined, isProbed: true };

/** Leases in a database; `again` returns leases that are read from the database again, as by a restarted daemon. */
function opened(t: Pick<TestContext, 'after'>, subnet = SUBNET, leaseSeconds = 100) {
  const { db, clock } = dhcpSite(t);
  const reserved = new Map<number, string>();
  const known = new Set<string>();
  const again = (text = subnet) => {
    const leases = new AddressLeases({
      family: IPV4_LEASES,
      subnets: [subnetOf(text)],
      db,
      clock,
      leaseSeconds,
      isKnown: (client) => known.has(client),
      reservedFor: (address) => reserved.get(address),
    });
    leases.exclude(ip('10.0.0.1'));
    return leases;
  };
  return { db, clock, reserved, known, again, leases: again(), subnet: subnetOf(subnet) };
}

type Opened = ReturnType<typeof opened>;

/** Gives the client an address as a DISCOVER and a REQUEST do. Returns the address, or undefined when none is free. */
function give({ leases, subnet }: Pick<Opened, 'leases' | 'subnet'>, client: string, wish = NO_WISH) {
  const address = leases.candidate(client, subnet, wish);
  if (address === undefined) return undefined;
  leases.offer(client, address);
  assert.ok(leases.mayHave(client, address));
  leases.bind(client, address);
  leases.commit();
  return ipv4Text(address);
}

test('addresses never given before come first, in ascending order, then the one that has been free longest', async (t) => {
  const site = opened(t);
  const given = [1, 2, 3].map((number) => give(site, mac(number)));
  assert.deepEqual(given, ['10.0.0.50', '10.0.0.51', '10.0.0.52']);
  site.leases.release(mac(2), ip('10.0.0.51'));
  site.leases.release(mac(1), ip('10.0.0.50'));
  assert.deepEqual(
    [4, 5, 6, 7].map((number) => give(site, mac(number))),
    ['10.0.0.53', '10.0.0.51', '10.0.0.50', undefined],
  );
});

test('a machine gets its earlier address again after its lease has expired and the daemon has restarted', async (t) => {
  const site = opened(t);
  give(site, mac(1));
  give(site, mac(2));
  await site.clock.advance(1_000_000);
  const restarted = { ...site, leases: site.again() };
  assert.equal(restarted.leases.addressOf(mac(2)), undefined);
  assert.equal(give(restarted, mac(2)), '10.0.0.51');
});

test('a machine gets the address that it requests if that address is free and in a range', (t) => {
  const site = opened(t);
  assert.equal(give(site, mac(1), { ...NO_WISH, requested: ip('10.0.0.53') }), '10.0.0.53');
  assert.equal(give(site, mac(2), { ...NO_WISH, requested: ip('10.0.0.53') }), '10.0.0.50');
  assert.equal(give(site, mac(3), { ...NO_WISH, requested: ip('10.0.0.1') }), '10.0.0.51');
});

test('a reserved address is given to its machine only, also outside the range', (t) => {
  const site = opened(t);
  site.reserved.set(ip('10.0.0.50'), mac(1)).set(ip('10.0.0.9'), mac(2));
  assert.equal(give(site, mac(3)), '10.0.0.51');
  assert.equal(give(site, mac(1), { ...NO_WISH, reserved: ip('10.0.0.50') }), '10.0.0.50');
  assert.equal(give(site, mac(2), { ...NO_WISH, reserved: ip('10.0.0.9') }), '10.0.0.9');
  assert.equal(site.again().addressOf(mac(2)), ip('10.0.0.9'));
});

test('a machine loses its address when that is reserved for another machine, and gets a new one', (t) => {
  const site = opened(t);
  give(site, mac(1));
  site.reserved.set(ip('10.0.0.50'), mac(2));
  assert.equal(site.leases.mayHave(mac(1), ip('10.0.0.50')), false);
  assert.equal(
    give(site, mac(2), { ...NO_WISH, reserved: ip('10.0.0.50') }),
    '10.0.0.51',
    'the reserved address is still in use',
  );
  assert.equal(give(site, mac(1)), '10.0.0.52');
});

test('an offer is not a lease, and its address is free again after 30 s or a restart', async (t) => {
  const { leases, subnet, clock, again } = opened(t, '10.0.0.0/24 range=10.0.0.50-10.0.0.50 interface=br0');
  leases.offer(mac(1), ip('10.0.0.50'));
  leases.commit();
  assert.equal(leases.addressOf(mac(1)), undefined);
  assert.equal(leases.candidate(mac(2), subnet, NO_WISH), undefined);
  assert.equal(again().candidate(mac(2), subnet, NO_WISH), ip('10.0.0.50'), 'a restart forgets the offer');
  await clock.advance(30_000);
  assert.equal(leases.candidate(mac(2), subnet, NO_WISH), ip('10.0.0.50'));
});

test('a machine that gets a new address does not free its old one if another machine has taken it', async (t) => {
  const site = opened(t);
  give(site, mac(1));
  await site.clock.advance(200_000);
  site.leases.offer(mac(1), ip('10.0.0.50'));
  site.leases.withdraw(mac(1));
  assert.equal(give(site, mac(2), { ...NO_WISH, requested: ip('10.0.0.50') }), '10.0.0.50');
  site.leases.bind(mac(1), ip('10.0.0.51'));
  assert.equal(site.leases.mayHave(mac(3), ip('10.0.0.50')), false);
});

test('a release by the former holder of an address does not end the lease of its new holder', async (t) => {
  const site = opened(t);
  const address = ip('10.0.0.50');
  give(site, mac(1));
  await site.clock.advance(200_000);
  site.leases.offer(mac(1), address);
  site.leases.withdraw(mac(1));
  give(site, mac(2), { ...NO_WISH, requested: address });
  site.leases.release(mac(1), address);
  assert.equal(site.leases.addressOf(mac(2)), address);
});

test('an offer is not stored as a lease, even if the address was released just before', async (t) => {
  const site = opened(t);
  const address = ip('10.0.0.50');
  give(site, mac(1));
  site.leases.release(mac(1), address);
  site.leases.offer(mac(2), address);
  site.leases.commit();
  assert.equal(site.again().of(mac(2)), undefined);
});

test('leases outside the configured ranges are forgotten when the daemon starts', (t) => {
  const site = opened(t);
  give(site, mac(1));
  give(site, mac(2));
  const other = site.again('10.0.0.0/24 range=10.0.0.51-10.0.0.60 interface=br0');
  assert.equal(other.mayHave(mac(1), ip('10.0.0.50')), false);
  assert.equal(other.addressOf(mac(2)), ip('10.0.0.51'));
  assert.deepEqual(
    site.db.dhcpLeases.list().map(({ address }) => address),
    ['10.0.0.51'],
  );
});

test('setting the clock of the host neither ends leases nor keeps them for years', async (t) => {
  const site = opened(t);
  give(site, mac(1));
  site.clock.set(86_400_000);
  assert.equal(site.leases.addressOf(mac(1)), ip('10.0.0.50'), 'set forwards');
  site.clock.set(-1_000_000_000);
  const restarted = site.again();
  await site.clock.advance(600_000);
  assert.equal(restarted.addressOf(mac(1)), undefined, 'set back');
});

type ClientStep = {
  readonly kind: 'ask' | 'release' | 'decline' | 'offer' | 'withdraw';
  readonly client: number;
  readonly wish: number;
};
type Step =
  | ClientStep
  | { readonly kind: 'pass'; readonly milliseconds: number }
  | { readonly kind: 'restart' };

const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'ask' as const,
        'ask' as const,
        'offer' as const,
        'release' as const,
        'decline' as const,
        'withdraw' as const,
      ),
      client: fc.nat(8),
      wish: fc.nat(9),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), milliseconds: fc.nat(150_000) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
);

test('no address is leased to two machines at a time, in random sequences of client messages, waits and restarts', async (t) => {
  const { after, endAll } = endings();
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { maxLength: 60 }), async (list) => {
      const site = opened({ after });
      try {
        await run(site, list);
      } finally {
        endAll();
      }
    }),
    { numRuns: 60 },
  );
  t.after(endAll);
});

/** The address that each machine was promised, and until when; the machine relies on both, whatever the server does. */
type Promised = Map<string, { readonly address: number; readonly until: number }>;

const acts: Readonly<
  Record<ClientStep['kind'], (site: Opened, promised: Promised, client: string, requested: number) => void>
> = {
  ask({ leases, subnet, clock }, promised, client, requested) {
    const address = requested < ip('10.0.0.52') ? requested : leases.candidate(client, subnet, NO_WISH);
    if (address === undefined || !leases.mayHave(client, address)) return;
    leases.bind(client, address);
    promised.set(client, { address, until: clock.monotonic() + 100_000 });
  },
  release({ leases }, promised, client) {
    leases.release(client, promised.get(client)?.address ?? 0);
    promised.delete(client);
  },
  decline({ leases }, promised, client) {
    const address = promised.get(client)?.address;
    if (address !== undefined && leases.addressOf(client) === address)
      leases.setAside(address, UNUSABLE_MILLISECONDS);
    promised.delete(client);
  },
  offer({ leases, subnet }, _, client, requested) {
    const address = leases.candidate(client, subnet, { ...NO_WISH, requested });
    if (address !== undefined) leases.offer(client, address);
  },
  withdraw({ leases }, _, client) {
    leases.withdraw(client);
  },
};

async function run(opening: Opened, list: readonly Step[]): Promise<void> {
  const promised: Promised = new Map();
  let site = opening;
  for (const step of list) {
    if (step.kind === 'pass') await site.clock.advance(step.milliseconds);
    else if (step.kind === 'restart') site = { ...site, leases: site.again() };
    else {
      acts[step.kind](site, promised, mac(step.client), ip('10.0.0.47') + step.wish);
      site.leases.commit();
    }
    assertKept(site, promised);
  }
}

function assertKept({ leases, clock }: Opened, promised: Promised): void {
  const held = [...promised].filter(([, { until }]) => until > clock.monotonic());
  const used = held.map(([, { address }]) => address);
  assert.equal(new Set(used).size, used.length, 'an address was given twice');
  for (const [client, { address }] of held)
    assert.equal(leases.addressOf(client), address, 'a promise was forgotten');
}

function endings() {
  let open: (() => void)[] = [];
  return {
    after: ((end: () => void) => void open.push(end)) as TestContext['after'],
    endAll: () => {
      for (const end of open) end();
      open = [];
    },
  };
}

test('ten thousand machines get addresses, which are free again when their leases have expired', async (t) => {
  const site = opened(t, '10.0.0.0/16 range=10.0.1.0-10.0.40.15 interface=br0', 1000);
  const { leases, subnet, clock } = site;
  const all = (from: number) => {
    const given = new Set<number>();
    for (let number = from; number < from + 10_000; number += 1) {
      const address = leases.candidate(mac(number), subnet, NO_WISH);
      assert.ok(address !== undefined);
      leases.bind(mac(number), address);
      given.add(address);
    }
    leases.commit();
    return given.size;
  };
  assert.equal(all(0), 10_000);
  assert.equal(leases.candidate(mac(99_999), subnet, NO_WISH), undefined);
  await clock.advance(1_000_000);
  assert.equal(all(20_000), 10_000);
  assert.equal(site.again().addressOf(mac(20_000)), ip('10.0.1.0'));
});
