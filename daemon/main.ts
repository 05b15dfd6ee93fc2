// The daemon: constructs all its parts, starts them, and stops them.
import { type App, createApp } from './http/app.ts';
import { healthEndpoints } from './http/health.ts';
import { type Authentication, createAuthentication } from './http/login/authenticate.ts';
import { checkMemoryBudget, MEBIBYTE } from './http/request/request-memory.ts';
import { apiRoutes } from './api/routes/all-routes.ts';
import { describedRoutes } from './api/routes/openapi.ts';
import { createUserRoutes } from './api/routes/users.ts';
import { auditedNode } from './conductor/records/find-record.ts';
import type { LoadedConfig } from './config/load.ts';
import { BmcConversations } from './conductor/bmcs/bmc-conversations.ts';
import { serveUnknownMachines } from './conductor/boot/unknown-boot.ts';
import { configuredImages } from './conductor/images/create-images.ts';
import { FoundBmcs } from './conductor/finding/found-bmcs.ts';
import { serveImages } from './conductor/images/serve-images.ts';
import { warnOfLostDrivers } from './conductor/drivers/lost-drivers.ts';
import { guarded } from './conductor/records/quarantine.ts';
import { restartConsoles } from './conductor/hardware/console.ts';
import { SerialConsoles } from './conductor/consoles/serial-consoles.ts';
import { SensorReadings } from './conductor/bmcs/sensor-readings.ts';
import { createDhcpProvider } from './boot/provider/create-dhcp-provider.ts';
import { type BootServers, startBootServers } from './boot/start-boot-servers.ts';
import { BootLoops } from './boot/boot-loops.ts';
import { createNetworkBoots } from './boot/network-boots.ts';
import { machineAddresses } from './boot/machine-addresses.ts';
import { createServedFiles } from './boot/served-files.ts';
import { recoverNodes } from './conductor/loops/recover.ts';
import { startLoops } from './conductor/loops/start-loops.ts';
import { giveWayToPeers, watchPeers } from './conductor/loops/watch-peers.ts';
import { pluginTask } from './conductor/plugin-task.ts';
import { NodeLocks } from './conductor/tasks/node-locks.ts';
import { endOfRunningWork } from './conductor/tasks/end-of-running-work.ts';
import { observedWork } from './conductor/timeline/observed-work.ts';
import { registerConductor, signOff } from './conductor/conductor-registration.ts';
import type { Services } from './conductor/services.ts';
import { TakeInQueue } from './conductor/take-in/queue.ts';
import { createWorkerPool } from './conductor/tasks/workers.ts';
import type { Database } from './db/database.ts';
import { createConfigDrives } from './images/config-drive.ts';
import { openEventfulDatabase } from './observe/events/eventful-database.ts';
import { DoctorRuns } from './observe/doctor-runs.ts';
import { type Observation, observe } from './observe/observation.ts';
import { openAuditFile } from './lib/files/audit-file.ts';
import { type Clock, systemClock } from './lib/clock.ts';
import { loggedClock, type WatchedClock } from './lib/watched-clock.ts';
import { createLogger, type LogDestination, type Logger, type Mask } from './lib/logger.ts';
import { passedSockets } from './lib/passed-sockets.ts';
import type { RecordsReplaced } from './lib/peer-site.ts';
import { createMemoryBudget } from './lib/limits/memory-budget.ts';
import { Links, missingTo } from './lib/network/links.ts';
import { type Listener, listen } from './listener/listen.ts';
import { apiListener, ramdiskListener } from './listener/listeners.ts';
import { maskSecrets } from './model/secrets.ts';
import { type ConfigRequest, findPlugins, readConfigWithPlugins } from './plugin-host/configured-plugins.ts';
import { PluginProcesses } from './plugin-host/isolation/plugin-processes.ts';
import { LivePlugins } from './plugin-host/live-plugins.ts';
import { resolvePluginApi } from './plugin-host/resolve-plugin-api.ts';
import type { ReportProcessor } from './conductor/inspection/report-processor.ts';
import { checkDiscovery, reportMemory } from './conductor/inspection/discovery.ts';
import { loadBuiltInRules } from '../ramdisk-callback/hooks/processing.ts';
import { createReportProcessor } from '../ramdisk-callback/hooks/create-report-processor.ts';
import { createRamdiskApp } from '../ramdisk-callback/ramdisk-app.ts';
import { createUi } from './ui/create-ui.ts';
import { ramdiskRoutes } from '../ramdisk-callback/routes.ts';

