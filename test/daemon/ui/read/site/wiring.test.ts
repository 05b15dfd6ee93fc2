import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readWiring } from '../../../../../daemon/ui/read/site/wiring.ts';
import { wiringCard } from '../../../../../daemon/ui/views/network/wiring.ts';
import { type InProcessDaemon, startInProcess } from '../../../../fakes/daemon/in-process-daemon.ts';

const link = (port_id: string, switch_info = 'leaf-1', switch_id = '00:1c:73:00:00:01') => ({
  local_link_connection: { port_id, switch_id, switch_info },
});

async function machine(daemon: InProcessDaemon, name: string): Promise<string> {
  return (await daemon.createNode({ name })).uuid;
}

const hear = ({ services }: InProcessDaemon, node: string, plugin_data: string) =>
  services.db.inventory.put(node, '2026-11-22T10:00:00+00:00', { inventory: '{}', plugin_data });

describe('which machine is plugged in where', () => {
  it('is known from ports, in the order of the ports of each switch', async (t) => {
    const daemon = await startInProcess(t);
    const [web, db] = [await machine(daemon, 'web'), await machine(daemon, 'db')];
    await daemon.createPort(web, '52:54:00:00:00:01', link('Ethernet10'));
    await daemon.createPort(db, '52:54:00:00:00:02', link('Ethernet9'));
    await daemon.createPort(db, '52:54:00:00:00:03', link('Ethernet9', 'leaf-0', '00:1c:73:00:00:02'));
    const { switches, unlinked } = readWiring(daemon.services);
    assert.deepEqual(
      switches.map(({ name, id, links }) => [name, id, links.map(({ port, label }) => `${port} ${label}`)]),
      [
        ['leaf-0', '00:1c:73:00:00:02', ['Ethernet9 db']],
        ['leaf-1', '00:1c:73:00:00:01', ['Ethernet9 db', 'Ethernet10 web']],
      ],
    );
    assert.deepEqual(unlinked, []);
  });

  it('is known from what an inspection heard, for machines whose ports say nothing', async (t) => {
    const daemon = await startInProcess(t);
    const [heard, both, none] = [
      await machine(daemon, 'heard'),
      await machine(daemon, 'both'),
      await machine(daemon, 'none'),
    ];
    await daemon.createPort(both, '52:54:00:00:00:01', link('Ethernet1'));
    const facts = { switch_chassis_id: '00:1c:73:00:00:01', switch_port_id: 'Ethernet2' };
    const other = { switch_chassis_id: 'other', switch_port_id: 'Ethernet3' };
    hear(daemon, heard, JSON.stringify({ parsed_lldp: { eno1: facts } }));
    hear(daemon, both, JSON.stringify({ parsed_lldp: { eno1: other } }));
    const { switches, unlinked } = readWiring(daemon.services);
    assert.deepEqual(
      switches.map(({ name, links }) => [name, links.map(({ label, card }) => `${label} ${card}`)]),
      [['leaf-1', ['both 52:54:00:00:00:01', 'heard eno1']]],
    );
    assert.deepEqual(unlinked, [{ uuid: none, label: 'none' }]);
  });

  it('leaves out what names no switch or no port, and data that no hook makes', async (t) => {
    const daemon = await startInProcess(t);
    const bad = [
      '{}',
      '{"parsed_lldp":"text"}',
      '{"parsed_lldp":[1]}',
      '{"parsed_lldp":{"eno1":null,"eno2":{"switch_port_id":"1"},"eno3":{"switch_system_name":"x"}}}',
    ];
    for (const [at, plugin_data] of bad.entries()) hear(daemon, await machine(daemon, `m${at}`), plugin_data);
    const { switches, unlinked } = readWiring(daemon.services);
    assert.deepEqual([switches.length, unlinked.length], [0, bad.length]);
  });

  it('is drawn with a link to the machine for each port, and no port over another', async () => {
    const links = Array.from({ length: 48 }, (_, at) => ({
      port: `Ethernet${at + 1}`,
      machine: `uuid-${at}`,
      label: `machine-with-a-long-name-${at}`,
      state: 'active' as const,
      card: 'eno1',
    }));
    const switches = [0, 1, 2, 3, 4].map((at) => ({ name: `leaf-${at}`, id: undefined, links }));
    const text = String(await wiringCard({ switches, unlinked: [] }));
    assert.equal([...text.matchAll(/<figure>/g)].length, 5);
    const [drawing = ''] = /<figure>.*?<\/figure>/s.exec(text) ?? [];
    const pins = [...drawing.matchAll(/class="pin"\s+x="(\d+)"\s+y="(\d+)"/g)].map(([, x, y]) => `${x} ${y}`);
    assert.deepEqual([pins.length, new Set(pins).size], [48, 48]);
    assert.equal(new Set(drawing.match(/\/ui\/nodes\/uuid-\d+/g)).size, 48);
    const [, height = ''] = /viewBox="0 0 560 (\d+)"/.exec(drawing) ?? [];
    assert.ok(Number(height) < 640, `a switch with 48 ports is ${height} pixels high`);
    assert.match(drawing, /…ith-a-long-name-7\s/, 'a long name keeps its end');
  });
});
