// Inspection rules from the API and from the file of built-in rules, and what they store.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { JsonObject } from '../../daemon/model/json.ts';
import { exampleRule } from '../../daemon/docs/inspection-rules-page.ts';
import { type InProcessDaemon, startInProcess } from '../fakes/daemon/in-process-daemon.ts';
import { MAC, waitingNode } from './waiting-node.ts';

const inventory = {
  interfaces: [{ name: 'eth0', mac_address: MAC }],
  cpu: { architecture: 'x86_64', count: 8 },
  memory: { physical_mb: 1024 },
  system_vendor: { product_name: 'PowerEdge R640', manufacturer: 'Dell Inc.' },
  bmc_address: '192.0.2.9',
};

async function addRule(daemon: InProcessDaemon, rule: object): Promise<void> {
  const { status, text } = await daemon.request('POST', '/v1/inspection_rules', { body: rule });
  assert.equal(status, 201, text);
}

async function report(daemon: InProcessDaemon) {
  const body = { inventory, racks: { row: 3 } };
  const answer = await daemon.request('POST', '/v1/continue_inspection', { version: null, body });
  assert.equal(answer.status, 202, answer.text);
  await daemon.idle();
}

const set = (where: string, value: unknown) => ({ op: 'set-attribute', args: { path: where, value } });

test('rules change node, traits, port and plugin data, and leave secrets unchanged', async (t) => {
  const secrets = { ipmi_address: '192.0.2.9', ipmi_password: 'hunter2' };
  const { daemon, uuid } = await waitingNode(t, {}, { driver_info: secrets });
  await addRule(daemon, {
    priority: 10,
    conditions: [
      { op: 'contains', args: { value: '{inventory[system_vendor][manufacturer]}', regex: '(?i)dell' } },
      { op: 'eq', args: { values: ['{inventory[cpu][count]}', '8'] } },
    ],
    actions: [
      set('driver_info.redfish_address', 'https://{inventory[bmc_address]}'),
      set('/name', 'dell-{plugin_data[racks][row]}'),
      set('/extra/seen', '{node.driver_info[ipmi_password]}'),
      { op: 'set-capability', args: { name: 'vendor', value: 'dell' } },
      { op: 'add-trait', args: { name: 'CUSTOM_DELL' } },
      { op: 'set-port-attribute', args: { port_id: MAC, path: 'extra.row', value: 3 } },
      { op: 'set-plugin-data', args: { path: 'site.row', value: 3 } },
      { op: 'log', args: { msg: 'one more {inventory[system_vendor][product_name]}' } },
    ],
  });
  await addRule(daemon, {
    conditions: [{ op: 'eq', args: { values: ['{node.name}', 'another'] } }],
    actions: [{ op: 'fail', args: { msg: 'never' } }],
  });
  await report(daemon);
  const node = daemon.node(uuid);
  assert.deepEqual([node.provision_state, node.last_error], ['manageable', null]);
  assert.deepEqual(node.driver_info, { ...secrets, redfish_address: 'https://192.0.2.9' });
  assert.deepEqual([node.name, node.extra, node.traits], ['dell-3', { seen: '***' }, ['CUSTOM_DELL']]);
  assert.equal(node.properties['capabilities'], 'vendor:dell');
  const [port] = daemon.services.db.ports.ofNode(uuid);
  assert.deepEqual(port?.extra, { row: 3 });
  const { body } = await daemon.request('GET', `/v1/nodes/${uuid}/inventory`);
  const { racks, site } = body['plugin_data'] as JsonObject;
  assert.deepEqual([racks, site], [{ row: 3 }, { row: 3 }]);
  assert.match(daemon.log(), /one more PowerEdge R640/);
});

const refused: readonly (readonly [object, RegExp])[] = [
  [{ op: 'fail', args: { msg: 'no Dell here' } }, /Inspection rule \S+, action 2 \(fail\): no Dell here/],
  [set('/uuid', 'x'), /action 2 \(set-attribute\): path: uuid is not one of/],
  [set('/name', 'two words'), /action 2 \(set-attribute\): Cannot use the invalid name "two words"/],
  [
    set('/properties/memory_mb', 'much'),
    /action 2 \(set-attribute\): Invalid input for properties\/memory_mb: "much"/,
  ],
  [
    set('/driver', 'no-such-type'),
    /Inspection rule \S+, action 2 \(set-attribute\) changed driver: refused: .*no-such-type/,
  ],
  [
    set('/resource_class', 7),
    /Inspection rule \S+, action 2 \(set-attribute\): Schema error for node: 7 is not/,
  ],
  [
    { op: 'set-port-attribute', args: { port_id: MAC, path: 'pxe_enabled', value: 'maybe' } },
    /action 2 \(set-port-attribute\): pxe_enabled of port \S+ is not a boolean/,
  ],
];

for (const [action, reason] of refused) {
  test(`a rule with ${JSON.stringify(action)} fails the inspection and stores nothing`, async (t) => {
    const { daemon, uuid } = await waitingNode(t, {}, { extra: { own: 1 } });
    await addRule(daemon, { actions: [set('/extra/first', 1), action] });
    await report(daemon);
    const node = daemon.node(uuid);
    assert.equal(node.provision_state, 'inspect failed');
    assert.match(node.last_error ?? '', reason);
    assert.deepEqual([node.extra, node.properties], [{ own: 1 }, {}]);
    assert.equal((await daemon.request('GET', `/v1/nodes/${uuid}/inventory`)).status, 404);
  });
}

