// Machines are handed over to OpenStack's own Ironic while both sides drive the same BMCs.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { startFakeRedfish, type FakeRedfish } from '#plugin-api/fake-redfish';
import { exportCommand } from '../../../daemon/cli/move/export-command.ts';
import { importCommand } from '../../../daemon/cli/move/import-command.ts';
import type { NodeChanges } from '../../../daemon/model/records/node.ts';
import {
  IronicProcess,
  type Options,
  type Release,
  skipWithoutIronic,
} from '../../differential/ironic-process.ts';
import { freeTcpPort } from '../../../daemon/simulator/free-port.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import { runCommand } from '../../fakes/clients/run-command.ts';

const releases: readonly Release[] = ['debian', 'newest'];

/** Power is compared every second on both sides, and enforced. */
const theirOptions = (directory: string): Options => ({
  DEFAULT: {
    auth_strategy: 'noauth',
    my_ip: '127.0.0.1',
    enabled_hardware_types: 'redfish',
    enabled_bios_interfaces: 'no-bios',
    enabled_boot_interfaces: 'redfish-virtual-media',
    enabled_console_interfaces: 'no-console',
    enabled_deploy_interfaces: 'direct',
    enabled_inspect_interfaces: 'redfish',
    enabled_management_interfaces: 'redfish',
    enabled_network_interfaces: 'noop',
    enabled_power_interfaces: 'redfish',
    enabled_raid_interfaces: 'no-raid',
    enabled_rescue_interfaces: 'no-rescue',
    enabled_storage_interfaces: 'noop',
    enabled_vendor_interfaces: 'no-vendor',
  },
  conductor: { automated_clean: 'true', sync_power_state_interval: 1, force_power_state_during_sync: 'true' },
  dhcp: { dhcp_provider: 'none' },
  deploy: { http_url: 'http://127.0.0.1:1', http_root: `${directory}/http` },
  pxe: { tftp_root: `${directory}/tftp`, tftp_master_path: `${directory}/master` },
  service_catalog: { auth_type: 'none', endpoint_override: 'http://127.0.0.1:1' },
});

async function ourSite(t: TestContext) {
  const daemon = await startListening(t, {
    environment: {
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish',
      IRONIC_DEFAULT__ENABLED_BOOT_INTERFACES: 'redfish-virtual-media',
      IRONIC_CONDUCTOR__SYNC_POWER_STATE_INTERVAL: '1',
    },
  });
  const environment = {
    OS_ENDPOINT: daemon.url,
    IRONIC_DEFAULT__STATE_PATH: daemon.stateDirectory,
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish',
  };
  return { ...daemon, environment };
}

type Site = Awaited<ReturnType<typeof ourSite>>;

