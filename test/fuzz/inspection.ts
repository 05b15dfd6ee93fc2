// Fuzzes inspection: mutated reports through every hook, LLDP data, root device hints, rules, formatted texts compared with
// Python's, and a daemon with its worker threads.
// npm run fuzz:inspection [COUNT [SEED]]; the tests run a few thousand.
import assert from 'node:assert/strict';
import process from 'node:process';
import { Fault, type Json, type JsonObject } from '#plugin-api';
import { diskTest } from '../../daemon/model/instance/root-device-hints.ts';
import { addressesOf, readReport } from '../../ramdisk-callback/hooks/report.ts';
import {
  actionOperators,
  conditionOperators,
  type Operator,
} from '../../daemon/model/rules/rule-operators.ts';
import { parseAction, parseCondition } from '../../daemon/model/rules/rule-parts.ts';
import { fillInText } from '../../ramdisk-callback/rules/fill-in.ts';
import type { Rule } from '../../daemon/model/rules/inspection-rule.ts';
import { type Processing, processReport } from '../../ramdisk-callback/hooks/process-report.ts';
import { collectEndings } from '../fakes/endings.ts';
import { type Ending, startInProcess } from '../fakes/daemon/in-process-daemon.ts';
import { ALL_HOOKS, hookConfiguration, inspectionReports, loadAllHooks } from '../fakes/inspection-hooks.ts';
import { fakeNode } from '../fakes/task.ts';
import { pythonFormats } from '../fakes/python-format.ts';
import {
  damaged,
  formattedScope,
  hostileFormat,
  hostileHints,
  hostileRule,
  hostileTlvs,
  mutated,
} from './inputs/mutate.ts';
import { createRandom, type Random } from './inputs/random.ts';

export interface Tally {
  readonly processed: number;
  readonly refused: number;
  readonly slowestMilliseconds: number;
}

const DEPTH_LIMIT = 25;
const ALIAS = '{"vendor_id": "10de", "product_id": "2236", "name": "gpu"}';
const options = {
  pci_device_alias: [ALIAS],
  physical_network_cidr_map: ['10.20.0.0/16:a', '2001:db8::/32:b'],
};

/** Calls `run` `count` times. Counts its results (true is processed, false is refused) and measures the slowest call. */
async function tally(count: number, run: () => boolean | Promise<boolean>): Promise<Tally> {
  const counts = { processed: 0, refused: 0, slowestMilliseconds: 0 };
  for (let left = count; left > 0; left -= 1) {
    const started = performance.now();
    counts[(await run()) ? 'processed' : 'refused'] += 1;
    counts.slowestMilliseconds = Math.max(counts.slowestMilliseconds, performance.now() - started);
  }
  return counts;
}

/** The reports without most of their logs. */
const corpus = (): readonly JsonObject[] =>
  Object.values(inspectionReports()).map((report) => ({
    ...report,
    logs: JSON.stringify(report['logs'] ?? '').slice(1, 40),
  }));

const text = (value: Uint8Array) => new TextDecoder().decode(value);

/** Each mutated report is processed or refused with a reason. After every 50, an unchanged report gives its earlier result. */
export async function fuzzReports(count: number, seed: number): Promise<Tally> {
  const random = createRandom(seed);
  const processing = await withHooks(ALL_HOOKS, options);
  const [witness, ...reports] = corpus();
  assert.ok(witness);
  const witnessed = async () =>
    JSON.stringify(await outcomeOf(processing, createRandom(7), Buffer.from(JSON.stringify(witness))));
  const expected = await witnessed();
  const prototype = Object.getOwnPropertyNames(Object.prototype).join();
  let runs = 0;
  const counted = await tally(count, async () => {
    const report = random.of(reports);
    const bytes = random.once(5)
      ? damaged(random, JSON.stringify(report))
      : Buffer.from(JSON.stringify(mutated(random, report)));
    const isProcessed = (await outcomeOf(processing, random, bytes)) !== undefined;
    runs += 1;
    if (runs % 50 === 0) assert.equal(await witnessed(), expected, `after run ${runs} of seed ${seed}`);
    return isProcessed;
  });
  assert.equal(Object.getOwnPropertyNames(Object.prototype).join(), prototype);
  return counted;
}

/** Processing by these hooks, without built-in rules. */
async function withHooks(
  names: readonly string[],
  inspector: Readonly<Record<string, unknown>> = {},
): Promise<Processing> {
  const hooks = (await loadAllHooks()).filter(({ name }) => names.includes(name));
  return {
    hooks,
    configuration: hookConfiguration(inspector),
    masking: 'always',
    builtInRules: [],
    isDryRun: true,
  };
}

const portOf = (address: string) => ({
  uuid: `port ${address}`,
  address,
  pxe_enabled: true,
  extra: {},
  local_link_connection: {},
  physical_network: null,
});

