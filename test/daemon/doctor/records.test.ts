// The doctor on records and BMCs with planted faults.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { restoreCommand } from '../../../daemon/cli/host/backup-command.ts';
import { portFields } from '../../../daemon/model/records/port.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { httpServer } from '../../fakes/services/http-server.ts';
import { runCommand } from '../../fakes/clients/run-command.ts';
import { newHost, nodeWith, onlyFinding } from './planted-host.ts';

const node = (name: string, port: number) =>
  nodeWith({ name, driver_info: { redfish_address: `http://127.0.0.1:${port}` } });

const ipmiAt = (port: string) => ({ driver_info: { ipmi_address: '127.0.0.1', ipmi_port: port } });

describe('the doctor on records', () => {
  it('finds contradictory records, a node without a port, late work, failed and faulty nodes, and a disabled driver', async (t) => {
    const host = newHost(t);
    const bmc = { driver_info: { ipmi_address: '192.0.2.9' } };
    const started = new Date(Date.now() - 4 * 3_600_000).toISOString();
    host.store((db) => {
      db.nodes.insert(nodeWith({ name: 'one', ...bmc, extra: { serial_number: 'S1' } }));
      db.nodes.insert(nodeWith({ name: 'two', ...bmc, extra: { serial_number: 'S1' } }));
      const late = nodeWith({ name: 'late', provision_state: 'cleaning', provision_updated_at: started });
      db.nodes.insert(late);
      const port = Object.fromEntries(
        Object.entries(portFields).map(([name, field]) => [name, field.initial]),
      );
      db.ports.insert({
        ...port,
        uuid: late.uuid,
        node_uuid: late.uuid,
        address: '52:54:00:00:00:01',
      } as never);
      db.nodes.insert(nodeWith({ name: 'failed', provision_state: 'clean failed', last_error: 'no disk' }));
      db.nodes.insert(nodeWith({ name: 'faulty', maintenance: true, fault: 'power failure' }));
      db.nodes.insert(nodeWith({ name: 'odd', driver: 'gone' }));
    });
    const found = await host.examine(
      'duplicate-bmc',
      'duplicate-serial',
      'boot-port',
      'late-work',
      'failed-nodes',
      'faulty-nodes',
      'disabled-driver',
    );
    assert.deepEqual(
      found.map(({ probe, saw }) => `${probe}: ${saw.split(' ', 1)[0]}`),
      [
        'duplicate-bmc: one',
        'duplicate-serial: one',
        'boot-port: failed',
        'late-work: late',
        'failed-nodes: failed',
        'faulty-nodes: faulty',
        'disabled-driver: odd',
      ],
    );
    assert.match(found[4]?.saw ?? '', /no disk/);
  });

  it('distinguishes one BMC that does not answer from a network on which no BMC answers', async (t) => {
    const host = newHost(t);
    const bmc = await httpServer(t, (_, response) => void response.end());
    const silent = await freeTcpPort();
    host.store((db) => {
      db.nodes.insert(node('well', bmc.port));
      db.nodes.insert(node('ill', silent));
    });
    onlyFinding(
      await host.examine('bmc-reachable'),
      /127\.0\.0\.1 of ill does not answer at TCP port/,
      /^ping/,
    );
    host.store((db) => {
      for (const { uuid } of db.nodes.where({ sql: 'TRUE', values: [] })) db.nodes.remove(uuid);
      db.nodes.insert(node('a', silent));
      db.nodes.insert(node('b', silent));
    });
    onlyFinding(await host.examine('bmc-reachable'), /none of 2 BMCs answers/, /ip route get/);
  });

  it('reports an unusable ipmi_port, asks the other BMCs, and takes a bare IPv6 address and its URL for one BMC', async (t) => {
    const host = newHost(t);
    const silent = await freeTcpPort();
    host.store((db) => {
      db.nodes.insert(nodeWith({ name: 'wrong', ...ipmiAt('70000') }));
      db.nodes.insert(nodeWith({ name: 'word', ...ipmiAt('rmcp') }));
      db.nodes.insert(nodeWith({ name: 'bare', driver_info: { redfish_address: '2001:db8::1' } }));
      db.nodes.insert(nodeWith({ name: 'url', driver_info: { redfish_address: 'https://[2001:db8::1]/' } }));
      db.nodes.insert(
        nodeWith({ name: 'silent', driver_info: { ipmi_address: '127.0.0.1', ipmi_port: silent } }),
      );
      const bmc = { redfish_address: 'http://127.0.0.1' };
      db.nodes.insert(nodeWith({ name: 'off', maintenance: true, driver_info: bmc }));
    });
    const saw = (await host.examine('bmc-reachable')).map((finding) => finding.saw);
    assert.deepEqual(saw.slice(0, 2), [
      'ipmi_port of wrong is "70000", which is no UDP port',
      'ipmi_port of word is "rmcp", which is no UDP port',
    ]);
    assert.match(saw[2] ?? '', /^none of 3 BMCs answers$/);
    onlyFinding(
      await host.examine('duplicate-bmc'),
      /^bare and url have the same BMC/,
      /baremetal node show bare/,
    );
  });

  it('finds nodes in quarantine after a restore', async (t) => {
    const host = newHost(t);
    host.store((db) => db.nodes.insert(nodeWith({ name: 'one' })));
    const file = await host.backUp();
    const restored = await runCommand((context) =>
      restoreCommand([file, '--config-file', host.configFile], context),
    );
    assert.match(restored.out, /is generation 1; nodes in quarantine: 1\n/);
    onlyFinding(await host.examine(), /nodes in quarantine: 1, the first since/, /quarantine release/);
  });
});
