// Hostile texts of ramdisks and API clients do not stall the daemon, neither when they arrive nor when they are read back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALL_HOOKS } from '../fakes/inspection-hooks.ts';
import { type Answer, type InProcessDaemon, startInProcess } from '../fakes/daemon/in-process-daemon.ts';
import { internal, MAC, remember, waitingNode } from '../ramdisk-callback/waiting-node.ts';
import { slowTexts } from './inputs/slow-texts.ts';

/** Far more than work in linear time takes, which is some milliseconds. */
const LIMIT_MILLISECONDS = 10_000;
const TOKEN = 't'.repeat(43);

async function inTime<T>(what: string, work: () => Promise<T>): Promise<T> {
  const started = performance.now();
  const result = await work();
  const milliseconds = Math.round(performance.now() - started);
  assert.ok(milliseconds < LIMIT_MILLISECONDS, `${what} took ${milliseconds} ms`);
  return result;
}

/** Sends requests whose answers contain what is stored of the node. */
async function readAgain(daemon: InProcessDaemon, node: string, what: string): Promise<void> {
  const paths = ['/v1/nodes/detail', `/v1/nodes/${node}`, `/v1/nodes/${node}/inventory`, '/v1/ports/detail'];
  for (const path of [...paths, `/v1/lookup?node_uuid=${node}`, `/v1/nodes/${node}/validate`])
    await inTime(`GET ${path} after ${what}`, () => daemon.request('GET', path));
}

const shownStart = (text: string) => JSON.stringify(text.slice(0, 20));

test('heartbeats and lookups with hostile texts are handled in time', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  remember(daemon, uuid, { agent_secret_token: TOKEN });
  daemon.services.db.nodes.update(uuid, { provision_state: 'clean wait', maintenance: true });
  const known = { callback_url: 'https://10.0.0.5:9999', agent_token: TOKEN, agent_version: '10.0.0' };
  const send = (name: string, text: string) =>
    inTime(`${name} ${shownStart(text)}`, () =>
      daemon.request('POST', `/v1/heartbeat/${uuid}`, { version: 72, body: { ...known, [name]: text } }),
    );
  const names = ['callback_url', 'agent_token', 'agent_version', 'agent_verify_ca', 'agent_status_message'];
  for (const name of [...names, 'agent_status', 'node_ident']) {
    for (const text of slowTexts(150_000)) assert.equal((await send(name, text)).status, 400, name);
    for (const text of slowTexts(250)) await send(name, text);
  }
  for (const text of slowTexts(60_000)) await send('agent_verify_ca', text);
  for (const text of slowTexts(250)) {
    // the record that an earlier release would have stored
    remember(daemon, uuid, { agent_version: text.repeat(1000), agent_url: text.repeat(1000) });
    await readAgain(daemon, uuid, shownStart(text));
    await inTime('lookup', () => daemon.request('GET', `/v1/lookup?addresses=${encodeURIComponent(text)}`));
  }
  assert.notEqual(internal(daemon, uuid)['agent_version'], undefined);
});

/** Yields the name of a field and a report that has this text in that field, for one field after the other. */
function* reportsWith(text: string): Generator<readonly [string, object]> {
  const inventory = {
    interfaces: [
      { name: 'eth0', mac_address: MAC, ipv4_address: '192.0.2.9', client_id: null, product: '0x1' },
    ],
    cpu: { architecture: 'x86_64', count: 4, model_name: 'x', flags: ['vmx'] },
    memory: { physical_mb: 1024 },
    disks: [{ name: '/dev/sda', size: 1e11, model: 'd', serial: 's', wwn: 'w', hctl: '0:0:0:0' }],
    boot: { current_boot_mode: 'uefi', pxe_interface: MAC },
    system_vendor: { product_name: 'p', serial_number: '1', manufacturer: 'm' },
    bmc_address: '192.0.2.1',
    bmc_v6address: '::',
  };
  for (const [part, value] of Object.entries(inventory)) {
    const holder = (Array.isArray(value) ? value[0] : value) as Readonly<Record<string, unknown>> | string;
    if (typeof holder === 'string') yield [part, { inventory: { ...inventory, [part]: text } }];
    else
      for (const name of Object.keys(holder)) {
        const changed = { ...holder, [name]: text };
        yield [
          `${part}/${name}`,
          { inventory: { ...inventory, [part]: Array.isArray(value) ? [changed] : changed } },
        ];
      }
  }
  for (const name of ['logs', 'error', 'root_disk', 'pci_devices', 'lldp_raw', 'data', 'parsed_lldp'])
    yield [name, { inventory, [name]: text }];
  yield ['lldp_raw', { inventory, lldp_raw: { eth0: [[5, text]] } }];
}

test('inspection reports with hostile texts are handled in time', async (t) => {
  const { daemon, uuid } = await waitingNode(t, { ini: `[inspector]\nhooks = ${ALL_HOOKS.join(',')}\n` });
  const texts = slowTexts(100_000);
  const kinds = [...reportsWith('')].length;
  // each text goes into three fields in turn: all texts in all fields would take minutes
  for (const [index, text] of texts.entries()) {
    for (const step of [0, 7, 19]) {
      const [name, body] = [...reportsWith(text)][(index + step) % kinds] ?? ['', {}];
      daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait', last_error: null });
      const what = `${name} ${shownStart(text)}`;
      const post = async (): Promise<Answer> => {
        const answer = await daemon.request('POST', `/v1/continue_inspection?node_uuid=${uuid}`, {
          version: 84,
          body,
        });
        await daemon.idle();
        return answer;
      };
      assert.ok([202, 400].includes((await inTime(what, post)).status), what);
      if (step === 0) await readAgain(daemon, uuid, what);
    }
  }
});

test('client requests with hostile texts are handled in time', async (t) => {
  const daemon = await startInProcess(t);
  const { uuid } = await daemon.createNode({ driver: 'fake-hardware' });
  const fields = [
    '/extra/a',
    '/driver_info/a',
    '/instance_info/a',
    '/properties/capabilities',
    '/name',
    '/owner',
  ];
  const more = [
    '/properties/root_device',
    '/description',
    '/resource_class',
    '/driver_info/agent_verify_ca',
    '/lessee',
  ];
  for (const [index, text] of slowTexts(150_000).entries()) {
    const path = [...fields, ...more][index % (fields.length + more.length)];
    for (const place of ['/extra/a', path]) {
      const body = [{ op: 'add', path: place, value: text }];
      await inTime(`PATCH ${place} ${shownStart(text)}`, () =>
        daemon.request('PATCH', `/v1/nodes/${uuid}`, { body }),
      );
    }
    await readAgain(daemon, uuid, shownStart(text));
    const name = encodeURIComponent(text.slice(0, 5000));
    for (const url of [`/v1/nodes/${name}`, `/v1/nodes?fields=${name}`, `/v1/ports?address=${name}`])
      await inTime(url.slice(0, 40), () => daemon.request('GET', url));
    for (const header of ['accept', 'forwarded', 'authorization', 'x-openstack-ironic-api-version']) {
      const value = text
        .slice(0, 8000)
        .replaceAll(/[^\x20-\x7e]/g, ' ')
        .trim();
      await inTime(header, () =>
        daemon.request('GET', '/v1/nodes?limit=1', { headers: { [header]: value } }),
      );
    }
  }
});