/** The result in a comparable form; undefined when the report is refused or its processing fails. */
async function outcomeOf(processing: Processing, random: Random, bytes: Uint8Array): Promise<unknown> {
  const reading = readReport(bytes, DEPTH_LIMIT);
  if (reading.kind === 'refused') {
    assert.ok(reading.code === 'BodyTooDeep' || reading.reason !== '');
    return undefined;
  }
  const { macs } = addressesOf(reading.report);
  const outcome = await processReport(processing, reading.report, {
    node: fakeNode({ properties: hostileProperties(random) }),
    ports: macs.slice(0, random.below(3)).map(portOf),
    rules: [],
    isDiscovered: false,
    previousInventory: random.once(3) ? JSON.stringify({ disks: [{ serial: 'x' }] }) : undefined,
  });
  assert.ok(outcome.lines.length <= 101);
  if (outcome.kind === 'failed') {
    assert.doesNotMatch(outcome.reason, /failed unexpectedly|would not be stored/);
    assert.ok(outcome.reason.length < 20_000, outcome.reason);
    return undefined;
  }
  const {
    stored: { inventory, plugin_data: pluginData },
    ...changes
  } = outcome.changes;
  const stored = JSON.parse(text(pluginData)) as JsonObject;
  assert.equal('logs' in stored, false);
  assert.equal(text(inventory), JSON.stringify(reading.report.inventory));
  for (const { address } of changes.addedPorts) assert.match(address, /^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/);
  return { changes, stored, lines: outcome.lines };
}

function hostileProperties(random: Random): JsonObject {
  return {
    ...(random.once(4) && { root_device: hostileHints(random) }),
    ...(random.once(20) && { skip_block_devices: [hostileHints(random)] }),
    ...(random.once(3) && {
      capabilities: random.of<Json>(['a:b', '', 'malformed', null, 'boot_mode:bios']),
    }),
  };
}

/** Any LLDP data is parsed or ignored. */
export async function fuzzLldp(count: number, seed: number): Promise<Tally> {
  const random = createRandom(seed);
  const processing = await withHooks(['validate-interfaces', 'parse-lldp', 'local-link-connection']);
  const address = '02:00:00:00:00:01';
  const inventory = { interfaces: [{ name: 'e', mac_address: address }] };
  const records = {
    node: fakeNode(),
    ports: [portOf(address)],
    rules: [],
    isDiscovered: false,
    previousInventory: undefined,
  };
  return tally(count, async () => {
    const report = { inventory, pluginData: { lldp_raw: { e: hostileTlvs(random) } } };
    const outcome = await processReport(processing, report, records);
    assert.ok(outcome.kind === 'changed', JSON.stringify(outcome));
    return 'parsed_lldp' in (JSON.parse(text(outcome.changes.stored.plugin_data)) as object);
  });
}

/** `op argument argument ...` */
const signatures = (operators: Readonly<Record<string, Operator>>): readonly string[] =>
  Object.entries(operators).map(([op, { required, optional = {} }]) =>
    [op, ...Object.keys(required), ...Object.keys(optional)].join(' '),
  );

/** Each rule is refused when written, fails when it runs (the reason names its UUID), or changes only data that hooks may edit. */
export async function fuzzRules(count: number, seed: number): Promise<Tally> {
  const random = createRandom(seed);
  const processing = await withHooks(['validate-interfaces', 'ports', 'architecture']);
  const reports = corpus().map((report) => JSON.stringify(report));
  const operators = { conditions: signatures(conditionOperators), actions: signatures(actionOperators) };
  const node = fakeNode({ driver_info: { ipmi_password: 'hunter2hunter2' } });
  const before = JSON.stringify(node);
  const counted = await tally(count, async () => {
    const rule = writtenRule(hostileRule(random, operators));
    if (rule === undefined) return false;
    const reading = readReport(Buffer.from(random.of(reports)), DEPTH_LIMIT);
    if (reading.kind === 'refused') return false;
    const { macs } = addressesOf(reading.report);
    const outcome = await processReport(processing, reading.report, {
      node,
      ports: macs.slice(0, 1).map(portOf),
      rules: [rule],
      isDiscovered: false,
      previousInventory: undefined,
    });
    assert.ok(!JSON.stringify(outcome.lines).includes('hunter2hunter2'), 'a secret was read');
    if (outcome.kind === 'failed') {
      assert.match(outcome.reason, /^Inspection rule f0000000-/);
      return false;
    }
    const { driver_info: _, ...elsewhere } = outcome.changes.node;
    assert.ok(!JSON.stringify(elsewhere).includes('hunter2hunter2'), 'a secret was written elsewhere');
    return true;
  });
  assert.equal(JSON.stringify(node), before);
  assert.equal('polluted' in {}, false);
  return counted;
}

const parts = (list: Json | undefined) => list as readonly JsonObject[];

