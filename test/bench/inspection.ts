// Measures inspection with every hook: reports per second, and the main thread's CPU time per report, with all work on the main
// thread and with pools of one and of two threads. Requests do not go through a socket. Prints a table; asserts nothing.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { type App, createApp } from '../../daemon/http/app.ts';
import { auditedNode } from '../../daemon/conductor/records/find-record.ts';
import { apiRoutes } from '../../daemon/api/routes/all-routes.ts';
import type { Services } from '../../daemon/conductor/services.ts';
import { createCore } from '../../daemon/main.ts';
import type { ReportProcessor } from '../../daemon/conductor/inspection/report-processor.ts';
import { addressesOf, logsIn, readReport, type Report } from '../../ramdisk-callback/hooks/report.ts';
import { ramdiskRoutes } from '../../ramdisk-callback/routes.ts';
import { type Processing, processReport } from '../../ramdisk-callback/hooks/process-report.ts';
import { ALL_HOOKS, inspectionReports, loadAllHooks } from '../fakes/inspection-hooks.ts';

const NODES = 8;
const SIZES = [40_000, 400_000, 4_000_000];
const SECONDS = 4;
const octetOf = (node: number) => node.toString(16).padStart(2, '0');
const macOf = (node: number) => `0e:00:00:00:${octetOf(node)}:10`;

/** The report with the server's MAC addresses replaced by those of this node. */
const readdressed = (text: string, node: number) =>
  text
    .replaceAll('b0:7b:25:e1:44:', `0e:00:00:00:${octetOf(node)}:`)
    .replaceAll('b0-7b-25-e1-44-', `0e-00-00-00-${octetOf(node)}-`)
    .replaceAll('04:3f:72:c9:0a:', `0e:00:00:01:${octetOf(node)}:`);

const row = (at: number) => ['cpu', `physical_${at % 64}`, `counter_${at}`, String(at)];

/** The most rows of hardware-detect data: with five values for each row, the report stays below the limit on values. */
const MOST_ROWS = 35_000;

/** A server's report enlarged to `bytes`: half of the addition is hardware-detect data, up to MOST_ROWS rows, the rest is logs. */
function reportOf(node: number, bytes: number): Uint8Array<ArrayBuffer> {
  const report = inspectionReports()['constructed-server'] ?? {};
  const rest = Math.max(0, bytes - JSON.stringify(report).length);
  const rows = Math.min(Math.floor(rest / 2 / 46), MOST_ROWS);
  const data = Array.from({ length: rows }, (_, at) => row(at));
  const logs = Buffer.alloc(Math.floor(((rest - rows * 46) * 3) / 4), 'log').toString('base64');
  return Buffer.from(readdressed(JSON.stringify({ ...report, data, logs }), node));
}

/** Does the work of the pool's threads in the thread that calls it. */
function inlineProcessor(services: Services, processing: Processing): ReportProcessor {
  const read = (bytes: Uint8Array): Report => {
    const reading = readReport(bytes, services.config.api.max_json_body_depth);
    assert.ok(reading.kind === 'read');
    return reading.report;
  };
  return {
    identify: async (bytes) => ({ kind: 'identified', ...addressesOf(read(bytes)) }),
    inspect: (bytes, records) => processReport(processing, read(bytes), records),
    reprocess: () => Promise.reject(new Error('nothing is reprocessed here')),
    split: () => Promise.reject(new Error('no external service inspects here')),
    logs: async (bytes) => logsIn(read(bytes)),
    close: () => Promise.resolve(),
  };
}

interface Measured {
  readonly perSecond: number;
  /** CPU time of the main thread for each report. */
  readonly mainMilliseconds: number;
}