export interface Daemon {
  /** Where the API listens. */
  readonly url: string;
  /** Where ramdisks find their part of the API; undefined when it is at `url`. */
  readonly ramdiskUrl: string | undefined;
  /** Where machines find boot files; undefined without a boot HTTP server. */
  readonly bootUrl: string | undefined;
  readonly services: Services;
  /**
   * Resolves when the daemon must be stopped because another host serves the records of this site; running work is aborted then.
   */
  readonly replaced: Promise<RecordsReplaced>;
  /** What SIGHUP does. */
  reload(): Promise<void>;
  /** Accepts no new work, lets running work end, and closes everything. */
  stop(): Promise<void>;
}

export interface StartRequest extends ConfigRequest {
  readonly clock?: Clock;
  /** Where log lines go instead of standard output. */
  readonly logDestination?: LogDestination;
  /** Runs out-of-tree plugins in this process too, for tests that share memory with them. */
  readonly pluginsInside?: true;
}

/** Resolves when the daemon serves requests. Rejects with an error that says what to change. */
export async function startDaemon(request: StartRequest): Promise<Daemon> {
  const core = await createCore(request);
  try {
    return await serve(core, request.environment);
  } catch (error) {
    const { services, authentication, observation } = core;
    await Promise.all([services.inspection.close(), authentication.close(), observation.close()]);
    await core.plugins?.close();
    core.services.db.close();
    throw error;
  }
}

/** A constructed daemon that does not listen or run any work yet. */
export interface Core {
  readonly services: Services;
  readonly app: App;
  /** The application of the listener that only ramdisks use. */
  readonly ramdiskApp: App;
  /** Aborts running work. */
  readonly abort: AbortController;
  readonly authentication: Authentication;
  readonly observation: Observation;
  /** The processes of out-of-tree plugins; undefined when these plugins run in this process. */
  readonly plugins: PluginProcesses | undefined;
}

export async function createCore(request: StartRequest): Promise<Core> {
  resolvePluginApi();
  const { config, values, warnings, discovery } = readConfigWithPlugins(request);
  const log = createLogger({
    level: config.DEFAULT.debug ? 'debug' : 'info',
    mask: maskSecrets as Mask,
    ...(request.logDestination && { destination: request.logDestination }),
  });
  for (const warning of warnings) log.warn({ warning }, 'configuration');
  const clock = loggedClock(request.clock ?? systemClock, log);
  const plugins =
    request.pluginsInside === true
      ? undefined
      : new PluginProcesses({
          configuration: values,
          memoryMebibytes: config.plugins.memory_limit,
          clock,
          log,
        });
  using started = new DisposableStack();
  started.defer(() => void plugins?.close());
  const live = await LivePlugins.load(
    {
      config,
      clock,
      processes: plugins,
      discover: () => findPlugins(request),
      admit: (registry) => checkDiscovery(registry, config),
    },
    discovery,
  );
  live.logLosses(log);
  checkMemoryBudget(config);
  await loadBuiltInRules(config.inspection_rules.built_in_rules);
  const abort = new AbortController();
  const inspection = createReportProcessor({ config, values }, live, { clock, log });
  const { db, events } = openEventfulDatabase(config, clock, log);
  started.defer(() => db.close());
  const authentication = createAuthentication({ config, log, clock, db });
  const { signIn } = authentication;
  const services = createServices({ config, values, live, log, clock, inspection, db }, abort.signal);
  const observation = observe(services, events);
  const routes = describedRoutes(allRoutes(authentication, observation));
  const doctor = new DoctorRuns({ ...request, clock, stopping: abort.signal });
  const app = createApp({
    services,
    routes,
    authentication,
    beforeApi: [...healthEndpoints(config), ...observation.endpoints],
    subjectOf: auditedNode,
    pages: config.ui.enabled ? createUi(services, { checks: observation.checks, doctor, signIn }) : undefined,
    answered: observation.answered,
  });
  const ramdiskApp = createRamdiskApp(services, routes, observation.answered);
  started.move();
  return { services, abort, app, ramdiskApp, authentication, observation, plugins };
}

const allRoutes = (authentication: Authentication, observation: Observation) => [
  ...apiRoutes,
  ...createUserRoutes(authentication),
  ...observation.routes,
  ...ramdiskRoutes,
];

interface Foundations {
  readonly config: LoadedConfig['config'];
  readonly values: LoadedConfig['values'];
  readonly live: LivePlugins;
  readonly log: Logger;
  readonly clock: WatchedClock;
  readonly inspection: ReportProcessor;
  readonly db: Database;
}

