// Gauges of what an operator must not forget: backups, certificates, the disk, nodes in quarantine.
import { X509Certificate } from 'node:crypto';
import { readFileSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { backupsIn } from '../../db/copies/back-up.ts';
import type { MetricRegistry } from './metric-registry.ts';
import type { ObservedServices } from '../services.ts';

const LISTENERS = ['api', 'ramdisk'] as const;

const seconds = (milliseconds: number) => milliseconds / 1000;

export function gaugeSafety({ config, db }: ObservedServices, metrics: MetricRegistry): void {
  const { state_path: directory } = config.DEFAULT;
  const single = (name: string, help: string, read: () => number) =>
    metrics.gauge(`ironic_edge_${name}`, help, [], () => [[[], read()]]);
  single('last_backup_timestamp_seconds', 'When the newest backup was made; 0: there is none.', () => {
    const [newest] = backupsIn(path.join(directory, 'backups'));
    return newest === undefined ? 0 : seconds(statSync(newest, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  });
  single('state_disk_free_ratio', 'Free part of the disk of [DEFAULT] state_path, from 0 to 1.', () => {
    const { bavail, blocks } = statfsSync(directory);
    return bavail / blocks;
  });
  single(
    'quarantined_nodes',
    'Nodes in quarantine since a restore or since a copy of the database was used; no operator has released them yet.',
    () => db.quarantine.list().filter(({ handed_to: to }) => to === null).length,
  );
  metrics.gauge(
    'ironic_edge_certificate_expiry_timestamp_seconds',
    'When the certificate of a listener expires; 0: it cannot be read.',
    ['listener'],
    () =>
      LISTENERS.flatMap((listener) => {
        const { enable_ssl_api: isOn, cert_file: file } = config[listener];
        return isOn && file !== null ? [[[listener], expiry(file)] as const] : [];
      }),
  );
}

function expiry(file: string): number {
  try {
    return seconds(Date.parse(new X509Certificate(readFileSync(file)).validTo));
  } catch {
    return 0;
  }
}
