// The daemon in this process, listening on a socket.
import { mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '../../../daemon/lib/clock.ts';
import { type Daemon, startDaemon } from '../../../daemon/main.ts';
import { type Ending, fastDirectory } from './in-process-daemon.ts';

export interface ListeningOptions {
  /** Options as `IRONIC_SECTION__OPTION`. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly configFile?: string;
}

/** Enrols a node over the API; returns its UUID. */
export async function enrolNode(url: string, fields: object): Promise<string> {
  const reply = await fetch(`${url}/v1/nodes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'openstack-api-version': 'baremetal 1.90' },
    body: JSON.stringify(fields),
  });
  return ((await reply.json()) as { readonly uuid: string }).uuid;
}

/** Starts a daemon, on a free port unless a configuration file is given, and stops it when the test ends. */
export async function startListening(
  test: Ending,
  { environment, clock, configFile }: ListeningOptions,
): Promise<Daemon & { readonly stateDirectory: string; readonly log: () => string }> {
  const stateDirectory = mkdtempSync(path.join(fastDirectory(), 'listening-'));
  const lines: string[] = [];
  let stop: (() => Promise<void>) | undefined;
  test.after(async () => {
    await stop?.();
    rmSync(stateDirectory, { recursive: true, force: true });
  });
  const daemon = await startDaemon({
    configFile,
    environment: {
      IRONIC_DEFAULT__STATE_PATH: stateDirectory,
      ...(configFile === undefined && { IRONIC_API__PORT: '0' }),
      ...environment,
    },
    logDestination: { write: (line) => void lines.push(line) },
    ...(clock && { clock }),
  });
  let stopped: Promise<void> | undefined;
  stop = () => (stopped ??= daemon.stop());
  return { ...daemon, stateDirectory, stop, log: () => lines.join('') };
}
