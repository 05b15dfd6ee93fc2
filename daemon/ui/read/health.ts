// Reads the health of the daemon itself: its process, BMCs, plugins, certificate, backup, disk, other DHCP servers, boot servers.
import { X509Certificate } from 'node:crypto';
import { readFileSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Services } from '../../conductor/services.ts';
import { backupsIn } from '../../db/copies/back-up.ts';
import { reasonOf } from '../../model/faults.ts';

export interface HealthCheck {
  readonly name: string;
  /** Undefined for a check that tests nothing, such as the one that shows whether the DHCP server is configured. */
  readonly ok: boolean | undefined;
  readonly detail: string;
}

const EXPIRES_SOON_DAYS = 14;
const DAY_MILLISECONDS = 86_400_000;
const HOUR_MILLISECONDS = 3_600_000;
const OLDEST_BACKUP_HOURS = 48;
const FULL_PERCENT = 90;

/** `ofProcess`: the checks of the process itself, such as those of /readyz; they come first. */
export function readHealth(services: Services, ofProcess: readonly HealthCheck[]): readonly HealthCheck[] {
  return [
    ...ofProcess,
    ...bmcs(services),
    ...plugins(services),
    ...certificate(services),
    tried('backup', () => backup(services)),
    tried('disk', () => disk(services)),
    ...rivals(services),
    ...servers(services),
  ];
}

/** Runs a check; a check that throws fails. The head of every page shows the failures, so no check may break the page. */
function tried(name: string, check: () => Omit<HealthCheck, 'name'>): HealthCheck {
  try {
    return { name, ...check() };
  } catch (error) {
    return { name, ok: false, detail: reasonOf(error) };
  }
}

const bmcs = ({ bmcs: { silent } }: Services): readonly HealthCheck[] => [
  {
    name: 'BMCs',
    ok: silent === 0,
    detail: silent === 0 ? 'all answer' : `${silent} do not answer, and background work skips them`,
  },
];

const plugins = ({ plugins: { states, setAside } }: Services): readonly HealthCheck[] => [
  ...states.flatMap(({ plugin, health }) =>
    health === undefined
      ? []
      : [
          {
            name: `plugin ${plugin.manifest.name}`,
            ok: health.reason === undefined,
            detail:
              health.reason ?? (health.isRunning ? 'its process runs' : 'its process starts when needed'),
          },
        ],
  ),
  ...setAside.map(({ folder, reason }) => ({ name: `plugin in ${folder}`, ok: false, detail: reason })),
];

function certificate({ config, clock }: Services): readonly HealthCheck[] {
  const { enable_ssl_api: isOn, cert_file: file } = config.api;
  if (!isOn || file === null) return [];
  const name = 'certificate';
  try {
    const ends = Date.parse(new X509Certificate(readFileSync(file)).validTo);
    const days = Math.floor((ends - clock.now()) / DAY_MILLISECONDS);
    const detail = days < 0 ? `${file} has expired` : `${file} is valid for ${days} more days`;
    return [{ name, ok: days >= EXPIRES_SOON_DAYS, detail }];
  } catch (error) {
    return [{ name, ok: false, detail: `cannot read ${file}: ${reasonOf(error)}` }];
  }
}

function backup({ config, clock, db }: Services): Omit<HealthCheck, 'name'> {
  const directory = path.join(config.DEFAULT.state_path, 'backups');
  const [newest] = backupsIn(directory);
  const made = newest === undefined ? undefined : statSync(newest, { throwIfNoEntry: false })?.mtimeMs;
  if (made === undefined && db.nodes.countByState().length === 0)
    return { ok: true, detail: 'there is none yet, and no node to back up' };
  if (made === undefined)
    return { ok: false, detail: `there is none in ${directory}; run: ironic-edge backup create` };
  const hours = Math.floor((clock.now() - made) / HOUR_MILLISECONDS);
  return { ok: hours < OLDEST_BACKUP_HOURS, detail: `the newest is ${hours} h old` };
}

function disk({ config }: Services): Omit<HealthCheck, 'name'> {
  const { blocks, bavail } = statfsSync(config.DEFAULT.state_path);
  const percent = Math.round((1 - bavail / blocks) * 100);
  const detail = `${percent} % of the disk of ${config.DEFAULT.state_path} is in use`;
  return { ok: percent < FULL_PERCENT, detail };
}

const rivals = ({ db, clock }: Services): readonly HealthCheck[] =>
  db.dhcpRivals.recent(clock.now()).map(({ address, interface: name }) => ({
    name: 'other DHCP server',
    ok: false,
    detail: `${address} gives addresses on ${name}`,
  }));

function servers({ config, db, clock }: Services): readonly HealthCheck[] {
  const { subnet } = config.dhcp_server;
  return [
    {
      name: 'DHCP',
      ok: undefined,
      detail: `${detail(subnet.length > 0, '[dhcp_server] subnet')}, ${db.dhcpLeases.count(clock.now())} addresses given`,
    },
    { name: 'TFTP', ok: undefined, detail: detail(config.tftp_server.enabled, '[tftp_server] enabled') },
    { name: 'boot HTTP', ok: undefined, detail: detail(config.boot_http.port !== null, '[boot_http] port') },
    {
      name: 'ramdisk listener',
      ok: undefined,
      detail: detail(config.ramdisk.port !== null, '[ramdisk] port'),
    },
  ];
}

const detail = (isOn: boolean, option: string) => (isOn ? `configured by ${option}` : `off (${option})`);
