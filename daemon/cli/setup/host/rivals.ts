// Asks a network whether a DHCP server answers there, before the daemon becomes one.
import path from 'node:path';
import type { Host } from './host.ts';

const CLI = path.join(import.meta.dirname, '../..');

/** Resolves with the addresses of the servers of DHCP or DHCPv6. The port of these servers must be free. Rejects with the reason when they cannot be asked. */
export async function searchRivals(
  host: Host,
  onInterface: string,
  kind: 'dhcp' | 'dhcp6',
): Promise<readonly string[]> {
  const search = [path.join(CLI, 'node'), path.join(CLI, `../doctor/search-${kind}-rivals.ts`), onInterface];
  const command = [path.join(CLI, 'with-sockets'), `${kind}-${onInterface}`, '--', ...search];
  const { status, stdout, stderr } = await host.run(command);
  if (status !== 0)
    throw new Error(
      `Whether another DHCP server answers on ${onInterface} cannot be found out: ${stderr.trim()}`,
    );
  return JSON.parse(stdout) as readonly string[];
}