test('the example rule of the manual works as documented', async (t) => {
  const { daemon, uuid } = await waitingNode(t);
  await addRule(daemon, exampleRule);
  await report(daemon);
  const { last_error, driver_info, extra, traits } = daemon.node(uuid);
  assert.equal(last_error, null);
  assert.deepEqual(driver_info, { redfish_address: 'https://192.0.2.9' });
  assert.deepEqual([extra, traits], [{ cpus: '0008' }, ['CUSTOM_8_CPUS']]);
  assert.match(daemon.log(), /new in rack: 'PowerEdge R640'/);
});

function ruleFile(t: TestContext, text: string): string {
  const directory = mkdtempSync(path.join(tmpdir(), 'rules-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = path.join(directory, 'rules.yaml');
  writeFileSync(file, text);
  return file;
}

const GOOD = `
# our own
- description: racks
  priority: -5
  actions:
    - {op: set-attribute, args: {path: /extra/rack, value: '{plugin_data[racks][row]}'}}
- uuid: 3c7f3f43-3a2d-4d07-9f3a-2d5b0b4e7f11
  priority: 10000
  sensitive: true
  conditions:
    - {op: '!is-empty', args: {value: '{inventory[bmc_address]}'}}
  actions:
    - {op: extend-attribute, args: {path: /extra/order, value: built-in first}}
`;

test("built-in rules run beside the API's rules, and their file is read at every inspection", async (t) => {
  const file = ruleFile(t, GOOD);
  const { daemon, uuid } = await waitingNode(t, { ini: `[inspection_rules]\nbuilt_in_rules = ${file}\n` });
  const order = { op: 'extend-attribute', args: { path: '/extra/order', value: 'API' } };
  await addRule(daemon, { priority: 9999, actions: [order] });
  await report(daemon);
  assert.deepEqual(daemon.node(uuid).extra, { order: ['built-in first', 'API'], rack: '3' });
  writeFileSync(file, '- actions: [{op: dance, args: {}}]\n');
  daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait' });
  await report(daemon);
  const { provision_state, last_error } = daemon.node(uuid);
  assert.equal(provision_state, 'inspect failed');
  assert.match(last_error ?? '', /rules\.yaml, cannot be used: rule 1: .*dance is not one of fail, log/);
});

const flawedFiles: Readonly<Record<string, RegExp>> = {
  'actions: []': /it is not a list of rules/,
  '- 7': /rule 1: .*not of type object/,
  '- {}': /rule 1: .*'actions' is a required property/,
  '- actions: []': /rule 1: actions: \[\] is too short: 1 at least/,
  '- {actions: [{op: fail, args: {}}]}': /rule 1: .*msg is missing/,
  '- {actions: [{op: fail, args: {msg: x}}], phase: early}': /rule 1: phase/,
  '- {actions: [{op: fail, args: {msg: x}}], priority: high}': /rule 1: .*not of type integer/,
  '- {actions: [{op: fail, args: {msg: x}}], scope: all}': /rule 1: .*'scope' was unexpected/,
  '- {actions: [{op: fail, args: {msg: x}}], conditions: [{op: ne, args: {}}]}': /rule 1: .*ne is not one of/,
  '- {actions: [': /line 1/,
};

test('an invalid file of built-in rules stops the startup, and the message names the file and the error', async (t) => {
  for (const [text, flaw] of Object.entries(flawedFiles)) {
    const file = ruleFile(t, text);
    const start = startInProcess(t, { ini: `[inspection_rules]\nbuilt_in_rules = ${file}\n` });
    await assert.rejects(start, (error: Error) => {
      assert.match(
        error.message,
        /^The file of \[inspection_rules\] built_in_rules, .*rules\.yaml, cannot be used: /,
      );
      assert.match(error.message, flaw, text);
      return true;
    });
  }
  const ini = '[inspection_rules]\nbuilt_in_rules = /nonexistent/rules.yaml\n';
  await assert.rejects(startInProcess(t, { ini }), /ENOENT/);
});

test('a rule with an invalid regular expression or subnet is refused', async (t) => {
  const daemon = await startInProcess(t);
  const wrong = [
    { op: 'matches', args: { value: 'x', regex: '(' } },
    { op: 'in-net', args: { address: '{inventory[bmc_address]}', subnet: '192.0.2.0/40' } },
  ];
  for (const condition of wrong) {
    const body = { conditions: [condition], actions: [{ op: 'fail', args: { msg: 'x' } }] };
    const { status, text } = await daemon.request('POST', '/v1/inspection_rules', { body });
    assert.equal(status, 400, text);
    assert.match(text, /is not a (regex|subnet)/);
  }
});

test('while an endless regular expression runs, the reports of other machines are still accepted', async (t) => {
  const { daemon } = await waitingNode(t);
  const rule = {
    conditions: [{ op: 'matches', args: { value: '{inventory[hostname]}', regex: '^(a+)+$' } }],
    actions: [{ op: 'set-attribute', args: { path: '/extra/x', value: 1 } }],
  };
  assert.equal((await daemon.request('POST', '/v1/inspection_rules', { body: rule })).status, 201);
  const other = await daemon.createNode({ driver: 'lab' });
  await daemon.createPort(other.uuid, '52:54:00:00:00:02');
  daemon.services.db.nodes.update(other.uuid, { provision_state: 'inspect wait' });
  const reported = (hostname: string, mac_address: string) =>
    daemon.request('POST', '/v1/continue_inspection', {
      version: null,
      body: { inventory: { hostname, interfaces: [{ name: 'eth0', mac_address }] } },
    });
  // the time limit of hooks uses the test's clock, which does not advance here
  assert.equal((await reported(`${'a'.repeat(60)}!`, MAC)).status, 202);
  assert.equal((await reported('b', '52:54:00:00:00:02')).status, 202);
});
