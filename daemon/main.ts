// The daemon: constructs all parts in order, and disposes of them in reverse.
import { type App, createApp } from './http/app.ts';
import { healthEndpoints } from './http/health.ts';
import { type Authentication, createAuthentication } from './http/login/authenticate.ts';
import { checkMemoryBudget, MEBIBYTE } from './http/request/request-memory.ts';
import { auditedNode } from './api/audited-node.ts';
import { nodeFirst } from './api/node-first.ts';
import { apiRoutes } from './api/routes/all-routes.ts';
import { describedRoutes } from './api/routes/openapi.ts';
import { firstBootFile } from './boot/boot-choice.ts';
import { type RunningDhcp, serveDhcp } from './boot/dhcp/serve-dhcp.ts';
import type { LoadedConfig } from './config/load.ts';
import type { RecordBootEvent } from './boot/boot-event.ts';
import { loaderFiles } from './boot/loader-files.ts';
import { createServedFiles } from './boot/served-files.ts';
import { startConfiguredTftpServer } from './boot/tftp/configured-server.ts';
import { createBmcQueues } from './conductor/tasks/bmc-queues.ts';
import { restartConsoles } from './conductor/hardware/console.ts';
import { createDhcpProvider } from './boot/create-dhcp-provider.ts';
import { recoverNodes } from './conductor/loops/recover.ts';
import { startLoops } from './conductor/loops/start-loops.ts';
import { NodeLocks } from './conductor/tasks/node-locks.ts';
import { createRecorder } from './conductor/timeline/recorder.ts';
import { registerConductor } from './conductor/conductor-registration.ts';
import type { Services } from './conductor/services.ts';
import { createWorkerPool } from './conductor/tasks/workers.ts';
import { createDatabase } from './db/database.ts';
import { openAuditFile } from './lib/files/audit-file.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { type WatchedClock, watchedClock } from './lib/watched-clock.ts';
import { createLogger, type LogDestination, type Logger } from './lib/logger.ts';
import { createMemoryBudget } from './lib/memory-budget.ts';
import { listen } from './listener/listen.ts';
import type { JsonObject } from './model/json.ts';
import { maskSecrets } from './model/secrets.ts';
import { createComposer } from './plugin-host/compose.ts';
import { type ConfigRequest, readConfigWithPlugins } from './plugin-host/configured-plugins.ts';
import { loadRegistry, type Registry } from './plugin-host/registry.ts';
import { resolvePluginApi } from './plugin-host/resolve-plugin-api.ts';
import type { ReportProcessor } from './conductor/inspection/report-processor.ts';
import { checkDiscovery } from './conductor/inspection/discovery.ts';
import { createHookPool } from '../ramdisk-callback/hooks/hook-pool.ts';
import { loadBuiltInRules, processingSetup } from '../ramdisk-callback/hooks/processing.ts';
import { ramdiskRoutes } from '../ramdisk-callback/routes.ts';

export interface Daemon {
  /** Where the API listens. */
  readonly url: string;
  readonly services: Services;
  /** Accepts no new work, lets running work end, and closes everything. */
  stop(): Promise<void>;
}

export interface StartRequest extends ConfigRequest {
  readonly clock?: Clock;
  /** Where log lines go instead of standard output. */
  readonly logDestination?: LogDestination;
}

/** Resolves when the daemon serves requests. Rejects with a one-sentence error that says what to change. */
export async function startDaemon(request: StartRequest): Promise<Daemon> {
  const core = await createCore(request);
  try {
    return await serve(core, request);
  } catch (error) {
    await Promise.all([core.services.inspection.close(), core.authentication.close()]);
    core.services.db.close();
    throw error;
  }
}

/** A constructed daemon that does not listen or run any work yet. */
export interface Core {
  readonly services: Services;
  readonly app: App;
  /** Aborts running work. */
  readonly abort: AbortController;
  readonly authentication: Authentication;
}

export async function createCore(request: StartRequest): Promise<Core> {
  resolvePluginApi();
  const { config, values, warnings, discovery } = readConfigWithPlugins(request);
  const log = createLogger({
    level: config.DEFAULT.debug ? 'debug' : 'info',
    mask: (fields) => maskSecrets<JsonObject>(fields as JsonObject),
    ...(request.logDestination && { destination: request.logDestination }),
  });
  for (const warning of warnings) log.warn({ warning }, 'configuration');
  for (const plugin of discovery.setAside) log.warn(plugin, 'plugin set aside');
  const clock = watchedClock(request.clock ?? systemClock, (milliseconds) =>
    log.warn(
      { seconds: Math.round(milliseconds / 1000) },
      'the clock of this machine was set; deadlines are not affected',
    ),
  );
  const registry = await loadRegistry(discovery, config, clock);
  checkDiscovery(registry, config);
  checkMemoryBudget(config);
  const setup = processingSetup({ config, values }, registry);
  await loadBuiltInRules(setup.builtInRules);
  const authentication = createAuthentication({ config, log, clock });
  const abort = new AbortController();
  const inspection = createHookPool(setup, { clock, log }, config.inspector.hook_workers);
  const services = createServices({ config, values, registry, log, clock, inspection }, abort.signal);
  const app = createApp({
    services,
    routes: describedRoutes([...apiRoutes, ...ramdiskRoutes]),
    presentPath: nodeFirst,
    userOf: authentication.userOf,
    beforeApi: healthEndpoints(config),
    subjectOf: auditedNode,
  });
  return { services, abort, app, authentication };
}

