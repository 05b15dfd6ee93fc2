// `ironic-edge serve`: runs the daemon until a signal stops it.
import { parseArgs } from 'node:util';
import { watchLoop } from '../lib/loop-watch/loop-watch.ts';
import { banner } from './banner.ts';
import type { CommandContext } from './command.ts';

/** Resolves with the exit code when the daemon has stopped. */
export async function serveCommand(
  args: readonly string[],
  { environment, stderr }: CommandContext,
): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { 'config-file': { type: 'string' } } });
  const { startDaemon } = await import('../main.ts');
  // handle signals before the daemon reports that it is ready: it may be stopped right then
  const stopped = stopSignal();
  const daemon = await startDaemon({ configFile: values['config-file'], environment });
  const { registry, config, log } = daemon.services;
  const endWatch = watchLoop(
    {
      warningMilliseconds: config.watchdog.warning_milliseconds,
      deadlineSeconds: config.watchdog.timeout,
    },
    log,
  );
  // work that a plugin left running may fail at any time, and must not end the daemon
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error: unknown) => log.error({ error }, 'failure outside any operation'));
  stderr.write(
    banner({
      url: daemon.url,
      authentication: config.DEFAULT.auth_strategy,
      hardwareTypes: [...registry.hardwareTypes.keys(), ...registry.classicDrivers.keys()],
      hooks: registry.hooks.map((hook) => hook.name),
      database: config.database.path,
    }),
  );
  await stopped;
  await daemon.stop();
  await endWatch();
  return 0;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
