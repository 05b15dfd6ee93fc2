// A machine with something to show in every tab of its page: hardware, switch ports, sensors of a day, a boot, an instance.
import { keepReadings } from '../../../daemon/conductor/bmcs/sensor-history.ts';
import type { Services } from '../../../daemon/conductor/services.ts';
import { timestamp } from '../../../daemon/lib/clock.ts';
import { hardwareIn } from '../../../daemon/model/hardware/hardware.ts';
import { hardwareParts } from '../../../daemon/model/hardware/amounts.ts';
import type { SensorReading } from '../../../daemon/model/machine/sensors.ts';
import type { Hop } from '../../../daemon/model/records/machine-event.ts';

const MACS = ['52:54:00:9a:00:01', '52:54:00:9a:00:02'] as const;
const MINUTE = 60_000;
const DAY_READINGS = 144;

const INVENTORY = {
  system_vendor: { manufacturer: 'Dell Inc.', product_name: 'PowerEdge R750', serial_number: '7XK2PQ3' },
  cpu: {
    model_name: 'Intel(R) Xeon(R) Gold 6430 CPU @ 2.10GHz',
    count: 64,
    socket_count: 2,
    architecture: 'x86_64',
  },
  memory: { physical_mb: 262_144 },
  disks: ['S4YNNX0R1', 'S4YNNX0R2'].map((serial, at) => ({
    name: `/dev/nvme${at}n1`,
    size: 1_900_000_000_000,
    model: 'PM9A3',
    serial,
    rotational: false,
    tran: 'nvme',
  })),
  interfaces: MACS.map((mac_address, at) => ({
    name: `ens3f${at}`,
    mac_address,
    speed_mbps: 25_000,
    has_carrier: true,
    ipv4_address: `10.0.0.${61 + at}`,
  })),
};
const PLUGIN_DATA = {
  parsed_lldp: {
    ens3f0: { switch_system_name: 'sw1', switch_port_id: 'Eth1/14', switch_port_untagged_vlan_id: 10 },
    ens3f1: { switch_system_name: 'sw2', switch_port_id: 'Eth1/14' },
  },
  dmi: {
    memory: { devices: Array.from({ length: 8 }, (_, at) => ({ Locator: `A${at + 1}`, Size: '32 GB' })) },
    cpu: [{ 'Core Count': '16' }, { 'Core Count': '16' }],
  },
};

const EVENTS: readonly (readonly [seconds: number, hop: Hop, text: string])[] = [
  [0, 'power', 'power requested: power on'],
  [4, 'power', 'power changed: power on'],
  [104, 'dhcp', 'gets 10.0.0.61 and boot.ipxe (ipxe)'],
  [108, 'tftp', 'received snponly.efi'],
  [112, 'http', 'was sent the kernel (12 MB) and the ramdisk (109 MB)'],
  [127, 'lookup', 'its ramdisk looked up its node'],
  [139, 'heartbeat', 'the agent at https://10.0.0.61:9999 sent a heartbeat'],
  [140, 'agent', 'its agent began deploy step deploy.write_image'],
];
/** Beyond the ids that a running daemon gives to what it sees. */
const FIRST_ID = 1_000_000;
/** How many seconds after power-on the last event was. */
export const BOOT_SECONDS = 140;

/** `now`: the time of the daemon's clock, in milliseconds. */
export function fillMachine({ db, sensors, workTimes }: Services, uuid: string, now: number): void {
  const [inventory, plugin_data] = [INVENTORY, PLUGIN_DATA].map((part) => JSON.stringify(part));
  db.inventory.put(uuid, timestamp(now), { inventory: inventory ?? '', plugin_data: plugin_data ?? '' });
  db.hardware.put({
    node_uuid: uuid,
    source: 'agent',
    inspected_at: timestamp(now),
    compared_with: timestamp(now - 86_400_000),
    hardware: hardwareIn(INVENTORY, PLUGIN_DATA).hardware,
    compared: hardwareParts,
    changes: ['memory was 224 GiB and is 256 GiB'],
  });
  for (const [hop, seconds] of [
    ['dhcp', 100],
    ['tftp', 103],
    ['http', 106],
    ['lookup', 120],
    ['heartbeat', 131],
  ] as const)
    for (const more of [0, 1, 2]) workTimes.store(uuid, [`boot ${hop}`, seconds + more]);
  for (const [index, [seconds, hop, text]] of EVENTS.entries())
    db.machineEvents.insert({
      id: FIRST_ID + index,
      at: timestamp(now - (BOOT_SECONDS - seconds) * 1000),
      hop,
      text,
      node_uuid: uuid,
      mac: null,
      address: null,
      failed: false,
    });
  const node = db.nodes.get(uuid);
  if (node === undefined) throw new Error(`expected node ${uuid} in the database`);
  for (let at = 0; at < DAY_READINGS; at += 1) {
    const time = now - (DAY_READINGS - 1 - at) * 10 * MINUTE;
    const readings = { node, at: time, sensors: sensorsAt(at) };
    db.transaction(() => keepReadings(db, readings));
    sensors.record(readings);
  }
}

function sensorsAt(at: number): readonly SensorReading[] {
  const rest = { health: 'OK', fields: {} } as const;
  return [
    { ...rest, type: 'Temperature', id: 'Inlet', unit: 'celsius', reading: 22 + 3 * Math.sin(at / 20) },
    { ...rest, type: 'Power', id: 'Total', unit: 'watts', reading: at > 60 && at < 90 ? 60 : 171 + (at % 7) },
    { ...rest, type: 'Fan', id: 'Fan 1', unit: 'rpm', reading: 4800 + 100 * (at % 3) },
    { ...rest, type: 'Fan', id: 'Fan 2', unit: 'rpm', reading: 300, health: 'Critical' },
    { ...rest, type: 'Drive', id: 'Bay 1', unit: null, reading: null },
  ];
}