interface Foundations {
  readonly config: LoadedConfig['config'];
  readonly values: LoadedConfig['values'];
  readonly registry: Registry;
  readonly log: Logger;
  readonly clock: WatchedClock;
  readonly inspection: ReportProcessor;
}

function createServices(
  { config, values, registry, log, clock, inspection }: Foundations,
  stopping: AbortSignal,
): Services {
  const host = config.DEFAULT.host;
  const dhcp = createDhcpProvider(config);
  const db = createDatabase(config.database.path, (warning) => log.warn({ warning }, 'database'));
  return {
    db,
    config,
    sections: values,
    registry,
    compose: createComposer(registry),
    locks: new NodeLocks(clock, host),
    workers: createWorkerPool(
      config.conductor.workers_pool_size,
      config.conductor.reserved_workers_pool_percentage,
    ),
    memory: createMemoryBudget(config.api.memory_budget * MEBIBYTE),
    bmcs: createBmcQueues({ clock, log }),
    dhcp,
    timeline: createRecorder(db, clock, log),
    inspection,
    audit: openAuditFile(config.audit.file, config.audit.max_size),
    clock,
    log,
    host,
    stopping,
    transitions: new Set(),
    discovering: new Set(),
  };
}

async function serve(core: Core, { environment }: StartRequest): Promise<Daemon> {
  const { services, app, abort, authentication } = core;
  const { config, log, clock } = services;
  const recovered = recoverNodes(services);
  if (recovered > 0)
    log.warn({ nodes: recovered }, 'nodes recovered from work that a previous run left unfinished');
  registerConductor(services, true);
  const files = createServedFiles();
  files.publish('loader_file_paths', loaderFiles(config.pxe.loader_file_paths, log));
  const record: RecordBootEvent = (event) => {
    const { text, ...rest } = event;
    log.info(rest, text);
    services.timeline.record(event);
  };
  const tftp = await startConfiguredTftpServer(config, environment, { files, record, clock, log });
  const dhcp = await startDhcp(services, environment, record);
  const listener = await listen(app.fetch, config.api, log).catch((error: unknown) => {
    dhcp?.close();
    tftp?.stop();
    throw error;
  });
  const stopLoops = startLoops(services);
  void restartConsoles(services);
  log.info({ url: listener.url, database: config.database.path }, 'ready');
  return {
    url: listener.url,
    services,
    async stop() {
      log.info({}, 'stopping: accepting no new work, letting running work end');
      const loopsEnded = stopLoops();
      dhcp?.close();
      services.workers.close();
      tftp?.stop();
      services.timeline.close();
      const closed = listener.close();
      await runningWork(services, abort);
      abort.abort(new Error('the service is stopping'));
      listener.closeConnections();
      await Promise.all([loopsEnded, closed, services.inspection.close(), authentication.close()]);
      signOff(services);
      services.db.close();
      log.info({}, 'stopped');
    },
  };
}

const startDhcp = (
  { config, db, log, clock }: Services,
  environment: StartRequest['environment'],
  record: RecordBootEvent,
): Promise<RunningDhcp | undefined> =>
  serveDhcp({
    config: config.dhcp_server,
    db,
    log,
    clock,
    bootFor: (question) => firstBootFile(question, `http://${question.serverAddress}`),
    record,
    environment,
  });

function signOff(services: Services): void {
  try {
    registerConductor(services, false);
  } catch (error) {
    services.log.error({ error }, 'cannot record in the database that the service stopped');
  }
}

// Waits for running work and aborts it at [conductor] graceful_shutdown_timeout; 0 waits without a limit
async function runningWork(services: Services, abort: AbortController): Promise<void> {
  const limitSeconds = services.config.conductor.graceful_shutdown_timeout;
  const idle = services.workers.idle();
  if (limitSeconds === 0) return idle;
  const cancel = services.clock.after(limitSeconds * 1000, () => {
    abort.abort(new Error('the service is stopping and waited no longer for this work'));
  });
  await idle;
  return cancel();
}
