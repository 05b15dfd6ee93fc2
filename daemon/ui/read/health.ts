// Reads the health of the daemon itself: its process, BMCs, plugins, certificate, backup, disk, what the network lacks, other DHCP servers, boot servers.
import { X509Certificate } from 'node:crypto';
import { readFileSync, statfsSync, statSync } from 'node:fs';
import path from 'node:path';
import { backupsIn } from '../../db/copies/back-up.ts';
import { reasonOf } from '../../model/faults.ts';
import { plural } from '../kit/markup.ts';
import type { ReadServices } from './services.ts';

export interface HealthCheck {
  readonly name: string;
  /**
   * `advice`: nothing is wrong yet; `unknown`: it could not be checked. Undefined for a check that tests nothing, such as the one
   * that shows whether the DHCP server is configured.
   */
  readonly ok: boolean | 'advice' | 'unknown' | undefined;
  readonly detail: string;
  readonly means?: string;
  /** What to do: if possible, a command or a line for the configuration file. */
  readonly fix?: string;
  /** A page on which it can be mended. */
  readonly href?: string;
  /** The UUID of the node that the check is about. */
  readonly node?: string;
  /** The plugin that the visitor can load again. */
  readonly plugin?: string;
  /** The probe of the doctor that looks at the same. */
  readonly probe?: string;
}

const EXPIRES_SOON_DAYS = 14;
const DAY_MILLISECONDS = 86_400_000;
const HOUR_MILLISECONDS = 3_600_000;
const OLDEST_BACKUP_HOURS = 48;
const OLDEST_NODE = { limit: 1, sortKey: 'created_at', descending: false } as const;
const FULL_PERCENT = 90;

/** `ofProcess`: the checks of the process itself, such as those of /readyz; they come first. */
export function readHealth(
  services: ReadServices,
  ofProcess: readonly HealthCheck[],
): readonly HealthCheck[] {
  return [
    ...ofProcess,
    ...bmcs(services),
    ...plugins(services),
    ...certificate(services),
    tried('backup', () => backup(services)),
    tried('disk', () => disk(services)),
    ...unserved(services),
    ...rivals(services),
    ...quarantined(services),
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

const bmcs = ({ bmcs: { silent } }: ReadServices): readonly HealthCheck[] => [
  {
    name: 'BMCs',
    ok: silent === 0,
    detail: silent === 0 ? 'all answer' : `${silent} do not answer, and background work skips them`,
    ...(silent > 0 && { fix: 'ironic-edge doctor --only bmc-reachable', href: '/ui/?only=problems' }),
  },
];

const plugins = ({ plugins: { states, setAside } }: ReadServices): readonly HealthCheck[] => [
  ...states.flatMap(({ plugin, health }) =>
    health === undefined
      ? []
      : [
          {
            name: `plugin ${plugin.manifest.name}`,
            ok: health.reason === undefined,
            detail:
              health.reason ?? (health.isRunning ? 'its process runs' : 'its process starts when needed'),
            ...(health.reason !== undefined && { plugin: plugin.manifest.name }),
          },
        ],
  ),
  ...setAside.map(({ folder, reason }) => ({
    name: `plugin in ${folder}`,
    ok: false,
    detail: reason,
    means: 'the daemon runs without the interfaces and hooks of the plugins in this folder',
    fix: 'ironic-edge plugin list',
    probe: 'plugins',
  })),
];

function certificate({ config, clock }: ReadServices): readonly HealthCheck[] {
  const { enable_ssl_api: isOn, cert_file: file } = config.api;
  if (!isOn || file === null) return [];
  const name = 'certificate';
  try {
    const ends = Date.parse(new X509Certificate(readFileSync(file)).validTo);
    const days = Math.floor((ends - clock.now()) / DAY_MILLISECONDS);
    const detail = days < 0 ? `${file} has expired` : `${file} is valid for ${days} more days`;
    return [{ name, ok: days >= EXPIRES_SOON_DAYS, detail, probe: name }];
  } catch (error) {
    return [{ name, ok: false, detail: `cannot read ${file}: ${reasonOf(error)}` }];
  }
}

function backup({ config, clock, db }: ReadServices): Omit<HealthCheck, 'name'> {
  const probe = 'backup';
  const advice = 'ironic-edge backup create; each night: systemctl enable --now ironic-edge-backup.timer';
  const directory = path.join(config.DEFAULT.state_path, 'backups');
  const [newest] = backupsIn(directory);
  const made = newest === undefined ? undefined : statSync(newest, { throwIfNoEntry: false })?.mtimeMs;
  if (made === undefined) {
    const [oldest] = db.nodes.list(['created_at'], [], OLDEST_NODE);
    if (oldest === undefined) return { ok: true, detail: 'there is none yet, and no node to back up' };
    // what two days have changed may be without a backup, as it may be after the newest one
    const isNew = clock.now() - Date.parse(oldest.created_at ?? '') < OLDEST_BACKUP_HOURS * HOUR_MILLISECONDS;
    return { ok: isNew ? 'advice' : false, detail: `there is none in ${directory}`, fix: advice, probe };
  }
  const hours = Math.floor((clock.now() - made) / HOUR_MILLISECONDS);
  const isFresh = hours < OLDEST_BACKUP_HOURS;
  return { ok: isFresh, detail: `the newest is ${hours} h old`, probe, ...(!isFresh && { fix: advice }) };
}

function disk({ config }: ReadServices): Omit<HealthCheck, 'name'> {
  const { blocks, bavail } = statfsSync(config.DEFAULT.state_path);
  const percent = Math.round((1 - bavail / blocks) * 100);
  const detail = `${percent} % of the disk of ${config.DEFAULT.state_path} is in use`;
  const isWell = percent < FULL_PERCENT;
  const fix = `du -x --max-depth=2 ${config.DEFAULT.state_path} | sort -n | tail`;
  return { ok: isWell, detail, probe: 'state-disk', ...(!isWell && { fix }) };
}

const unserved = ({ links }: ReadServices): readonly HealthCheck[] =>
  [...links.missing].map(([name, missing]) => ({
    name,
    ok: false,
    detail: `not served: ${missing}`,
    href: '/ui/network',
    probe: name.startsWith('DHCP on') ? 'dhcp-interface' : 'addresses',
  }));

const rivals = ({ db, clock }: ReadServices): readonly HealthCheck[] =>
  db.dhcpRivals.recent(clock.now()).map(({ address, interface: name }) => ({
    name: 'other DHCP server',
    ok: false,
    detail: `${address} gives addresses on ${name}`,
    means: 'machines may take its offer and boot the files that it names',
    fix: `ip neigh show ${address}`,
    href: '/ui/network',
    probe: 'other-dhcp',
  }));

const quarantined = ({ db }: ReadServices): readonly HealthCheck[] => {
  const count = db.quarantine.list().length;
  if (count === 0) return [];
  return [
    {
      name: 'quarantine',
      ok: 'advice',
      detail: `${plural(count, 'node')} in quarantine: another daemon may manage their machines`,
      means: 'nothing is done with these machines until somebody releases them',
      fix: 'ironic-edge quarantine list',
      href: '/ui/?only=problems',
      probe: 'quarantine',
    },
  ];
};

function servers({ config, db, clock }: ReadServices): readonly HealthCheck[] {
  const { subnet } = config.dhcp_server;
  return [
    {
      name: 'DHCP',
      ok: undefined,
      detail: `${detail(subnet.length > 0, '[dhcp_server] subnet')}, ${db.dhcpLeases.count(clock.now()) + db.dhcp6Leases.count(clock.now())} addresses given`,
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
