import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { hostsIn } from '../../../../../daemon/cli/move/bifrost/inventory-file.ts';
import { importCommand } from '../../../../../daemon/cli/move/import-command.ts';
import { enrolNode, startListening } from '../../../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../../../fakes/clients/run-command.ts';

const UUID = '00000000-0000-0000-0000-000000000002';
const yaml = `
rack-1:
  uuid: "${UUID}"
  driver: ipmi
  driver_info:
    power: { ipmi_address: 192.0.2.20, ipmi_username: ADMIN, ipmi_password: "pa$$" }
  ipa_kernel_url: http://192.0.2.1:8080/ipa.kernel
  ipa_ramdisk_url: http://192.0.2.1:8080/ipa.initramfs
  nics: [{ mac: "52:54:00:23:34:5A" }, { mac: "52:54:00:12:34:57" }]
  ipv4_address: 192.0.2.2
  ipv4_gateway: 192.0.2.254
  host_groups: [web]
  properties: { cpu_arch: x86_64, ram: 32760, disk_size: "235", cpus: "16" }
  instance_info: { image_source: "http://192.0.2.1/image.qcow2", configdrive: { meta_data: {} } }
rack-2: { driver: ipmi, nics: [{ mac: "52:54:00:00:00:02" }], driver_info: { ipmi_address: 192.0.2.21 } }
`;
const csv = `52:54:00:00:00:10,root,"a,""b""",192.0.2.30,1,8192,512,Control,VM,a8cb6624-0d9f-c882-affc-046ebb96ec01,host0,192.0.2.31,,,,,agent_ipmitool

52:54:00:00:00:11,root,pw,192.0.2.32,1,8192,512,Compute,VM,,host1,,0,1,2,3
`;

/** An inventory of one machine, whose second network card is on this physical network. */
const onNetwork = (network: string) =>
  `rack-3: { driver: ipmi, nics: [{ mac: "52:54:00:00:00:06" }, { mac: "52:54:00:00:00:07", physical_network: "${network}" }] }\n`;