function createServices(
  { config, values, live, log, clock, inspection, db }: Foundations,
  stopping: AbortSignal,
): Services {
  const { host } = config.DEFAULT;
  const served = createServedFiles(machineAddresses({ config, db, clock }));
  const compose = live.compose.bind(live);
  const images = configuredImages(config, { served, clock, log, stopping });
  const observed = observedWork(db, clock, log);
  return {
    db,
    config,
    sections: values,
    registry: live.registry,
    plugins: live,
    compose: guarded(db, compose),
    composeQuarantined: compose,
    viewOf: pluginTask,
    locks: new NodeLocks(clock, host),
    workers: createWorkerPool(
      config.conductor.workers_pool_size,
      config.conductor.reserved_workers_pool_percentage,
    ),
    memory: createMemoryBudget(config.api.memory_budget * MEBIBYTE),
    bmcs: new BmcConversations({ clock, log }),
    unreadMessages: new Map(),
    dhcp: createDhcpProvider(config, { db, clock }),
    served,
    networkBoots: createNetworkBoots(db, served),
    bootLoops: new BootLoops(clock),
    foundBmcs: new FoundBmcs({ db, config, clock, log, stopping }),
    images,
    configDrives: createConfigDrives(images),
    ...observed,
    sensors: new SensorReadings(),
    consoles: new SerialConsoles({ config, clock, log, timeline: observed.timeline }),
    inspection,
    audit: openAuditFile(config.audit.file, config.audit.max_size),
    links: new Links(clock, missingTo(log)),
    clock,
    log,
    host,
    stopping,
    takeIn: new TakeInQueue(),
    ...reportMemory(),
  };
}

async function serve(core: Core, environment: StartRequest['environment']): Promise<Daemon> {
  const { services, abort, authentication, observation, plugins } = core;
  const { config, log } = services;
  await giveWayToPeers(services);
  recoverNodes(services);
  offerDrivers(services);
  services.plugins.changed.add(() => offerDrivers(services));
  await using started = new AsyncDisposableStack();
  started.defer(async () => services.links.close());
  const { api, ramdisks, boot } = await openListeners(core, environment, started);
  const stopLoops = startLoops(services);
  started.defer(stopLoops);
  const peers = watchPeers(services);
  started.defer(() => peers.stop());
  void peers.replaced.then((reason) => abort.abort(reason));
  void restartConsoles(services);
  serveImages(services);
  void serveUnknownMachines(services);
  observation.start();
  const { path: database } = config.database;
  log.info({ url: api.url, ramdisk_url: ramdisks?.url, boot_url: boot.url, database }, 'ready');
  started.move();
  return {
    url: api.url,
    ramdiskUrl: ramdisks?.url,
    bootUrl: boot.url,
    services,
    replaced: peers.replaced,
    reload: () => services.plugins.reloadAll(log),
    async stop() {
      log.info({}, 'stopping: accepting no new work, letting running work end');
      observation.stop();
      services.links.close();
      const loopsEnded = Promise.all([stopLoops(), peers.stop()]);
      services.workers.close();
      services.timeline.close();
      services.consoles.closeAll('The service is stopping.');
      const listeners = ramdisks === undefined ? [api] : [api, ramdisks];
      const closed = listeners.map((listener) => listener.close());
      await endOfRunningWork(services, abort);
      abort.abort(new Error('the service is stopping'));
      for (const listener of listeners) listener.closeConnections();
      const { inspection } = services;
      await Promise.all([loopsEnded, ...closed, boot.close(), inspection.close(), authentication.close()]);
      await services.bmcs.close();
      await observation.close();
      await plugins?.close();
      signOff(services);
      services.db.close();
      log.info({}, 'stopped');
    },
  };
}

function offerDrivers(services: Services): void {
  registerConductor(services, true);
  warnOfLostDrivers(services);
}

interface Listeners {
  readonly api: Listener;
  readonly ramdisks: Listener | undefined;
  readonly boot: BootServers;
}

/** Rejects when a listener cannot be opened. Each listener that was opened is closed when `opened` is disposed of. */
async function openListeners(
  { services, app, ramdiskApp }: Core,
  environment: StartRequest['environment'],
  opened: AsyncDisposableStack,
): Promise<Listeners> {
  const { config } = services;
  const ofRamdisks = ramdiskListener(config);
  const closing = <Opened extends { close(): Promise<void> }>(server: Opened): Opened => {
    opened.defer(() => server.close());
    return server;
  };
  const boot = closing(await startBootServers(services, environment));
  const ramdisks = ofRamdisks && closing(await listen(ramdiskApp.fetch, ofRamdisks, services));
  const ofApi = apiListener(config, passedSockets('api', environment)[0]);
  const api = closing(await listen(app.fetch, ofApi, services));
  return { api, ramdisks, boot };
}
