// What is around the machines of a made-up site: leases, boots, readings of sensors, images, BMCs without a machine.
import { randomUUID } from 'node:crypto';
import { keepReadings } from '../../daemon/conductor/bmcs/sensor-history.ts';
import type { Services } from '../../daemon/conductor/services.ts';
import { draftRecord } from '../../daemon/conductor/records/new-record.ts';
import { type Image, imageFields } from '../../daemon/model/instance/image.ts';
import { type FoundBmc, foundBmcFields } from '../../daemon/model/zero-touch/found-bmc.ts';
import { ago, DAY, GIGABYTE, HOUR, macOf, MINUTE, two } from './made-up-facts.ts';

/** Adds what is around the machines: leases, boots, readings of sensors, images, BMCs without a machine, history. */
export function addSurroundings(services: Services, uuids: readonly string[]): void {
  const { db, clock } = services;
  for (const [at] of uuids.slice(0, 180).entries())
    db.dhcpLeases.put({
      address: `10.20.0.${50 + at}`,
      mac: macOf(at),
      expires_at: clock.now() + (20 + (at % 40)) * MINUTE,
    });
  for (let at = 0; at < 15; at += 1)
    db.dhcpLeases.put({
      address: `10.20.8.${10 + at}`,
      mac: at === 3 ? null : `0c:42:a1:00:00:${two(at)}`,
      expires_at: clock.now() + 12 * MINUTE,
    });
  db.dhcpRivals.put({ address: '10.20.0.7', interface: 'eno2', last_seen: clock.now() - 4 * MINUTE });
  boots(services, uuids);
  sensors(services, uuids);
  for (const image of IMAGES) db.images.insert(draftRecord<Image>(imageFields, image));
  for (const bmc of FOUND) db.foundBmcs.insert(foundBmc(bmc));
  const [, , , , failed = ''] = uuids;
  db.history.insert({
    uuid: randomUUID(),
    node_uuid: failed,
    created_at: ago(9 * MINUTE),
    severity: 'ERROR',
    event: 'Timeout reached while waiting for the first heartbeat of the agent.',
    event_type: 'deploying',
    conductor: 'north-3',
    user: 'anna',
    state: 'deploy failed',
    target_provision_state: 'active',
    duration_seconds: 1800,
  });
}

const isoAgo = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString();

function boots({ timeline, db }: Services, uuids: readonly string[]): void {
  // with the seconds after power-on
  const events = [
    [0, 'power', 'power changed: power on'],
    [118, 'dhcp', 'is offered 10.20.0.52 and told to boot snponly.efi (UEFI firmware)'],
    [120, 'tftp', 'received snponly.efi'],
    [127, 'dhcp', 'gets 10.20.0.52 and is told to boot boot.ipxe (iPXE)'],
    [131, 'http', 'received nodes/kernel'],
    [148, 'http', 'received nodes/ramdisk'],
    [186, 'lookup', 'found its node'],
    [187, 'heartbeat', 'the agent is running'],
  ] as const;
  const place = { mac: null, address: null, failed: false };
  // above those that the recorder gives
  let id = 1000;
  for (const node_uuid of uuids.slice(0, 4))
    for (const [seconds, hop, text] of events) {
      id += 1;
      db.machineEvents.insert({
        id,
        at: isoAgo(7 * MINUTE - seconds * 1000),
        hop,
        node_uuid,
        text,
        ...place,
      });
    }
  const [, , , , failed = ''] = uuids;
  const text = 'power changed: power on';
  db.machineEvents.insert({
    id: id + 1,
    at: isoAgo(10 * MINUTE),
    hop: 'power',
    node_uuid: failed,
    text,
    ...place,
  });
  for (const number of [1, 2, 3])
    timeline.record({
      hop: 'dhcp',
      mac: `b8:3f:d2:00:00:0${number}`,
      text: 'gets no answer: no port has this MAC address ([dhcp_server] known_machines_only)',
      failed: true,
    });
}

const READINGS_OF_A_DAY = 144;

const reading = (type: string, id: string, value: number, unit: 'celsius' | 'watts' | 'rpm') =>
  ({ type, id, reading: value, unit, health: 'OK', fields: {} }) as const;

function sensors({ sensors: readings, db }: Services, uuids: readonly string[]): void {
  for (const [at, uuid] of uuids.entries()) {
    const node = db.nodes.get(uuid);
    if (node?.power_state !== 'power on') continue;
    readings.record({
      node,
      at: Date.now() - 2 * MINUTE,
      sensors: [
        reading('Temperature', 'Inlet', 22 + (at % 5), 'celsius'),
        reading('Temperature', 'CPU1', 48 + (at % 9), 'celsius'),
        reading('Power', 'System', 180 + (at % 11) * 14, 'watts'),
        { ...reading('Fan', 'Fan 2', 6800, 'rpm'), health: at === 1 ? 'Warning' : 'OK' },
      ],
    });
  }
  const [drawn = ''] = uuids;
  const node = db.nodes.get(drawn);
  if (node === undefined) return;
  for (let at = 0; at < READINGS_OF_A_DAY; at += 1)
    keepReadings(db, {
      node,
      at: Date.now() - (READINGS_OF_A_DAY - at) * 10 * MINUTE,
      sensors: [
        reading('Temperature', 'Inlet', 22 + 2 * Math.sin(at / 20), 'celsius'),
        reading('Power', 'System', at > 60 && at < 90 ? 40 : 180 + (at % 7), 'watts'),
      ],
    });
}

const READY: Partial<Image> = {
  state: 'ready',
  architecture: 'x86_64',
  signature: 'none',
  fetched_at: ago(4 * DAY),
  created_at: ago(30 * DAY),
};
const IMAGES: readonly Partial<Image>[] = [
  {
    ...READY,
    name: 'debian-13',
    source: 'https://images.example/debian-13-generic-amd64.qcow2',
    bytes: 0.4 * GIGABYTE,
    sha256: 'ab'.repeat(32),
    login_user: 'debian',
  },
  {
    ...READY,
    name: 'rocky-9',
    source: 'https://images.example/Rocky-9-GenericCloud.qcow2',
    bytes: 0.6 * GIGABYTE,
    sha256: 'cd'.repeat(32),
    login_user: 'rocky',
  },
  {
    name: 'ubuntu-24.04',
    source: 'https://images.example/noble.img',
    state: 'fetching',
    created_at: ago(HOUR),
  },
  {
    name: 'burn-in',
    source: 'oci://registry.example/burn-in:7',
    state: 'failed',
    error: 'registry.example does not resolve on this host; correct the source, or the DNS of this host.',
    created_at: ago(HOUR),
  },
];

const FOUND: readonly Partial<FoundBmc>[] = [
  {
    address: '10.21.0.201',
    vendor: 'Dell Inc.',
    product: 'iDRAC',
    serial_number: 'CZ22310Q9X',
    reason: 'No delivery list names its serial number. Accept it, or import the list.',
  },
  {
    address: '10.21.0.202',
    vendor: 'HPE',
    product: 'iLO 6',
    serial_number: 'CZ22310Q9Z',
    reason: 'No delivery list names its serial number. Accept it, or import the list.',
  },
];

const foundBmc = (given: Partial<FoundBmc>): FoundBmc =>
  draftRecord<FoundBmc>(foundBmcFields, {
    protocols: ['redfish'],
    sources: ['scan'],
    first_seen: ago(3 * HOUR),
    last_seen: ago(5 * MINUTE),
    created_at: ago(3 * HOUR),
    updated_at: ago(5 * MINUTE),
    ...given,
  });
