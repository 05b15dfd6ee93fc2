// Each BMC has one record, whatever is said of it and wherever it answers.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import {
  type BmcSighting,
  knownBmc,
  recordSighting,
} from '../../../../daemon/conductor/finding/record-sighting.ts';
import { createDatabase } from '../../../../daemon/db/database.ts';
import { MOST_FOUND_BMCS } from '../../../../daemon/db/tables/zero-touch/found-bmcs.ts';
import { fakeClock } from '../../../fakes/clock.ts';

const [ONE, TWO] = ['11111111-2222-4333-8444-555555555501', '11111111-2222-4333-8444-555555555502'] as const;
const [M, N] = ['52:54:00:00:09:01', '52:54:00:00:09:02'] as const;

const redfish = (uuid: string | null) => ({
  protocols: ['redfish' as const],
  root: { uuid, vendor: 'Contoso', product: null, version: '1.15.0' },
});
const IPMI = { protocols: ['ipmi' as const], root: undefined };

function site(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'found-bmcs-'));
  const db = createDatabase(join(folder, 'db.sqlite'));
  t.after(() => {
    db.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const clock = fakeClock();
  const see = (sighting: Omit<BmcSighting, 'source'> & Partial<BmcSighting>) => {
    const seen = { source: 'scan' as const, ...sighting };
    return recordSighting({ db, clock }, seen, knownBmc(db.foundBmcs, seen));
  };
  return {
    db,
    clock,
    see,
    hear: (address: string, mac: string) =>
      see({ source: 'dhcp', address, mac, hostname: `h-${mac.at(-1)}` }),
    all: () => db.foundBmcs.list(db.foundBmcs.columns, [], { limit: 99, sortKey: 'id', descending: false }),
    places: () =>
      db.foundBmcs
        .list(['address', 'mac', 'redfish_uuid'], [], { limit: 99, sortKey: 'id', descending: false })
        .map(({ address, mac, redfish_uuid: uuid }) => [address, mac, uuid]),
  };
}

test('a hint makes a record, and the answer completes it', (t) => {
  const { see, hear, all, clock } = site(t);
  assert.equal(hear('10.0.9.1', M).changed.length, 1);
  assert.equal(hear('10.0.9.1', M).changed.length, 0, 'nothing new');
  clock.set(60_000);
  assert.equal(
    see({ address: '10.0.9.1', answer: IPMI }).changed.length,
    1,
    'it has answered for the first time',
  );
  assert.equal(see({ address: '10.0.9.1', answer: redfish(ONE) }).changed.length, 1, 'it has an identity');
  assert.equal(see({ address: '10.0.9.1', answer: redfish(ONE) }).changed.length, 0);
  const [{ uuid: _, ...bmc } = assert.fail(), ...others] = all();
  assert.deepEqual(others, []);
  const [first, later] = ['2026-01-01T00:00:00.000+00:00', '2026-01-01T00:01:00.000+00:00'];
  assert.deepEqual(bmc, {
    address: '10.0.9.1',
    mac: M,
    redfish_uuid: ONE,
    protocols: ['redfish'],
    vendor: 'Contoso',
    product: null,
    redfish_version: '1.15.0',
    hostname: 'h-1',
    vendor_class: null,
    sources: ['dhcp', 'scan'],
    serial_number: null,
    system_uuid: null,
    macs: [],
    node_uuid: null,
    expected_uuid: null,
    stage: 'seen',
    reason: null,
    continued_at: null,
    runbook: null,
    runbooks_done: [],
    first_seen: first,
    last_seen: later,
    created_at: first,
    updated_at: later,
  });
});

test('a BMC that answers elsewhere moves its record, known by its UUID or else by its MAC address', (t) => {
  const { see, places } = site(t);
  see({ address: '10.0.9.1', answer: redfish(ONE) });
  see({ address: '10.0.9.2', mac: N, answer: IPMI });
  assert.equal(see({ address: '10.0.9.3', answer: redfish(ONE) }).changed[0]?.address, '10.0.9.3');
  see({ address: '10.0.9.4', mac: N, answer: IPMI });
  assert.deepEqual(places(), [
    ['10.0.9.3', null, ONE],
    ['10.0.9.4', N, null],
  ]);
});

test('a BMC takes the address that it answers at from the record of another, which stays without an address', (t) => {
  const { see, hear, places } = site(t);
  see({ address: '10.0.9.1', answer: redfish(ONE) });
  const { changed } = see({ address: '10.0.9.1', answer: redfish(TWO) });
  assert.deepEqual(
    changed.map(({ address }) => address),
    [null, '10.0.9.1'],
    'both are told',
  );
  hear('10.0.9.2', M);
  see({ address: '10.0.9.2', mac: N, answer: IPMI });
  assert.deepEqual(places(), [
    [null, null, ONE],
    ['10.0.9.1', null, TWO],
    [null, M, null],
    ['10.0.9.2', N, null],
  ]);
  see({ address: '10.0.9.1', answer: redfish(ONE) });
  see({ address: '10.0.9.9', mac: M, answer: IPMI });
  assert.deepEqual(places()[0], ['10.0.9.1', null, ONE], 'it is back');
  assert.deepEqual(places()[2], ['10.0.9.9', M, null]);
});

test('a record of which only the address is known goes when another BMC has it', (t) => {
  const { see, places } = site(t);
  see({ address: '10.0.9.1', answer: redfish(ONE) });
  see({ address: '10.0.9.2', answer: redfish(null) });
  see({ address: '10.0.9.2', answer: redfish(ONE) });
  assert.deepEqual(places(), [['10.0.9.2', null, ONE]]);
});

test('what others say of a BMC moves no record, takes no address and changes no MAC address', (t) => {
  const { see, hear, places } = site(t);
  see({ address: '10.0.9.1', mac: M, answer: redfish(ONE) });
  see({ address: '10.0.9.2', mac: N, answer: redfish(TWO) });
  for (const address of ['10.0.9.1', '10.0.9.2', '10.0.9.3']) for (const mac of [M, N]) hear(address, mac);
  assert.equal(hear('10.0.9.1', '52:54:00:00:09:99').changed.length, 0);
  see({ address: '10.0.9.1', mac: '52:54:00:00:09:99', answer: redfish(ONE) });
  assert.deepEqual(places(), [
    ['10.0.9.1', M, ONE],
    ['10.0.9.2', N, TWO],
  ]);
});

const text = (number: number) => `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;

test('strangers cannot fill the table: what never answered makes room first, machines that are taken in never', (t) => {
  const { db, see, hear } = site(t);
  db.transaction(() => {
    see({ address: '10.200.0.1', answer: redfish(ONE) });
    for (let each = 1; each < MOST_FOUND_BMCS; each += 1) see({ address: text(each) });
  });
  assert.equal(hear('10.201.0.1', M).changed.length, 1);
  assert.equal(db.foundBmcs.findBy('address', text(1)), undefined, 'the oldest one goes');
  assert.ok(db.foundBmcs.findBy('address', '10.200.0.1'), 'the one that has answered stays');
  for (const { uuid } of db.foundBmcs.where({ sql: 'true', values: [] }))
    db.foundBmcs.update(uuid, { stage: 'managed' });
  assert.deepEqual(hear('10.202.0.1', N), { changed: [], isFull: true });
});