async function request(url: string, method: string, path: string, body?: unknown) {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: { 'x-openstack-ironic-api-version': '1.82', 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  assert.ok(reply.ok, `${method} ${path}: ${text}`);
  return text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
}

/** A machine with a BMC, managed by our daemon; `changes` are what years of use have left in its record. */
async function machine(t: TestContext, site: Site, number: number, changes: NodeChanges) {
  const bmc = await startFakeRedfish({ number });
  t.after(() => bmc.stop());
  bmc.machine.power = 'On';
  const { uuid } = (await request(site.url, 'POST', '/v1/nodes', {
    name: `rack-${number}`,
    driver: 'redfish',
    driver_info: {
      redfish_address: bmc.address,
      redfish_username: 'admin',
      redfish_password: 'secret',
      redfish_system_id: bmc.bmc.paths.system,
    },
    properties: { cpu_arch: 'x86_64', capabilities: 'boot_mode:uefi' },
    resource_class: 'gold',
    extra: { rack: number },
    description: `machine ${number}`,
  })) as { readonly uuid: string };
  await request(site.url, 'POST', '/v1/ports', {
    node_uuid: uuid,
    address: `52:54:00:00:01:0${number}`,
    extra: { ipv4_address: `192.0.2.${number}` },
    pxe_enabled: number === 1,
  });
  await request(site.url, 'PUT', `/v1/nodes/${uuid}/traits`, { traits: ['CUSTOM_GOLD', 'HW_CPU_X86_VMX'] });
  site.services.db.nodes.update(uuid, { power_state: 'power on', ...changes });
  return { uuid, bmc };
}

const SESSIONS = '/redfish/v1/SessionService/Sessions';

/** The requests that changed a machine, from the logs of the BMCs. */
const writes = (bmcs: readonly FakeRedfish[]): readonly string[] =>
  bmcs.flatMap(({ bmc }) =>
    bmc.requests
      .filter(({ method, path }) => method !== 'GET' && !path.startsWith(SESSIONS))
      .map(({ method, path }) => `${method} ${path}`),
  );

/** Resolves when the BMC was asked for its power state three more times. */
async function observed({ bmc }: FakeRedfish): Promise<void> {
  const count = () =>
    bmc.requests.filter(({ method, path }) => method === 'GET' && path === bmc.paths.system).length;
  const wanted = count() + 3;
  while (count() < wanted) await sleep(100);
}

const INSTANCE = '00000000-0000-0000-0000-00000000000a';

for (const release of releases)
  test(
    `machines that are in use, available or failed move to Ironic (${release}); one move is undone and one machine comes back, without a write to any machine`,
    { skip: skipWithoutIronic(release) },
    async (t) => {
      const ours = await ourSite(t);
      const port = await freeTcpPort();
      const ironic = await IronicProcess.start(release, { options: theirOptions, host: '127.0.0.1', port });
      t.after(() => ironic[Symbol.asyncDispose]());
      const used = await machine(t, ours, 1, {
        provision_state: 'active',
        instance_uuid: INSTANCE,
        instance_info: {
          image_source: 'http://192.0.2.1/image.qcow2',
          image_checksum: 'a'.repeat(64),
          capabilities: { secure_boot: 'true', boot_option: 'local' },
        },
        protected: true,
        protected_reason: 'the database runs here',
        owner: 'team-a',
      });
      const free = await machine(t, ours, 2, { provision_state: 'available' });
      const failed = await machine(t, ours, 3, {
        provision_state: 'clean failed',
        target_provision_state: 'available',
        last_error: 'the disk is broken',
        maintenance: true,
        maintenance_reason: 'the disk is broken',
      });
      const back = await machine(t, ours, 4, {
        provision_state: 'active',
        instance_uuid: `${INSTANCE.slice(0, -1)}b`,
      });
      const busy = await machine(t, ours, 5, {
        provision_state: 'clean wait',
        target_provision_state: 'available',
        maintenance: true,
      });
      const moved = [used, free, failed, back];
      const bmcs = [...moved, busy].map(({ bmc }) => bmc);
      const run = (...options: string[]) =>
        runCommand(
          (context) => exportCommand(['ironic', '--url', ironic.url, ...options], context),
          ours.environment,
        );
      const there = (uuid: string) => request(ironic.url, 'GET', `/v1/nodes/${uuid}`);

      const dry = await run('--dry-run');
      assert.match(dry.out, /rack-1 +prepared +set aside, create, parts, manage, instance, adopt, settle/);
      assert.match(dry.out, /rack-5 +refused +it is in state "clean wait"/);
      assert.deepEqual((await request(ironic.url, 'GET', '/v1/nodes'))['nodes'], []);
      assert.equal(ours.services.db.quarantine.list().length, 0);

      const prepared = await run();
      assert.match(prepared.out, /5 in all: 4 prepared, 1 refused/, prepared.out);
      assert.match((await run('--verify')).out, /^4 machines, 0 differences\n/);
      const { driver_internal_info: _info, ...adopted } = await there(used.uuid);
      assert.deepEqual(
        [
          adopted['provision_state'],
          adopted['maintenance'],
          adopted['protected'],
          adopted['owner'],
          adopted['instance_uuid'],
        ],
        ['active', true, true, 'team-a', INSTANCE],
      );
      await assert.rejects(
        request(ours.url, 'PUT', `/v1/nodes/${used.uuid}/states/power`, { target: 'power off' }),
        /Handed over/,
      );

      const undone = await run('--back-out', '--node', 'rack-4');
      assert.match(undone.out, /rack-4 +undone/);
      await assert.rejects(there(back.uuid), /could not be found/);
      assert.equal(ours.services.db.quarantine.of(back.uuid), undefined);
      assert.equal(ours.services.db.nodes.get(back.uuid)?.maintenance, false);

      const finished = await run('--finish');
      assert.match(finished.out, /3 in all: 3 finished/, finished.out);
      const verified = await run('--verify');
      assert.match(verified.out, /^3 machines, 0 differences\n/);
      const states = await Promise.all(
        [used, free, failed].map(async ({ uuid }) => {
          const {
            provision_state,
            maintenance,
            automated_clean: cleans,
            maintenance_reason: reason,
          } = await there(uuid);
          return [provision_state, maintenance, cleans, reason];
        }),
      );
      assert.deepEqual(states, [
        ['active', false, null, null],
        ['available', false, null, null],
        ['manageable', true, null, 'the disk is broken'],
      ]);
      assert.match(
        (await run('--back-out', '--node', 'rack-1')).out,
        /refused +.*it was handed over, and .* acts on it now/,
      );

      await observed(used.bmc);
      assert.deepEqual(writes(bmcs), []);
      assert.ok(used.bmc.bmc.requests.length > 0);
      // the check sees a difference
      await request(ironic.url, 'PATCH', `/v1/nodes/${free.uuid}`, [
        { op: 'replace', path: '/extra/rack', value: 9 },
      ]);
      assert.match((await run('--verify')).out, /rack-2 +extra +{rack:2} +{rack:9}/);

      // a machine in use comes back, with the password that only its operator knows
      await request(ours.url, 'DELETE', `/v1/nodes/${used.uuid}`).catch(() => undefined);
      await request(ours.url, 'PATCH', `/v1/nodes/${used.uuid}`, [
        { op: 'replace', path: '/protected', value: false },
      ]);
      await request(ours.url, 'DELETE', `/v1/nodes/${used.uuid}`);
      const taking = (...options: string[]) =>
        runCommand(
          (context) =>
            importCommand(['ironic', '--url', ironic.url, '--node', 'rack-1', ...options], context),
          ours.environment,
        );
      assert.match(
        (await taking()).out,
        /rack-1 +failed +Ironic's API masks driver_info redfish_password: give/,
      );
      const file = join(ours.stateDirectory, 'passwords.csv');
      writeFileSync(file, 'node,redfish_password\nrack-1,secret\n');
      const taken = await taking('--credentials', file);
      assert.match(taken.out, /1 in all: 1 prepared/, taken.out);
      const compared = await taking('--credentials', file, '--verify');
      assert.match(compared.out, /^1 machines, 0 differences\n/);
      assert.equal((await there(used.uuid))['maintenance'], true);
      assert.equal((await taking('--credentials', file, '--finish')).code, 0);
      const { provision_state, maintenance, driver_info, power_state } =
        ours.services.db.nodes.get(used.uuid) ?? {};
      assert.deepEqual(
        [provision_state, maintenance, driver_info?.['redfish_password'], power_state],
        ['active', false, 'secret', 'power on'],
      );
      await observed(used.bmc);
      assert.deepEqual(writes(bmcs), []);
    },
  );
