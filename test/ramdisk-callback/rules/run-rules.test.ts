// Actions of inspection rules, and the order of rules.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import type { JsonObject } from '../../../daemon/model/json.ts';
import { actionOperators, conditionOperators } from '../../../daemon/model/rules/rule-operators.ts';
import type { RuleAction } from '../../../daemon/model/rules/rule-parts.ts';
import { callApi } from '../../../ramdisk-callback/rules/api-call.ts';
import type { Rule } from '../../../daemon/model/rules/inspection-rule.ts';
import type { RuleDraft } from '../../../ramdisk-callback/rules/rule-draft.ts';
import { runRules } from '../../../ramdisk-callback/rules/run-rules.ts';
import { holds } from '../../../ramdisk-callback/rules/conditions.ts';
import { filling, inventory } from './machine.ts';

const MAC = '52:54:00:00:00:01';

const rule = (actions: readonly RuleAction[], more: Partial<Rule> = {}): Rule => ({
  uuid: 'a0000000-0000-4000-8000-000000000001',
  description: null,
  priority: 0,
  sensitive: false,
  conditions: [],
  actions,
  ...more,
});

const action = (op: string, args: JsonObject, loop?: RuleAction['loop']): RuleAction => ({
  op,
  args,
  ...(loop !== undefined && { loop }),
});

interface Before {
  readonly node?: JsonObject;
  readonly pluginData?: JsonObject;
}

async function after(actions: readonly RuleAction[], { node = {}, pluginData = {} }: Before = {}) {
  const lines: string[] = [];
  const draft: RuleDraft = {
    node: {
      driver: 'ipmi',
      properties: {},
      extra: {},
      traits: [],
      driver_info: { ipmi_password: 's' },
      ...node,
    },
    ports: [{ uuid: 'p1', address: MAC, pxe_enabled: true, extra: {}, physical_network: null }],
    pluginData,
    log: (level, message) => lines.push(`${level} ${message}`),
    callApi,
    take: () => undefined,
  };
  await runRules([rule(actions)], draft, inventory, 'always');
  return { ...draft, lines };
}

const capabilities = async (name: string, value: string, before?: string) => {
  const node = before === undefined ? {} : { properties: { capabilities: before } };
  return (await after([action('set-capability', { name, value })], { node })).node['properties'];
};

test('attributes are set, extended and removed at paths with slashes or dots', async () => {
  const { node } = await after(
    [
      action('set-attribute', {
        path: 'driver_info.redfish_address',
        value: 'https://{inventory[bmc_address]}',
      }),
      action('set-attribute', { path: '/extra/rack/row', value: 7 }),
      action('set-attribute', { path: '/name', value: 'n-{inventory[cpu][count]}' }),
      action('extend-attribute', { path: '/extra/tags', value: 'a' }),
      action('extend-attribute', { path: '/extra/tags', value: 'a' }),
      action('extend-attribute', { path: '/extra/tags', value: 'a', unique: true }),
      action('del-attribute', { path: '/extra/old' }),
      action('del-attribute', { path: '/extra/never/there' }),
    ],
    { node: { extra: { old: 1, kept: 2 } } },
  );
  assert.deepEqual(node['driver_info'], { ipmi_password: 's', redfish_address: 'https://192.0.2.9' });
  assert.deepEqual(node['extra'], { kept: 2, rack: { row: 7 }, tags: ['a', 'a'] });
  assert.equal(node['name'], 'n-8');
});

test('a path with a slash is split at slashes and not at dots', async () => {
  const { node, ports } = await after([
    action('set-attribute', { path: 'driver_info/ipmi_address', value: '{inventory[bmc_address]}' }),
    action('set-attribute', { path: '/extra/a.b/', value: 1 }),
    action('set-attribute', { path: '{item[path]}', value: '{item[value]}' }, [
      { path: 'extra/bmc', value: '{inventory[bmc_address]}' },
    ]),
    action('set-port-attribute', { port_id: 'p1', path: 'extra/x', value: 2 }),
  ]);
  assert.deepEqual(node['driver_info'], { ipmi_password: 's', ipmi_address: '192.0.2.9' });
  assert.deepEqual(node['extra'], { 'a.b': 1, bmc: '192.0.2.9' });
  assert.deepEqual(ports[0]?.['extra'], { x: 2 });
});

test('an action with an empty loop runs once with its path unchanged', async () => {
  for (const loop of [[], {}]) {
    const { node } = await after([action('set-attribute', { path: '/extra/{item}', value: 1 }, loop)]);
    assert.deepEqual(node['extra'], { '{item}': 1 });
    await assert.rejects(after([action('fail', { msg: 'always' }, loop)]), /action 1 \(fail\): always/);
  }
});

