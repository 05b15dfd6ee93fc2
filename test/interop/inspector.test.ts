// The inspect interface `inspector` with a real ironic-inspector, which uses this daemon as its Ironic.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { systemClock } from '../../daemon/lib/clock.ts';
import { DaemonProcess } from '../fakes/daemon/daemon-process.ts';
import { freeTcpPort } from '../../daemon/simulator/free-port.ts';
import { InspectorProcess } from '../fakes/services/inspector-process.ts';
import { plugInRack } from '../../daemon/simulator/rack.ts';
import { skipWithout } from '../setup/packages.ts';

const skip = skipWithout('python3-ironic-inspector');

interface Report {
  readonly inventory: { readonly interfaces: readonly { readonly mac_address: string }[] };
}
const firstMac = ({ inventory }: Report) => inventory.interfaces[0]?.mac_address ?? '';

const dashed = (address: string) => address.replaceAll(':', '-');

/** The report of a real ramdisk, with the MAC address on its first interface. */
function captured(name: string, mac: string): Report {
  const text = readFileSync(new URL(`../fixtures/inspection/${name}.json`, import.meta.url), 'utf8');
  const first = firstMac(JSON.parse(text) as Report);
  return JSON.parse(text.replaceAll(first, mac).replaceAll(dashed(first), dashed(mac))) as Report;
}

interface Site {
  readonly daemon: DaemonProcess;
  readonly port: number;
  inspector: InspectorProcess;
}
let site: Site;

before(async () => {
  if (skip !== false) return;
  const port = await freeTcpPort();
  const daemon = await DaemonProcess.start({
    IRONIC_DEFAULT__ENABLED_HARDWARE_TYPES: 'fake-hardware,simulated',
    IRONIC_AGENT__CALLBACK_NETWORKS: '127.0.0.0/8',
    IRONIC_DEFAULT__ENABLED_BOOT_INTERFACES: 'fake,no-boot,simulated',
    IRONIC_DEFAULT__ENABLED_INSPECT_INTERFACES: 'inspector',
    IRONIC_CONDUCTOR__SYNC_POWER_STATE_INTERVAL: '0',
    IRONIC_INSPECTOR__ENDPOINT_OVERRIDE: `http://127.0.0.1:${port}`,
    IRONIC_INSPECTOR__STATUS_CHECK_PERIOD: '2',
    IRONIC_INSPECTOR__CALLBACK_ENDPOINT_OVERRIDE: 'http://192.0.2.1:5050',
  });
  site = { daemon, port, inspector: await InspectorProcess.start({ port, ironicUrl: daemon.url }) };
});
after(async () => {
  if (skip !== false) return;
  await site.inspector[Symbol.asyncDispose]();
  await site.daemon[Symbol.asyncDispose]();
});

const inState = (node: string, state: string) =>
  site.daemon.nodeWhen(node, ({ provision_state }) => provision_state === state);
const powered = (node: string, state: string) =>
  site.daemon.nodeWhen(node, ({ power_state }) => power_state === state);

async function post(path: string, body: object): Promise<string> {
  const answer = await site.daemon.request('POST', path, body);
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return String(answer.body['uuid']);
}

async function provision(node: string, target: string): Promise<void> {
  const answer = await site.daemon.request('PUT', `/v1/nodes/${node}/states/provision`, { target });
  assert.equal(answer.status, 202, JSON.stringify(answer.body));
}

/** Creates a manageable fake-hardware node, with a port for the address if one is given; resolves to the UUID of the node. */
async function enrolled(boot_interface: string, address?: string): Promise<string> {
  const node = await post('/v1/nodes', { driver: 'fake-hardware', boot_interface });
  if (address !== undefined) await post('/v1/ports', { node_uuid: node, address });
  await provision(node, 'manage');
  await inState(node, 'manageable');
  return node;
}

async function inspecting(node: string): Promise<string> {
  await provision(node, 'inspect');
  await inState(node, 'inspect wait');
  return node;
}

/** Posts a report; resolves to the HTTP status of the answer. */
async function report(url: string, body: object): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).status;
}

test(
  'a machine booted by ironic-inspector reports to the daemon and ends manageable, inspected and powered off',
  { skip },
  async (t) => {
    const [machine] = await plugInRack({
      size: 1,
      url: site.daemon.url,
      clock: systemClock,
      bootSeconds: 0,
      tell: () => {},
    });
    assert.ok(machine);
    t.after(() => machine.machine.unplug());
    await provision(machine.node, 'manage');
    await inState(machine.node, 'manageable');
    const boot = [{ op: 'add', path: '/boot_interface', value: 'no-boot' }];
    assert.equal((await site.daemon.request('PATCH', `/v1/nodes/${machine.node}`, boot)).status, 200);
    await inspecting(machine.node);
    const { last_error, driver_internal_info, power_state } = await inState(machine.node, 'manageable');
    assert.deepEqual([last_error, driver_internal_info, power_state], [null, {}, 'power off']);
    assert.equal(machine.machine.booted, 'ramdisk');
    assert.equal(machine.machine.powerState, 'Off');
    const { body } = await site.daemon.request('GET', `/v1/nodes/${machine.node}/inventory`);
    const { inventory, plugin_data } = body as Readonly<Record<string, Record<string, unknown>>>;
    assert.ok(Array.isArray(inventory?.['interfaces']));
    assert.deepEqual(plugin_data?.['macs'], [machine.machine.mac]);
    assert.equal((await site.inspector.introspection(machine.node))['state'], 'finished');
  },
);

