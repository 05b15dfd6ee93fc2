// Processes a saved report without a daemon, to develop hooks and rules.
import { draftRecord } from '../../daemon/conductor/records/new-record.ts';
import { readTables } from '../../daemon/db/read-only.ts';
import { systemClock } from '../../daemon/lib/clock.ts';
import { createLogger, type LogDestination } from '../../daemon/lib/logger.ts';
import { isJsonObject } from '../../daemon/model/json.ts';
import { type Node, nodeFields } from '../../daemon/model/records/node.ts';
import { type ConfigRequest, readConfigWithPlugins } from '../../daemon/plugin-host/configured-plugins.ts';
import { loadUsable } from '../../daemon/plugin-host/load-usable.ts';
import { PluginProcesses } from '../../daemon/plugin-host/isolation/plugin-processes.ts';
import { resolvePluginApi } from '../../daemon/plugin-host/resolve-plugin-api.ts';
import type { LoadedConfig } from '../../daemon/config/load.ts';
import type { ComparedOutcome } from '../../daemon/conductor/inspection/report-processor.ts';
import { processAndCompare } from './compare.ts';
import { recordsOf } from '../../daemon/conductor/inspection/compute-changes.ts';
import type { InspectedRecords } from '../../daemon/conductor/inspection/changes.ts';
import { runHere } from './isolated-hooks.ts';
import { loadBuiltInRules, loadReportHooks, processingSetup } from './processing.ts';
import { readReport, type Report } from './report.ts';
import { readRules } from '../rules/read-rules.ts';

export interface ReplayRequest extends ConfigRequest {
  /** The body that a ramdisk posted, or a node's inventory from the API. */
  readonly report: Uint8Array;
  /** UUID or name of a node in the database, which is read with its ports and the stored rules; undefined: a new node. */
  readonly node: string | undefined;
  /** Path of a file with additional rules. */
  readonly rules: string | undefined;
  /** Receives the output of plugins as lines of JSON. */
  readonly log: LogDestination;
}

/**
 * Returns the changes that the report would cause, without storing them, or why hooks or rules failed. Throws an Error when
 * the report, the configuration, the node or the rules cannot be used.
 */
export async function replay(request: ReplayRequest): Promise<ComparedOutcome> {
  resolvePluginApi();
  const { config, values, discovery } = readConfigWithPlugins(request);
  const processes = new PluginProcesses({
    configuration: values,
    memoryMebibytes: config.plugins.memory_limit,
    clock: systemClock,
    log: createLogger({ level: 'info', mask: (fields) => fields, destination: request.log }),
  });
  await using ended = new AsyncDisposableStack();
  ended.defer(() => processes.close());
  const { registry } = await loadUsable(discovery, config, systemClock, processes);
  const setup = processingSetup({ config, values }, registry);
  const report = savedReport(request.report, setup.depthLimit);
  const records = request.node === undefined ? newMachine(config) : storedMachine(config, request.node);
  const tried = request.rules === undefined ? [] : readRules(request.rules, '--rules');
  const builtInRules = await loadBuiltInRules(setup.builtInRules);
  const never = new AbortController().signal;
  const hooks = await loadReportHooks(setup.hooks, runHere(registry.isolatedHooks, never));
  const processing = { ...setup, hooks, builtInRules, isDryRun: true };
  return await processAndCompare(processing, report, { ...records, rules: [...records.rules, ...tried] });
}

function savedReport(bytes: Uint8Array, depthLimit: number): Report {
  const reading = readReport(bytes, depthLimit);
  if (reading.kind === 'refused') {
    throw new Error(
      `The file is neither a ramdisk's report nor an inventory from the API: ${reading.reason}. Expected a JSON object with "inventory".`,
    );
  }
  const { inventory, pluginData } = reading.report;
  const { plugin_data: shown, ...others } = pluginData;
  return isJsonObject(shown) && Object.keys(others).length === 0
    ? { inventory, pluginData: shown }
    : reading.report;
}

function newMachine({
  DEFAULT: {
    enabled_hardware_types: [driver],
  },
}: LoadedConfig['config']): InspectedRecords {
  const node = draftRecord<Node>(nodeFields, { ...(driver !== undefined && { driver }) });
  return { node, ports: [], rules: [], previousInventory: undefined, isDiscovered: false };
}

const storedMachine = (config: LoadedConfig['config'], identifier: string): InspectedRecords =>
  readTables(config.database.path, (db) => {
    const node = db.nodes.get(identifier) ?? db.nodes.findBy('name', identifier);
    if (node !== undefined) return recordsOf({ db, config }, node, false);
    throw new Error(
      `The database ${config.database.path} has no node with the UUID or name ${identifier}. Omit --node to process the report for a new node.`,
    );
  });