async function site(t: TestContext) {
  const { url, services } = await startListening(t, {
    environment: { IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'ipmi,fake-hardware' },
  });
  const folder = mkdtempSync(path.join(tmpdir(), 'bifrost-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const importing = (text: string, ...options: string[]) => {
    const file = path.join(folder, 'inventory');
    writeFileSync(file, text);
    return runCommand((context) => importCommand(['bifrost', file, ...options], context), {
      OS_ENDPOINT: url,
    });
  };
  const node = (name: string) => {
    const found = services.db.nodes.findBy('name', name);
    assert.ok(found, name);
    return found;
  };
  const has = (name: string) => services.db.nodes.findBy('name', name) !== undefined;
  return { url, importing, node, has, db: services.db };
}

describe('the import of a Bifrost inventory', () => {
  it('enrols the machines of a YAML or JSON inventory, with their fields under the names of the API', async (t) => {
    const { importing, node, db } = await site(t);
    const { code, out } = await importing(yaml);
    assert.equal(code, 0, out);
    assert.match(out, /2 machines: 2 enrolled/);
    assert.match(out, /not carried over: ipv4_gateway, instance_info\/configdrive/);
    const { uuid, driver_info, properties, extra, instance_info, provision_state } = node('rack-1');
    assert.deepEqual(
      { uuid, driver_info, properties, extra, instance_info, provision_state },
      {
        uuid: UUID,
        driver_info: {
          deploy_kernel: 'http://192.0.2.1:8080/ipa.kernel',
          deploy_ramdisk: 'http://192.0.2.1:8080/ipa.initramfs',
          ipmi_address: '192.0.2.20',
          ipmi_username: 'ADMIN',
          ipmi_password: 'pa$$',
        },
        properties: { cpu_arch: 'x86_64', memory_mb: '32760', local_gb: '235', cpus: '16' },
        extra: { host_groups: ['web'] },
        instance_info: { image_source: 'http://192.0.2.1/image.qcow2' },
        provision_state: 'enroll',
      },
    );
    assert.deepEqual(
      db.ports.ofNode(UUID).map(({ address, extra: more }) => [address, more]),
      [
        ['52:54:00:23:34:5a', { ipv4_address: '192.0.2.2' }],
        ['52:54:00:12:34:57', {}],
      ],
    );
    const json = JSON.stringify({ 'rack-3': { driver: 'ipmi', nics: [{ mac: '52:54:00:00:00:03' }] } });
    assert.equal((await importing(json)).code, 0);
    assert.equal(node('rack-3').driver, 'ipmi');
  });

  it('enrols the machines of a CSV inventory, the format of old Bifrost releases', async (t) => {
    const { importing, node, db } = await site(t);
    const { code, out } = await importing(csv);
    assert.equal(code, 0, out);
    const { uuid, driver, driver_info, properties } = node('host0');
    assert.deepEqual(
      { uuid, driver, driver_info, properties },
      {
        uuid: 'a8cb6624-0d9f-c882-affc-046ebb96ec01',
        driver: 'ipmi',
        driver_info: { ipmi_address: '192.0.2.30', ipmi_username: 'root', ipmi_password: 'a,"b"' },
        properties: { cpu_arch: 'x86_64', cpus: '1', memory_mb: '8192', local_gb: '512' },
      },
    );
    assert.deepEqual(db.ports.ofNode(uuid)[0]?.extra, { ipv4_address: '192.0.2.31' });
    assert.deepEqual(node('host1').driver_info, {
      ipmi_address: '192.0.2.32',
      ipmi_username: 'root',
      ipmi_password: 'pw',
      ipmi_target_channel: '0',
      ipmi_target_address: '1',
      ipmi_transit_channel: '2',
      ipmi_transit_address: '3',
      ipmi_bridging: 'dual',
    });
  });

  it('treats a variable that is null as absent, and accepts a UUID in capital letters', async (t) => {
    const { importing, node, has } = await site(t);
    const hosts = {
      'rack-4': { driver: 'ipmi', uuid: null, name: null, host_groups: null, boot_interface: null },
      'rack-5': { driver: 'ipmi', uuid: 'A8CB6624-0D9F-C882-AFFC-046EBB96EC05' },
    };
    assert.match((await importing(JSON.stringify(hosts))).out, /2 machines: 2 enrolled/);
    assert.ok(has('rack-4'));
    assert.equal(node('rack-5').uuid, 'a8cb6624-0d9f-c882-affc-046ebb96ec05');
    assert.match((await importing(JSON.stringify(hosts))).out, /2 machines: 2 unchanged/);
  });

  it('changes nothing with --dry-run, and reports what a run would do', async (t) => {
    const { importing, has } = await site(t);
    const { out } = await importing(yaml, '--dry-run', '--json');
    assert.deepEqual((JSON.parse(out) as { machines: readonly { outcome: string }[] }).machines, [
      {
        name: 'rack-1',
        outcome: 'enrolled',
        note: 'ports: 2; not carried over: ipv4_gateway, instance_info/configdrive',
      },
      { name: 'rack-2', outcome: 'enrolled', note: 'ports: 1' },
    ]);
    assert.equal(has('rack-1'), false);
  });

  it('can be repeated: nodes keep their values and get the ports that they lack', async (t) => {
    const { importing, node, db } = await site(t);
    await importing(yaml);
    const [, second] = db.ports.ofNode(UUID);
    db.ports.remove(second?.uuid ?? '');
    db.nodes.update(UUID, { properties: { ...node('rack-1').properties, cpus: '32' } });
    const { code, out } = await importing(yaml);
    assert.equal(code, 0);
    assert.match(out, /rack-1 +completed +ports: 1; different here, and not changed: properties\/cpus\n/);
    assert.match(out, /rack-2 +unchanged/);
    assert.equal(db.ports.ofNode(UUID).length, 2);
    assert.equal(node('rack-1').properties['cpus'], '32');
    assert.doesNotMatch(out, /pa\$\$/);
  });

  it('refuses each machine that it cannot enrol, with the reason, and enrols the others', async (t) => {
    const { url, importing, has } = await site(t);
    const other = await enrolNode(url, { driver: 'fake-hardware', name: 'taken' });
    await fetch(`${url}/v1/ports`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ node_uuid: other, address: '52:54:00:00:00:99' }),
    });
    const { code, out } = await importing(`
no-driver: { nics: [] }
no-variables:
unknown-driver: { driver: ilo5 }
bad-card: { driver: ipmi, nics: [{ mac: "52:54:00" }] }
bad-uuid: { driver: ipmi, uuid: "1" }
bad-address: { driver: ipmi, ipv4_address: 10.0.0 }
card-taken: { driver: ipmi, nics: [{ mac: "52:54:00:00:00:99" }] }
taken: { driver: ipmi, uuid: ${UUID} }
good: { driver: ipmi, nics: [{ mac: "52:54:00:00:00:05" }] }
same-card: { driver: ipmi, nics: [{ mac: "52:54:00:00:00:05" }] }
refused-by-api: { driver: ipmi, properties: { capabilities: 5 }, boot_interface: none-such }
`);
    assert.equal(code, 1);
    for (const [name, reason] of Object.entries({
      'no-driver': 'it has no driver',
      'no-variables': 'it has no variables',
      'unknown-driver': 'no driver ilo5 is enabled here: add it to',
      'bad-card': 'nics: "52:54:00" is not the MAC address',
      'bad-uuid': 'uuid "1" is not a UUID',
      'bad-address': 'ipv4_address "10.0.0" is not',
      'card-taken': `node ${other} has the network card 52:54:00:00:00:99`,
      taken: `node ${other} has the name taken`,
      'same-card': '52:54:00:00:00:05 belongs to good in the same inventory',
      'refused-by-api': 'POST /v1/nodes was refused with 400:.*none-such',
    }))
      assert.match(out, new RegExp(`^${name} +refused +${reason}`, 'm'));
    assert.match(out, /11 machines: 10 refused, 1 enrolled/);
    assert.ok(has('good'));
  });

  it('reports a refused port together with the node that exists now, and creates the port at the next run', async (t) => {
    const { importing, node, db } = await site(t);
    const { code, out } = await importing(onNetwork('x'.repeat(65)));
    assert.equal(code, 1);
    const { uuid } = node('rack-3');
    assert.match(
      out,
      new RegExp(`^rack-3 +refused +node ${uuid} exists, but lacks ports: POST /v1/ports was`, 'm'),
    );
    assert.equal((await importing(onNetwork('rack'))).code, 0);
    assert.equal(db.ports.ofNode(uuid).length, 2);
  });

  it('refuses a file that is not an inventory', async (t) => {
    const { importing } = await site(t);
    await assert.rejects(importing('- a\n- b\n'), /is not an inventory of Bifrost/);
    await assert.rejects(importing('a: [\n'), /is neither JSON nor YAML/);
  });

  it('refuses a CSV file that names a machine twice, or in which a closing quote is missing', async (t) => {
    const { importing, has } = await site(t);
    await assert.rejects(
      importing(csv.replace('host1', 'host0')),
      /names the machine host0 in more than one/,
    );
    const error = await importing(csv.replace('"a,""b"""', '"secret')).then(String, String);
    assert.match(error, /inventory, line 1: a quoted field has no closing quote/);
    assert.doesNotMatch(error, /secret/);
    assert.equal(has('host1'), false);
  });

  it('names a machine without name and UUID in a CSV file by its line number', () => {
    const hosts = hostsIn('inventory', '52:54:00:00:00:01,,,192.0.2.1\n\n52:54:00:00:00:02,,,192.0.2.2\n');
    assert.deepEqual([...hosts.keys()], ['line 1', 'line 3']);
  });
});