test(
  'a report to the daemon is passed on to ironic-inspector, and the results are stored',
  { skip },
  async () => {
    const posted = captured('agent-12-bmc', '52:54:00:00:aa:11');
    const node = await inspecting(await enrolled('no-boot', firstMac(posted)));
    assert.equal(await report(`${site.daemon.url}/v1/continue_inspection`, posted), 202);
    const { last_error, properties } = await inState(node, 'manageable');
    assert.equal(last_error, null);
    assert.equal(properties['cpu_arch'], 'x86_64');
    const { body } = await site.daemon.request('GET', `/v1/nodes/${node}/inventory`);
    assert.deepEqual(body['inventory'], posted.inventory);
    const plugin_data = body['plugin_data'] as Readonly<Record<string, unknown>>;
    assert.deepEqual([plugin_data['logs'], 'all_interfaces' in plugin_data], [undefined, true]);
  },
);

test(
  'a machine booted by the daemon reports to ironic-inspector, and the daemon polls for the end',
  { skip },
  async () => {
    const posted = captured('agent-12-uefi', '52:54:00:00:aa:12');
    const node = await inspecting(await enrolled('fake', firstMac(posted)));
    const waiting = await site.daemon.node(node);
    assert.equal(waiting.driver_internal_info['inspector_manage_boot'], true);
    assert.equal(waiting.power_state, 'power on');
    assert.equal(await report(`${site.inspector.url}/v1/continue`, posted), 200);
    const { driver_internal_info, power_state } = await inState(node, 'manageable');
    assert.deepEqual([driver_internal_info, power_state], [{}, 'power off']);
  },
);

test('an abort reaches ironic-inspector, which powers the machine off', { skip }, async () => {
  const node = await inspecting(await enrolled('no-boot', '52:54:00:00:aa:01'));
  await site.daemon.nodeWhen(node, ({ power_state, reservation }) => {
    return power_state === 'power on' && reservation === null;
  });
  await provision(node, 'abort');
  const { power_state, last_error } = await site.daemon.nodeWhen(node, (each) => {
    return each.power_state === 'power off' && each.reservation === null;
  });
  assert.deepEqual([power_state, last_error], ['power off', 'Inspection was aborted by request.']);
  assert.equal((await site.inspector.introspection(node))['error'], 'Canceled by operator');
});

test('an error in ironic-inspector becomes the last_error of the node', { skip }, async () => {
  const unfindable = await enrolled('no-boot');
  await provision(unfindable, 'inspect');
  assert.match(
    (await inState(unfindable, 'inspect failed')).last_error ?? '',
    /No lookup attributes were found/,
  );
  const posted = captured('agent-2023.1', '52:54:00:00:aa:13');
  const node = await enrolled('no-boot', firstMac(posted));
  const hints = [{ op: 'add', path: '/properties/root_device', value: { serial: 'nowhere' } }];
  assert.equal((await site.daemon.request('PATCH', `/v1/nodes/${node}`, hints)).status, 200);
  await inspecting(node);
  assert.equal(await report(`${site.daemon.url}/v1/continue_inspection`, posted), 202);
  const { last_error } = await inState(node, 'inspect failed');
  assert.match(last_error ?? '', /No disks satisfied root device hints/);
});

test(
  'an unreachable ironic-inspector is polled again, and one that no longer knows the node fails the inspection',
  { skip },
  async () => {
    const node = await inspecting(await enrolled('fake', '52:54:00:00:aa:02'));
    await site.inspector[Symbol.asyncDispose]();
    const silence = await site.daemon.logged(({ node: of, reason }) => of === node && reason !== undefined);
    assert.match(String(silence['reason']), /^ironic-inspector .* failed at GET http:.*ECONNREFUSED/);
    const other = await enrolled('fake', '52:54:00:00:aa:03');
    await provision(other, 'inspect');
    const { last_error } = await inState(other, 'inspect failed');
    assert.match(
      last_error ?? '',
      /^Failed to start inspection: unable to start inspection: ironic-inspector \(\[inspector\] endpoint_override\) failed at POST http:\S+ connect ECONNREFUSED \S+$/,
    );
    site.inspector = await InspectorProcess.start({ port: site.port, ironicUrl: site.daemon.url });
    const forgotten = await inState(node, 'inspect failed');
    assert.match(forgotten.last_error ?? '', /no longer knows the node/);
    await powered(node, 'power off');
    const { body } = await site.daemon.request('GET', `/v1/nodes/${node}/history/detail`);
    const events = (body['history'] as readonly { readonly event: string }[]).map(({ event }) => event);
    assert.equal(events.filter((event) => event.includes('Could not poll')).length, 1, events.join('\n'));
  },
);
