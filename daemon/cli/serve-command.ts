// `ironic-edge serve`: runs the daemon until it is told to stop.
import { parseArgs } from 'node:util';
import { watchLoop } from '../lib/loop-watch.ts';
import { banner } from './banner.ts';
import type { CommandContext } from './command.ts';

/** Resolves when the daemon has stopped; the exit code. */
export async function serveCommand(
  args: readonly string[],
  { environment, stderr }: CommandContext,
): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { 'config-file': { type: 'string' } } });
  const { startDaemon } = await import('../main.ts');
  // heard from here on: who reads that the daemon is ready may stop it at once
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
  // what a plugin left running may fail at any time, and must not take everybody's work with it
  for (const event of ['uncaughtException', 'unhandledRejection'])
    process.on(event, (error: unknown) => log.error({ error }, 'a failure outside of every operation'));
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
