// Scenario: a site on which twenty things are wrong at the same time.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { Database } from '../../../daemon/db/database.ts';
import type { Node } from '../../../daemon/model/records/node.ts';
import { portFields } from '../../../daemon/model/records/port.ts';
import { certificateFiles } from '../../fakes/services/certificates.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { httpServer } from '../../fakes/services/http-server.ts';
import { type Found, type Host, newHost, nodeWith } from './planted-host.ts';

interface Fault {
  readonly probe: string;
  readonly saw: RegExp;
  /** Wrong lines of the configuration; healing removes them. */
  readonly lines?: string;
  /** The wrong record; healing removes it. */
  readonly node?: Node;
  readonly hasPort?: true;
  /** Carries out the fix that the finding suggests. Not set if removing `lines` or `node` is enough. */
  readonly heal?: (fix: string) => unknown;
}

const runFix = (fix: string) => {
  const [program = '', ...args] = fix.split(' ');
  execFileSync(program, args);
};

const late = new Date(Date.now() - 5 * 3_600_000).toISOString();

/** Faults in records of nodes. `well`: the address of a BMC that answers; `silent`: the address of one that does not. */
const wrongRecords = (well: string, silent: string): readonly Fault[] => [
  {
    probe: 'duplicate-bmc',
    saw: /^plain and twin have the same BMC/,
    node: nodeWith({ name: 'twin', driver_info: { redfish_address: well } }),
  },
  {
    probe: 'duplicate-serial',
    saw: /^plain and serial have the serial number S1/,
    node: nodeWith({ name: 'serial', extra: { serial_number: 'S1' } }),
  },
  {
    probe: 'boot-port',
    saw: /^portless has no port/,
    node: nodeWith({ name: 'portless', provision_state: 'manageable' }),
  },
  {
    probe: 'late-work',
    saw: /^late has been in state "cleaning" for 5 hours/,
    hasPort: true,
    node: nodeWith({ name: 'late', provision_state: 'cleaning', provision_updated_at: late }),
  },
  {
    probe: 'failed-nodes',
    saw: /^failed is in state "clean failed": no disk/,
    hasPort: true,
    node: nodeWith({ name: 'failed', provision_state: 'clean failed', last_error: 'no disk' }),
  },
  {
    probe: 'faulty-nodes',
    saw: /^faulty has the fault "power failure"/,
    node: nodeWith({ name: 'faulty', maintenance: true, fault: 'power failure' }),
  },
  {
    probe: 'disabled-driver',
    saw: /^odd has the driver gone/,
    node: nodeWith({ name: 'odd', driver: 'gone' }),
  },
  {
    probe: 'bmc-reachable',
    saw: /of silent does not answer/,
    node: nodeWith({ name: 'silent', driver_info: { redfish_address: silent } }),
  },
];

async function wrongLines(t: TestContext, { directory }: Host): Promise<readonly Fault[]> {
  const stranger = await httpServer(t, (_, response) => void response.end('hello'));
  const { cert } = certificateFiles(t);
  const other = join(directory, 'other.pem');
  const curve = ['-name', 'prime256v1', '-genkey', '-noout', '-out', other];
  execFileSync('openssl', ['ecparam', ...curve], { stdio: 'ignore' });
  chmodSync(other, 0o600);
  const secret = join(directory, 'secret');
  writeFileSync(secret, 'whsec_', { mode: 0o644 });
  chmodSync(secret, 0o644);
  const siteKey = join(directory, 'site.key');
  writeFileSync(siteKey, 'k'.repeat(32), { mode: 0o600 });
  return [
    { probe: 'configuration', saw: /auth_stratgy/, lines: '[DEFAULT]\nauth_stratgy = noauth' },
    { probe: 'ports', saw: /is taken by process/, lines: `[api]\nport = ${stranger.port}` },
    {
      probe: 'addresses',
      saw: /203\.0\.113\.77 is no address/,
      lines: '[ramdisk]\nport = 6386\nhost_ip = 203.0.113.77',
    },
    { probe: 'names', saw: /nowhere\.invalid/, lines: '[api]\npublic_endpoint = http://nowhere.invalid/' },
    {
      probe: 'certificate',
      saw: /does not belong to/,
      lines: `[ramdisk]\nenable_ssl_api = true\ncert_file = ${cert}\nkey_file = ${other}`,
    },
    {
      probe: 'ramdisk',
      saw: /deploy_ramdisk is missing/,
      lines: `[conductor]\ndeploy_kernel = file://${cert}`,
    },
    {
      probe: 'boot-files',
      saw: /missing\.efi cannot be read/,
      lines: '[pxe]\nloader_file_paths = ipxe.efi:/nowhere/missing.efi',
    },
    {
      probe: 'peers',
      saw: /does not prove which records/,
      lines: `[standby]\npeers = http://127.0.0.1:${stranger.port}\nkey_file = ${siteKey}`,
    },
    {
      probe: 'webhook-secret',
      saw: /cannot be used/,
      lines: `[webhooks]\nurls = http://127.0.0.1:9/\nsecret_file = ${secret}`,
    },
  ];
}

