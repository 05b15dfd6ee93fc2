// `ironic-edge serve`: runs the daemon until it gets a signal, or until another host serves the records of this site.
import { systemClock } from '../../lib/clock.ts';
import { watchLoop } from '../../lib/loop-watch/loop-watch.ts';
import { systemdNotifier } from '../../lib/systemd-notifier.ts';
import { banner, programName } from './banner.ts';
import { commandOf, TEXT } from '../command.ts';

const USAGE = `usage: ironic-edge serve [--config-file FILE]

Runs the daemon until SIGTERM or SIGINT. On SIGHUP it loads plugins again. Before it stops, it waits for running work to
end; [conductor] graceful_shutdown_timeout limits this wait.

  --config-file FILE  the configuration; otherwise the file that IRONIC_CONFIG_FILE names, or the first that exists of
                      /etc/ironic-edge/ironic.conf and /etc/ironic/ironic.conf
`;

/** The command ends when the daemon has stopped. It throws RecordsReplaced when another host serves the records of this site. */
export const serveCommand = commandOf({
  usage: USAGE,
  options: { 'config-file': TEXT },
  positionals: [],
  async run({ values: { 'config-file': configFile } }, { environment, stderr }) {
    const { startDaemon } = await import('../../main.ts');
    // handles signals from now on: one that arrives while the daemon starts stops it as soon as it has started
    const stopped = stopSignal();
    const started = Promise.withResolvers<{ reload(): Promise<void> }>();
    process.on('SIGHUP', () => void started.promise.then((running) => running.reload()));
    const daemon = await startDaemon({ configFile, environment });
    started.resolve(daemon);
    const { registry, config, log } = daemon.services;
    const endWatch = watchLoop(
      {
        warningMilliseconds: config.watchdog.warning_milliseconds,
        deadlineSeconds: config.watchdog.timeout,
      },
      log,
    );
    // a plugin's work that continues after its operation may fail at any time, and must not end the daemon
    for (const event of ['uncaughtException', 'unhandledRejection'])
      process.on(event, (error: unknown) => log.error({ error }, 'failure outside any operation'));
    stderr.write(
      banner({
        url: daemon.url,
        authentication: config.DEFAULT.auth_strategy,
        hardwareTypes: [...registry.hardwareTypes.keys(), ...registry.classicDrivers.keys()],
        hooks: registry.hooks.map((hook) => hook.name),
        database: config.database.path,
        program: programName(environment['PATH']),
      }),
    );
    const notifier = systemdNotifier(environment, systemClock);
    notifier.ready();
    const replaced = await Promise.race([stopped, daemon.replaced]);
    notifier.stopping();
    await daemon.stop();
    await endWatch();
    if (replaced !== undefined) throw replaced;
    return 0;
  },
});

function stopSignal(): Promise<undefined> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve(undefined));
  });
}