async function measure(size: number, threads: number | 'main'): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'ironic-edge-bench-'));
  const configFile = join(directory, 'ironic.conf');
  writeFileSync(
    configFile,
    `[DEFAULT]
state_path = ${directory}
enabled_hardware_types = fake-hardware
enabled_inspect_interfaces = agent
[inspector]
hooks = ${ALL_HOOKS.join(',')}
hook_workers = ${threads === 'main' ? 1 : threads}
power_off = false
physical_network_cidr_map = 10.20.110.0/24:prov
pci_device_alias = {"vendor_id": "10de", "product_id": "2236", "name": "gpu"}
`,
  );
  const core = await createCore({ configFile, environment: {}, logDestination: { write: () => undefined } });
  const { services } = core;
  const processing: Processing = {
    hooks: await loadAllHooks(),
    configuration: services.sections,
    masking: 'always',
    builtInRules: [],
    isDryRun: false,
  };
  const app =
    threads === 'main'
      ? createApp({
          services: { ...services, inspection: inlineProcessor(services, processing) },
          routes: [...apiRoutes, ...ramdiskRoutes],
          authentication: core.authentication,
          beforeApi: [],
          subjectOf: auditedNode,
          answered: core.observation.answered,
        })
      : core.app;
  try {
    return await run(
      services,
      app,
      await Promise.all(Array.from({ length: NODES }, (_, at) => enrolled(app, at, size))),
    );
  } finally {
    await Promise.all([services.inspection.close(), core.authentication.close()]);
    services.db.close();
    rmSync(directory, { recursive: true });
  }
}

interface Machine {
  readonly uuid: string;
  readonly report: Uint8Array<ArrayBuffer>;
}

const send = async (
  app: App,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
) =>
  app.fetch(
    new Request(`http://bench${path}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers },
    }),
  );

async function enrolled(app: App, number: number, size: number): Promise<Machine> {
  const created = await send(app, '/v1/nodes', '{"driver": "fake-hardware"}', {});
  const { uuid } = (await created.json()) as { readonly uuid: string };
  const port = JSON.stringify({ node_uuid: uuid, address: macOf(number) });
  assert.equal((await send(app, '/v1/ports', port, {})).status, 201);
  return { uuid, report: reportOf(number, size) };
}

async function run(services: Services, app: App, machines: readonly Machine[]): Promise<Measured> {
  const round = async () => {
    for (const { uuid } of machines) services.db.nodes.update(uuid, { provision_state: 'inspect wait' });
    const answers = await Promise.all(
      machines.map(({ report }) => send(app, '/v1/continue_inspection', report, {})),
    );
    await services.workers.idle();
    for (const [at, { status }] of answers.entries()) {
      const { provision_state, last_error } = services.db.nodes.get(machines[at]?.uuid ?? '') ?? {};
      assert.deepEqual([status, provision_state], [202, 'manageable'], String(last_error));
    }
  };
  await round();
  await round();
  let reports = 0;
  const started = performance.now();
  const cpu = process.threadCpuUsage();
  while (performance.now() - started < SECONDS * 1000) {
    await round();
    reports += machines.length;
  }
  const { user, system } = process.threadCpuUsage(cpu);
  return {
    perSecond: (reports * 1000) / (performance.now() - started),
    mainMilliseconds: (user + system) / 1000 / reports,
  };
}

for (const size of SIZES) {
  const onMain = await measure(size, 'main');
  console.log(`${size / 1000} kB: ${reportOf(0, size).length} bytes`);
  for (const threads of ['main', 1, 2] as const) {
    const found = threads === 'main' ? onMain : await measure(size, threads);
    const where = threads === 'main' ? 'main thread' : `pool of ${threads}`;
    const ratio = (onMain.mainMilliseconds / found.mainMilliseconds).toFixed(1);
    const [rate, cpu] = [found.perSecond.toFixed(1), found.mainMilliseconds.toFixed(2)];
    console.log(
      `  ${where.padEnd(12)} ${rate.padStart(7)} reports/s, ${cpu.padStart(7)} ms main-thread CPU per report: 1/${ratio} of line 1`,
    );
  }
}