test('set-capability replaces the earlier value, and unset-capability removes it', async () => {
  assert.deepEqual(await capabilities('cpu_vt', 'true'), { capabilities: 'cpu_vt:true' });
  assert.deepEqual(await capabilities('cpu_vt', 'true', 'cpu_vt:false,boot_mode:uefi'), {
    capabilities: 'cpu_vt:true,boot_mode:uefi',
  });
  const node = { properties: { capabilities: 'cpu_vt:false,cpu_vtx:1' } };
  const without = await after([action('unset-capability', { name: 'cpu_vt' })], { node });
  assert.deepEqual(without.node['properties'], { capabilities: 'cpu_vtx:1' });
  const untouched = await after([action('unset-capability', { name: 'cpu_vt' })]);
  assert.deepEqual(untouched.node['properties'], {});
});

test('traits are added once, and removing a missing trait logs a warning', async () => {
  const { node, lines } = await after([
    action('add-trait', { name: 'CUSTOM_A' }),
    action('add-trait', { name: 'CUSTOM_A' }),
    action('add-trait', { name: '{item}' }, ['CUSTOM_B', 'CUSTOM_C']),
    action('remove-trait', { name: 'CUSTOM_{item}' }, ['B']),
    action('add-trait', { name: 'CUSTOM_{inventory[cpu][count]}_CPUS' }),
    action('remove-trait', { name: 'CUSTOM_Z' }),
  ]);
  assert.deepEqual(node['traits'], ['CUSTOM_A', 'CUSTOM_C', 'CUSTOM_8_CPUS']);
  assert.deepEqual(lines, ['warn there is no trait CUSTOM_Z to remove']);
});

test('plugin data is set at paths with dots, extended and removed', async () => {
  const pluginData = { gone: { a: 1 }, kept: { x: 1 } };
  const { pluginData: left, lines } = await after(
    [
      action('set-plugin-data', { path: 'a.b', value: '{node.driver}' }),
      action('set-plugin-data', { path: 'a/b', value: 1 }),
      action('extend-plugin-data', { path: 'kept.list', value: { y: 2 } }),
      action('unset-plugin-data', { path: 'gone' }),
      action('unset-plugin-data', { path: 'never.there' }),
      action('set-plugin-data', { path: 'racks', value: [{ row: 1 }] }),
      action('unset-plugin-data', { path: 'racks.0.row' }),
    ],
    { pluginData },
  );
  assert.deepEqual(left, {
    a: { b: 'ipmi' },
    'a/b': 1,
    kept: { x: 1, list: [{ y: 2 }] },
    racks: [{ row: 1 }],
  });
  assert.deepEqual(lines, [
    'warn there is no plugin data never.there to remove',
    'warn there is no plugin data racks.0.row to remove',
  ]);
  assert.deepEqual(
    pluginData,
    { gone: { a: 1 }, kept: { x: 1 } },
    'the plugin data that was passed in is not changed',
  );
});

test('ports are found by UUID, and by MAC address in capitals or lower case', async () => {
  const { ports } = await after([
    action('set-port-attribute', { port_id: 'p1', path: '/pxe_enabled', value: false }),
    action('set-port-attribute', { port_id: MAC.toUpperCase(), path: 'extra.rack', value: 1 }),
    action('extend-port-attribute', { port_id: MAC, path: 'extra.tags', value: 'a' }),
    action('set-port-attribute', { port_id: MAC, path: 'physical_network', value: 'net' }),
    action('del-port-attribute', { port_id: MAC, path: 'extra.rack' }),
  ]);
  assert.deepEqual(ports, [
    { uuid: 'p1', address: MAC, pxe_enabled: false, extra: { tags: ['a'] }, physical_network: 'net' },
  ]);
});

test('log writes at info or the requested level, critical as error', async () => {
  const { lines } = await after([
    action('log', { msg: 'seen {node.driver}' }),
    action('log', { msg: 'hot', level: 'critical' }),
    action('log', { msg: 'warm', level: 'WARNING' }),
  ]);
  assert.deepEqual(lines, ['info seen ipmi', 'error hot', 'warn warm']);
});

test('every action and condition operator is implemented', async () => {
  for (const op of Object.keys(actionOperators))
    await after([action(op, {})]).catch((error: Error) =>
      assert.doesNotMatch(error.message, /is not an action/),
    );
  for (const op of Object.keys(conditionOperators)) {
    const args = { address: '192.0.2.9', subnet: '192.0.2.0/24', values: [], regex: 'x' };
    assert.equal(typeof holds({ op, args }, filling()), 'boolean', op);
  }
});

const refusals: readonly (readonly [RuleAction, RegExp])[] = [
  [action('fail', { msg: 'not {node.driver} again' }), /action 1 \(fail\): not \{node\.driver\} again$/],
  [action('fail', { msg: 'not {item}' }, ['this']), /: not this$/],
  [action('set-attribute', { path: '/uuid', value: 1 }), /path: uuid is not one of .*name/],
  [action('set-attribute', { path: '/', value: 1 }), /path: {2}is not one of/],
  [action('set-attribute', { path: 'driver/x', value: 1 }), /path: driver is not an object, so it has no x/],
  [action('set-attribute', { path: 'driver.x', value: 1 }), /path: driver is not an object, so it has no x/],
  [action('extend-attribute', { path: 'extra', value: 1 }), /\{\} is not a list/],
  [action('add-trait', { name: 'lower' }), /"lower" is not a trait/],
  [action('set-port-attribute', { port_id: 'p9', path: 'extra.a', value: 1 }), /the node has no port p9/],
  [action('set-port-attribute', { port_id: 'p1', path: 'address', value: 1 }), /path: address is not one of/],
  [action('log', { msg: '', level: '{item}' }, ['loud']), /level: loud is not one of debug/],
  [action('api-call', { url: 'file:///etc/passwd' }), /"file:\/\/\/etc\/passwd" is not an http or https URL/],
];

