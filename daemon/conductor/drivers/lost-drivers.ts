// Warns of nodes that have lost their driver or one of its interfaces: its plugin was removed, or it is not enabled.
import { reasonOf } from '../../model/faults.ts';
import { resolveInterfaces } from '../../plugin-host/compose.ts';
import type { DriverServices } from './services.ts';
import { namedNodes } from '../limits.ts';

/**
 * Logs a line for each combination of driver and interfaces that nodes have and this daemon cannot compose. The line names the
 * first of these nodes.
 */
export function warnOfLostDrivers({ db, registry, log }: DriverServices): void {
  for (const { driver, nodes, ...interfaces } of db.nodes.driversInUse()) {
    try {
      resolveInterfaces(registry, driver, interfaces);
    } catch (error) {
      const names = JSON.parse(nodes) as readonly string[];
      log.warn(
        { driver, nodes: names.slice(0, namedNodes.inLog), count: names.length, reason: reasonOf(error) },
        'these nodes cannot be managed: their driver or one of its interfaces is missing',
      );
    }
  }
}