function wrongHost(host: Host): readonly Fault[] {
  const folder = join(host.directory, 'plugins', 'acme');
  mkdirSync(folder, { recursive: true });
  const manifest = join(folder, 'plugin.json');
  writeFileSync(manifest, '{');
  return [
    { probe: 'configuration-mode', saw: /mode 644/, heal: runFix },
    {
      probe: 'plugins',
      saw: /acme is set aside/,
      lines: `[plugins]\npath = ${join(host.directory, 'plugins')}`,
    },
    { probe: 'backup', saw: /there is no backup/, heal: () => host.backUp() },
  ];
}

function storePort(db: Database, node_uuid: string, address: string): void {
  const port = Object.fromEntries(Object.entries(portFields).map(([name, field]) => [name, field.initial]));
  db.ports.insert({ ...port, uuid: randomUUID(), node_uuid, address } as never);
}

test('the doctor names each of twenty faults on a site, and no longer names a fault that is corrected', async (t) => {
  const host = newHost(t);
  const bmc = await httpServer(t, (_, response) => void response.end());
  const well = `http://127.0.0.1:${bmc.port}`;
  const faults = [
    ...wrongHost(host),
    ...(await wrongLines(t, host)),
    ...wrongRecords(well, `http://127.0.0.1:${await freeTcpPort()}`),
  ];
  assert.equal(faults.length, 20);
  host.store((db) => {
    const plain = { driver_info: { redfish_address: well }, extra: { serial_number: 'S1' } };
    db.nodes.insert(nodeWith({ name: 'plain', ...plain }));
    for (const [at, { node, hasPort }] of faults.entries()) {
      if (node !== undefined) db.nodes.insert(node);
      if (hasPort === true) storePort(db, node?.uuid ?? '', `52:54:00:00:00:${10 + at}`);
    }
  });
  const open = new Set(faults);
  const configure = () => host.configure([...open].map(({ lines = '' }) => `${lines}\n`).join(''));
  configure();
  chmodSync(host.configFile, 0o644);

  const findings = await host.examine();
  assert.deepEqual(
    findings.map(({ probe }) => probe).toSorted(),
    faults.map(({ probe }) => probe).toSorted(),
  );
  for (const fault of faults) {
    const found = findings.find(({ probe }) => probe === fault.probe);
    assert.match(found?.saw ?? '', fault.saw);
    await heal(fault, found);
    assert.deepEqual(await host.examine(fault.probe), [], `${fault.probe} is healed`);
  }
  assert.deepEqual(await host.examine(), []);

  async function heal(fault: Fault, found: Found | undefined): Promise<void> {
    open.delete(fault);
    await fault.heal?.(found?.fix ?? '');
    if (fault.lines !== undefined) configure();
    if (fault.node !== undefined) host.store((db) => db.nodes.remove(fault.node?.uuid ?? ''));
  }
});
