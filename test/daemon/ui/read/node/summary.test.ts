import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { hardwareIn } from '../../../../../daemon/model/hardware/hardware.ts';
import { cardsShown } from '../../../../../daemon/ui/read/node/neighbours.ts';
import {
  diskSize,
  diskSummary,
  memorySize,
  memorySummary,
  networkSummary,
  processorSummary,
  shortModel,
} from '../../../../../daemon/ui/read/node/summary.ts';

const nothing = hardwareIn({}, {}).hardware;
const port = {
  address: '52:54:00:9a:00:02',
  local_link_connection: { switch_info: 'sw2', port_id: 'Eth1/9' },
};

describe('what a machine is made of, in a few words', () => {
  it('names a processor without what all of them have', () => {
    const models = [
      'Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz',
      'AMD EPYC 9354P 32-Core Processor',
      'Neoverse-N1',
      '',
    ];
    assert.deepEqual(models.map(shortModel), ['Xeon Gold 6338', 'AMD EPYC 9354P 32-Core', 'Neoverse-N1', '']);
    assert.deepEqual(processorSummary({ ...nothing, cpu_model: 'EPYC', cpus: 2, cores: 64, threads: null }), {
      title: '2 × EPYC',
      more: ['64 cores'],
    });
  });

  it('counts equal modules and disks, the most frequent first', () => {
    const disks = [480e9, 1.6e12, 1.6e12].map((bytes) => ({ id: null, bytes, kind: 'nvme' }) as const);
    assert.deepEqual(diskSummary({ ...nothing, disks }), {
      title: '2 × 1.6 TB NVMe, 480 GB NVMe',
      more: ['3.7 TB in all'],
    });
    const dimms = Array.from({ length: 8 }, (_, at) => ({ slot: `A${at}`, mib: 32_768 }));
    assert.deepEqual(memorySummary({ ...nothing, memory_mib: 262_144, dimms }), {
      title: '256 GiB',
      more: ['8 × 32 GiB'],
    });
    assert.deepEqual([43e9, 1.92e12, 100].map(diskSize), ['43 GB', '1.9 TB', '1 GB']);
    assert.deepEqual([512, 1536].map(memorySize), ['512 MiB', '1.5 GiB']);
  });

  it('is empty where nothing is known', () => {
    const empty = { title: '', more: [] };
    const summaries = [processorSummary, memorySummary, diskSummary].map((summary) => summary(nothing));
    assert.deepEqual([...summaries, networkSummary([])], [empty, empty, empty, empty]);
  });
});

describe('the network cards of a machine', () => {
  it('have the switch ports that LLDP told, else those of the ports of the node', () => {
    const inventory = {
      interfaces: [
        { name: 'ens1', mac_address: '52:54:00:9A:00:01', speed_mbps: 25_000, has_carrier: true },
        { name: 'ens2', mac_address: port.address, speed_mbps: 1000, has_carrier: false },
      ],
    };
    const lldp = {
      parsed_lldp: {
        ens1: { switch_system_name: 'sw1', switch_port_id: 'Eth1/14', switch_port_untagged_vlan_id: 10 },
      },
    };
    const unseen = { address: '52:54:00:9a:00:03', local_link_connection: {} };
    const cards = cardsShown(inventory, lldp, [port, unseen]);
    assert.deepEqual(
      cards.map(({ name, mac, hasCarrier, neighbour }) => [name, mac, hasCarrier, neighbour]),
      [
        ['ens1', '52:54:00:9a:00:01', true, { switch: 'sw1', port: 'Eth1/14', more: 'VLAN 10' }],
        ['ens2', port.address, false, { switch: 'sw2', port: 'Eth1/9', more: '' }],
        ['', '52:54:00:9a:00:03', null, undefined],
      ],
    );
    assert.deepEqual(networkSummary(cards), { title: '25 G, 1 G', more: ['sw1 Eth1/14', 'sw2 Eth1/9'] });
  });

  it('are few and short whatever the machine reports', () => {
    const evil = { name: '__proto__', mac_address: 'x'.repeat(10_000), speed_mbps: -1, ipv4_address: 7 };
    const inventory = { interfaces: ['text', null, ...Array.from({ length: 500 }, () => evil)] };
    const cards = cardsShown(inventory, { parsed_lldp: { ens1: 'text' } }, []);
    assert.ok(cards.length <= 64);
    assert.deepEqual([cards[0]?.mac.length, cards[0]?.mbps, cards[0]?.addresses], [100, null, []]);
    assert.deepEqual(cardsShown({ interfaces: 'none' }, undefined, []), []);
  });
});