for (const [refused, reason] of refusals) {
  test(`${refused.op} ${JSON.stringify(refused.args)} fails the inspection with a reason`, async () => {
    await assert.rejects(after([refused]), reason);
  });
}

test('rules run by descending priority, then in list order, and see the changes of earlier rules', async () => {
  const order: string[] = [];
  const draft: RuleDraft = {
    node: { extra: {} },
    ports: [],
    pluginData: {},
    log: (_, message) => order.push(message),
    callApi,
    take: () => undefined,
  };
  const saying = (msg: string, priority: number, more: Partial<Rule> = {}) =>
    rule([action('log', { msg })], { priority, ...more });
  const conditions = [{ op: 'eq', args: { values: ['{node.extra[seen]}', 'yes'] } }];
  await runRules(
    [
      saying('id1', 0),
      rule([action('set-attribute', { path: 'extra.seen', value: 'yes' })], { priority: 9 }),
      saying('id2', 5),
      saying('conditional', 4, { conditions }),
      saying('unmet', 4, { conditions: [...conditions, { op: 'is-true', args: { value: false } }] }),
      saying('id3', 0),
      saying('built-in', 0),
      saying('last', -1),
    ],
    draft,
    inventory,
    'always',
  );
  assert.deepEqual(order, ['id2', 'conditional', 'id1', 'id3', 'built-in', 'last']);
});

test('the error of a condition that cannot be evaluated names the rule and the condition', async () => {
  const draft: RuleDraft = {
    node: {},
    ports: [],
    pluginData: {},
    log: () => undefined,
    callApi,
    take: () => undefined,
  };
  const broken = rule([], { description: 'racks', conditions: [{ op: 'gt', args: { values: [1, 'a'] } }] });
  await assert.rejects(
    runRules([broken], draft, inventory, 'always'),
    /^InspectionError: Inspection rule a0000000-\S+ \(racks\), condition 1 \(gt\): 1 and "a" cannot be ordered/,
  );
});

async function secretRead(masking: 'always' | 'never' | 'sensitive', sensitive: boolean) {
  const lines: string[] = [];
  const log = (_: string, message: string) => lines.push(message);
  const draft: RuleDraft = { node: {}, ports: [], pluginData: {}, log, callApi, take: () => undefined };
  const actions = [action('log', { msg: '{inventory[bmc_password]}' })];
  await runRules([rule(actions, { sensitive })], draft, inventory, masking);
  return lines[0];
}

test("mask_secrets and the rule's sensitive field control the masking of secrets", async () => {
  assert.deepEqual(
    [
      await secretRead('always', true),
      await secretRead('never', false),
      await secretRead('sensitive', false),
      await secretRead('sensitive', true),
    ],
    ['***', 'hunter2', '***', 'hunter2'],
  );
});

test('api-call retries after HTTP 503; HTTP 404, a redirect or a refused connection fails the inspection', async (t) => {
  const seen: string[] = [];
  const answers = [503, 200, 404, 302];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url} ${String(request.headers['x-site'])}`);
    response.writeHead(answers.shift() ?? 500, { location: '/elsewhere' }).end('ignored');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const call = (path: string) =>
    after([
      action('api-call', { url: url + path, headers: { 'X-Site': '{node.driver}' }, backoff_factor: 0.001 }),
    ]);
  await call('/new/{inventory[bmc_address]}?mac={inventory[interfaces][0][mac_address]}');
  const line = `GET /new/192.0.2.9?mac=${MAC} ipmi`;
  assert.deepEqual(seen, [line, line]);
  await assert.rejects(call('/missing'), /GET http:\/\/127\.0\.0\.1:\d+\/missing failed: HTTP 404$/);
  await assert.rejects(call('/moved'), /failed: HTTP 302$/);
  assert.equal(seen.length, 4);
  server.close();
  server.closeAllConnections();
  await assert.rejects(call('/gone'), /failed: .*ECONNREFUSED/);
});

test('api-call uses the proxy of the rule', async (t) => {
  const seen: (string | undefined)[] = [];
  const proxy = createServer((request, response) => {
    seen.push(request.url);
    response.end();
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.after(() => proxy.close());
  const proxies = { http: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` };
  await after([action('api-call', { url: 'http://inventory.example/new', proxies })]);
  assert.deepEqual(seen, ['http://inventory.example/new']);
});