/** The rule as the API would store it; undefined when the API refuses it. */
function writtenRule({ conditions, actions }: JsonObject): Rule | undefined {
  try {
    return {
      uuid: 'f0000000-0000-4000-8000-000000000000',
      description: null,
      priority: 0,
      sensitive: false,
      conditions: parts(conditions).map(parseCondition),
      actions: parts(actions).map(parseAction),
    };
  } catch (error) {
    assert.ok(error instanceof Fault && error.code === 'InvalidParameter', String(error));
    return undefined;
  }
}

/** Every text is formatted as in Python, or is refused where Python refuses it. */
export function fuzzFormats(count: number, seed: number): Promise<Tally> {
  const random = createRandom(seed);
  const texts = Array.from({ length: count }, () => hostileFormat(random));
  const expected = pythonFormats(formattedScope, texts);
  const filling = { scope: formattedScope, masked: false, warn() {} };
  let at = 0;
  return tally(count, () => {
    const [given = '', made = null] = [texts[at], expected[at]];
    at += 1;
    assert.equal(fillInText(given, filling) ?? null, made, JSON.stringify(given));
    return made !== null;
  });
}

/** Hints are refused with a fault, or become a test that returns true or false for each disk, mutated disks included. */
export function fuzzHints(count: number, seed: number): Promise<Tally> {
  const random = createRandom(seed);
  const disks = corpus().flatMap(
    ({ inventory }) => ((inventory as JsonObject)['disks'] ?? []) as readonly JsonObject[],
  );
  const strange = disks
    .map((disk) => mutated(random, disk))
    .filter((disk) => typeof disk === 'object' && disk !== null);
  return tally(count, () => {
    try {
      const test = diskTest('properties/root_device', hostileHints(random));
      for (const disk of [...disks, ...strange]) assert.equal(typeof test(disk as JsonObject), 'boolean');
      return true;
    } catch (error) {
      assert.ok(error instanceof Fault && error.code === 'InvalidParameter', String(error));
      return false;
    }
  });
}

/** The node of an accepted report leaves `inspect wait`, that of a refused one stays there, and another node stays unchanged. */
export async function fuzzDaemon(ending: Ending, count: number, seed: number): Promise<Tally> {
  const random = createRandom(seed);
  const daemon = await startInProcess(ending, { ini: `[inspector]\nhooks = ${ALL_HOOKS.join(',')}\n` });
  const reports = corpus();
  const { uuid } = await daemon.createNode({ driver: 'lab' });
  const bystander = await daemon.createNode({ driver: 'lab' });
  await daemon.createPort(bystander.uuid, '0e:00:00:00:00:01');
  daemon.services.db.nodes.update(bystander.uuid, { provision_state: 'inspect wait' });
  const before = JSON.stringify(daemon.node(bystander.uuid));
  const counts = { processed: 0, refused: 0, slowestMilliseconds: 0 };
  for (let left = count; left > 0; left -= 1) {
    const started = performance.now();
    daemon.services.db.nodes.update(uuid, { provision_state: 'inspect wait', last_error: null });
    const report = JSON.stringify(mutated(random, random.of(reports)));
    const body = random.once(5) ? damaged(random, report) : report;
    const query = `?node_uuid=${uuid}`;
    const { status, text: answer } = await daemon.request('POST', `/v1/continue_inspection${query}`, {
      version: 84,
      body,
    });
    assert.ok([202, 400, 404].includes(status), answer);
    await daemon.idle();
    const { provision_state, last_error } = daemon.node(uuid);
    const ended = status === 202 ? ['manageable', 'inspect failed'] : ['inspect wait'];
    assert.ok(ended.includes(provision_state), `${status} ${provision_state} ${last_error}`);
    assert.doesNotMatch(last_error ?? '', /unexpectedly|Unexpected failure/);
    counts[provision_state === 'manageable' ? 'processed' : 'refused'] += 1;
    counts.slowestMilliseconds = Math.max(counts.slowestMilliseconds, performance.now() - started);
  }
  assert.equal(JSON.stringify(daemon.node(bystander.uuid)), before);
  return counts;
}

const show = (name: string, counts: Tally) => console.log(name.padEnd(16), JSON.stringify(counts));

async function main([
  count = '100000',
  seed = String(Date.now() % 2 ** 31),
]: readonly string[]): Promise<void> {
  const [runs, from] = [Number(count), Number(seed)];
  console.log(`seed ${from}`);
  show('hints', await fuzzHints(runs, from));
  show('LLDP', await fuzzLldp(runs, from));
  show('formats', await fuzzFormats(runs, from));
  show('rules', await fuzzRules(runs, from));
  show('reports', await fuzzReports(runs, from));
  const endings = collectEndings();
  const daemonRuns = Math.ceil(runs / 50);
  show('whole daemon', await fuzzDaemon(endings, daemonRuns, from));
  await endings.end();
}

if (import.meta.main) await main(process.argv.slice(2));
