// A host of a site with a standby: a daemon with a configuration of its own, and the commands of its operator.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestContext } from 'node:test';
import { standbyCommand } from '../../../daemon/cli/host/standby-command.ts';
import type { Clock } from '../../../daemon/lib/clock.ts';
import { type Daemon, startDaemon } from '../../../daemon/main.ts';
import { runCommand } from '../clients/run-command.ts';
import { fastDirectory } from './in-process-daemon.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface Host {
  readonly url: string;
  readonly database: string;
  start(clock?: Clock): Promise<Daemon>;
  /** Runs the daemon in its own process until it ends; resolves to its exit status and messages. */
  serve(): Promise<readonly [number | null, string]>;
  promote(...args: readonly string[]): ReturnType<typeof runCommand>;
}

/** The key of the site. */
export const KEY = 'k'.repeat(32);

/** `peers`: the URLs of other hosts, separated by commas, or an empty string. `key`: null for none. */
export function newHost(t: TestContext, port: number, peers: string, key: string | null = KEY): Host {
  const directory = mkdtempSync(join(fastDirectory(), 'standby-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const configFile = join(directory, 'ironic.conf');
  const keyFile = join(directory, 'site.key');
  writeFileSync(keyFile, `${key}\n`, { mode: 0o600 });
  writeFileSync(
    configFile,
    `[DEFAULT]\nstate_path = ${directory}\nenabled_hardware_types = fake-hardware,redfish\n[api]\nport = ${port}\n[standby]\npeers = ${peers}\n${key === null ? '' : `key_file = ${keyFile}\n`}`,
  );
  return {
    url: `http://127.0.0.1:${port}`,
    database: join(directory, 'ironic-edge.sqlite'),
    async start(clock) {
      const daemon = await startDaemon({
        configFile,
        environment: {},
        logDestination: { write: () => undefined },
        ...(clock && { clock }),
      });
      let stopped: Promise<void> | undefined;
      const stop = () => (stopped ??= daemon.stop());
      t.after(stop);
      return { ...daemon, stop };
    },
    async serve() {
      const child = spawn(join(ROOT, 'daemon/cli/ironic-edge'), ['serve', '--config-file', configFile]);
      child.stdout.resume();
      const said = await text(child.stderr);
      return [child.exitCode ?? ((await once(child, 'close')) as [number | null])[0], said];
    },
    promote: (...args) =>
      runCommand((context) => standbyCommand(['promote', '--config-file', configFile, ...args], context)),
  };
}

/** The headers with which a daemon asks its peer, to be passed on to another daemon. */
export const peerHeaders = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-ironic-edge-') ? [[name, String(value)]] : [],
    ),
  );
