// A MariaDB server with an empty database and one user, in a directory of its own.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ending } from '../daemon/in-process-daemon.ts';

export interface Login {
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** Resolves to the path of the server's socket; the server listens on no port. */
export async function startMariadb(t: Ending, { user, password, database }: Login): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'mariadb-'));
  chmodSync(folder, 0o755);
  const [data, socket] = [path.join(folder, 'data'), path.join(folder, 'socket')];
  execFileSync('mariadb-install-db', ['--no-defaults', '--user=root', `--datadir=${data}`], {
    stdio: 'pipe',
  });
  const server = spawn(
    'mariadbd',
    ['--no-defaults', '--user=root', `--datadir=${data}`, `--socket=${socket}`, '--skip-networking'],
    { stdio: 'ignore' },
  );
  t.after(async () => {
    server.kill();
    if (server.exitCode === null) await once(server, 'exit');
    rmSync(folder, { recursive: true });
  });
  while (!existsSync(socket)) {
    if (server.exitCode !== null) throw new Error(`mariadbd ended with ${server.exitCode}`);
    await sleep(50);
  }
  const quoted = `'${password.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
  const sql = `CREATE DATABASE \`${database}\`; CREATE USER '${user}'@localhost IDENTIFIED BY ${quoted}; GRANT ALL ON \`${database}\`.* TO '${user}'@localhost`;
  execFileSync('mariadb', ['--no-defaults', `--socket=${socket}`, `--execute=${sql}`]);
  return socket;
}
