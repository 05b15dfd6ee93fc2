// A daemon and a machine that is not enrolled, for tests of clients that deploy the machine and give it back, and a function that
// runs a program of such a client.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Daemon } from '../../../daemon/main.ts';
import type { Node } from '../../../daemon/model/records/node.ts';
import type { ShapeName } from '../../../daemon/simulator/redfish/shapes.ts';
import { clientEnvironment } from '../../fakes/clients/client-shell.ts';
import { startListening } from '../../fakes/daemon/listening-daemon.ts';
import { type RedfishComputer, startRedfishComputer } from '../../fakes/machines/redfish-computer.ts';
import { clientPrograms } from '../../setup/openstack-clients.ts';

export const MAC = '52:54:00:5a:01:00';
/** An image on a web server that does not exist: the simulated agent downloads nothing. */
export const IMAGE = { url: 'http://images.test/debian.raw', sha256: 'a'.repeat(64) };

type Environment = Readonly<Record<string, string>>;

const ALL = { sql: 'true', values: [] };

export interface MachineSite {
  readonly daemon: Daemon;
  readonly machine: RedfishComputer;
  /** A folder for the client's files; it is deleted when the test ends. */
  readonly folder: string;
  /** The fields of the machine's node, of the hardware type redfish. */
  readonly fields: { readonly driver: string; readonly driver_info: Readonly<Record<string, string>> };
  /** The records of nodes, by name. */
  readonly nodes: () => ReadonlyMap<string | null, Node>;
  /** Runs a client's program, which gets the API's URL and `environment`; returns its output, and rejects when it fails. */
  readonly run: (program: string, words: readonly string[], environment?: Environment) => Promise<string>;
}

export async function startMachineSite(t: TestContext, shape: ShapeName = 'plain'): Promise<MachineSite> {
  const folder = mkdtempSync(join(tmpdir(), 'client-'));
  t.after(() => rmSync(folder, { recursive: true }));
  for (const name of ['kernel', 'ramdisk']) writeFileSync(join(folder, name), `the ${name}`);
  const daemon = await startListening(t, {
    environment: {
      IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'redfish,idrac',
      IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
      // with automated cleaning, clients would wait for several cleanings that they did not ask for
      IRONIC_CONDUCTOR__AUTOMATED_CLEAN: 'false',
      IRONIC_BOOT_HTTP__PORT: '0',
      IRONIC_BOOT_HTTP__HOST_IP: '127.0.0.1',
      IRONIC_CONDUCTOR__IMAGE_SERVER_NETWORKS: '127.0.0.0/8',
      IRONIC_CONDUCTOR__FILE_URL_ALLOWED_PATHS: folder,
      IRONIC_CONDUCTOR__DEPLOY_KERNEL: `file://${folder}/kernel`,
      IRONIC_CONDUCTOR__DEPLOY_RAMDISK: `file://${folder}/ramdisk`,
    },
  });
  assert.ok(daemon.bootUrl);
  const machine = await startRedfishComputer({
    shape,
    mac: MAC,
    apiUrl: daemon.url,
    bootUrl: daemon.bootUrl,
    async awaited() {
      const { db, locks } = daemon.services;
      const isBusy = () => db.nodes.where(ALL).some(({ uuid }) => locks.holderOf(uuid) !== null);
      while (isBusy()) await wait(20);
    },
  });
  t.after(() => machine.stop());
  return {
    daemon,
    machine,
    folder,
    fields: {
      driver: 'redfish',
      driver_info: {
        redfish_address: machine.address,
        redfish_username: 'admin',
        redfish_password: 'secret',
      },
    },
    nodes: () => new Map(daemon.services.db.nodes.where(ALL).map((node) => [node.name, node] as const)),
    run: (program, words, environment = {}) =>
      output(isAbsolute(program) ? program : join(clientPrograms, program), words, {
        ...clientEnvironment(daemon.url),
        PATH: `${clientPrograms}${delimiter}${process.env['PATH']}`,
        HOME: folder,
        ...environment,
      }),
  };
}

function output(program: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(program, words, { env, maxBuffer: 2 ** 24 }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${program} ${words.join(' ')}: ${error.message}\n${stdout}\n${stderr}`));
    });
  });
}

/** Enrols the machine as the node `name`, of the resource class `compute`, and makes it available. */
export async function enrol({ daemon, fields, nodes }: MachineSite, name: string): Promise<void> {
  const ask = async (method: string, path: string, body: object) => {
    const headers = { 'content-type': 'application/json', 'x-openstack-ironic-api-version': '1.95' };
    const answer = await fetch(daemon.url + path, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${text}`);
    return text === '' ? {} : (JSON.parse(text) as { readonly uuid?: string });
  };
  const { uuid } = await ask('POST', '/v1/nodes', {
    ...fields,
    name,
    resource_class: 'compute',
  });
  await ask('POST', '/v1/ports', { node_uuid: uuid, address: MAC });
  for (const target of ['manage', 'provide']) {
    await ask('PUT', `/v1/nodes/${name}/states/provision`, { target });
    while (nodes().get(name)?.target_provision_state !== null) await wait(50);
  }
  assert.equal(nodes().get(name)?.provision_state, 'available');
}
