// Probes of what the daemon stores: state directory, disk, database, backups, quarantine, webhooks.
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { checkDatabase } from '../../db/check.ts';
import { backupsIn } from '../../db/copies/back-up.ts';
import { reasonOf } from '../../model/faults.ts';
import { type ProbeFinding, type Probe, unless } from '../probe.ts';

const MEBIBYTE = 1_048_576;
const LEAST_FREE_MEBIBYTES = 1024;
const LEAST_FREE_SHARE = 0.05;
const LARGEST_WAL_MEBIBYTES = 256;
const OLDEST_BACKUP_DAYS = 2;
const DAY_MILLISECONDS = 86_400_000;
const SYNCS = 10;
const SLOW_SYNC_MILLISECONDS = 50;
/** statfs types of file systems on other hosts: NFS, SMB 1 and 2, 9P, Ceph. */
const REMOTE: ReadonlyMap<number, string> = new Map([
  [0x69_69, 'NFS'],
  [0xff_53_4d_42, 'SMB'],
  [0xfe_53_4d_42, 'SMB'],
  [0x01_02_19_97, '9P'],
  [0x00_c3_64_00, 'Ceph'],
]);

const isThere = (path: string) => statSync(path, { throwIfNoEntry: false }) !== undefined;

export const stateProbes: readonly Probe[] = [
  {
    id: 'state-directory',
    about: 'whether the state directory can be written and how fast',
    run: ({ config }) => writable(config.DEFAULT.state_path),
  },
  {
    id: 'state-disk',
    about: 'where the state directory is, and its free space',
    async run({ config }) {
      const directory = config.DEFAULT.state_path;
      if (!isThere(directory)) return [];
      const { type, bsize, bavail, blocks, files, ffree } = await statfs(directory);
      const free = (bavail * bsize) / MEBIBYTE;
      const remote = REMOTE.get(type >>> 0);
      return [
        ...unless(remote === undefined, () => ({
          severity: 'error',
          saw: `${directory} is on ${remote}`,
          means: 'the database needs a local disk: its locks and its log do not work over a network',
          fix: '[DEFAULT] state_path = a directory on a local disk',
        })),
        ...unless(free >= LEAST_FREE_MEBIBYTES && bavail / blocks >= LEAST_FREE_SHARE, () => ({
          severity: free < 100 ? 'error' : 'warning',
          saw: `${Math.round(free)} MiB are free in ${directory}`,
          means: 'changes are refused when the disk is full',
          fix: `du -x --max-depth=2 ${directory} | sort -n | tail`,
        })),
        ...unless(files === 0 || ffree / files >= LEAST_FREE_SHARE, () => ({
          severity: 'warning',
          saw: `${ffree} of ${files} inodes are free in ${directory}`,
          means: 'no file can be created when none is left',
          fix: `du -x --inodes --max-depth=2 ${directory} | sort -n | tail`,
        })),
      ];
    },
  },
  {
    id: 'database',
    about: 'integrity and version of the database',
    run({ config }) {
      const { path } = config.database;
      if (!isThere(path)) return [];
      return checkDatabase(path).map((problem) => ({
        severity: 'error',
        saw: `${path}: ${problem}`,
        means: 'the daemon might fail to start, or show wrong records',
        fix: 'systemctl stop ironic-edge; ironic-edge restore FILE, with the newest backup',
      }));
    },
  },
  {
    id: 'database-log',
    about: 'the size of the write-ahead log of the database',
    run({ config }) {
      const log = `${config.database.path}-wal`;
      const size = (statSync(log, { throwIfNoEntry: false })?.size ?? 0) / MEBIBYTE;
      return unless(size <= LARGEST_WAL_MEBIBYTES, () => ({
        severity: 'warning',
        saw: `${log} has ${Math.round(size)} MiB`,
        means: 'another program keeps the database open for reading, so the log cannot be emptied',
        fix: `fuser -v ${config.database.path}`,
      }));
    },
  },
  {
    id: 'backup',
    about: 'the age of the newest backup',
    run({ config, read, clock }) {
      const nodes = read((tables) => tables.nodes.countByState());
      const directory = join(config.DEFAULT.state_path, 'backups');
      const [newest] = backupsIn(directory);
      const days =
        newest === undefined ? Infinity : (clock.now() - statSync(newest).mtimeMs) / DAY_MILLISECONDS;
      return unless(nodes === undefined || nodes.length === 0 || days <= OLDEST_BACKUP_DAYS, () => ({
        severity: 'warning',
        saw:
          newest === undefined
            ? `there is no backup in ${directory}`
            : `the newest backup is ${Math.floor(days)} days old`,
        means:
          'if the disk fails, all changes since the newest backup are lost; without a backup, all records are lost',
        fix: 'systemctl enable --now ironic-edge-backup.timer, or: ironic-edge backup create',
      }));
    },
  },
  {
    id: 'quarantine',
    about: 'nodes that no operator has released since a restore',
    run({ read }) {
      const waiting = (read(({ quarantine }) => quarantine.list()) ?? []).filter(
        ({ handed_to: to }) => to === null,
      );
      return unless(waiting.length === 0, () => ({
        severity: 'warning',
        saw: `nodes in quarantine: ${waiting.length}, the first since ${waiting[0]?.since}`,
        means: 'nothing is done with their machines',
        fix: 'ironic-edge quarantine list; ironic-edge quarantine release NODE',
      }));
    },
  },
  {
    id: 'webhooks',
    about: 'webhooks with many undelivered events',
    run({ config, read }) {
      const behind = read(({ events }) =>
        config.webhooks.urls.flatMap((url) => {
          const count = events.newestId() - (events.deliveredTo(url) ?? events.newestId());
          return count > config.events.keep / 2 ? [{ host: new URL(url).host, count }] : [];
        }),
      );
      return (behind ?? []).map(({ host, count }) => ({
        severity: 'warning',
        saw: `the webhook at ${host} has not received the last ${count} events`,
        means: `events are lost when more than ${config.events.keep} are undelivered ([events] keep)`,
        fix: 'journalctl -u ironic-edge | grep "webhook was not delivered"',
      }));
    },
  },
];

function writable(directory: string): readonly ProbeFinding[] {
  // the daemon creates missing directories, if it may write to the nearest one that exists
  let place = directory;
  while (!isThere(place)) place = dirname(place);
  try {
    const each = millisecondsOfSync(join(place, `.doctor-${process.pid}`));
    return unless(each <= SLOW_SYNC_MILLISECONDS, () => ({
      severity: 'warning',
      saw: `a synchronous write to ${place} takes ${Math.round(each)} ms`,
      means: 'every change of a node takes at least as long, and all other changes wait meanwhile',
      fix: '[DEFAULT] state_path = a directory on a faster disk',
    }));
  } catch (error) {
    // the owner of a directory above belongs to others, too
    const allow =
      place === directory
        ? `chown -R ironic-edge: ${directory}`
        : `install -d -o ironic-edge -g ironic-edge ${directory}`;
    const isForbidden = ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '');
    return [
      {
        severity: 'error',
        saw: `${place} cannot be written by this user: ${reasonOf(error)}`,
        means: 'the daemon cannot store anything',
        fix: isForbidden
          ? `${allow}, or run the doctor as the user of the daemon`
          : `make room on the file system of ${place} or repair it: df -h ${place}; dmesg | tail`,
      },
    ];
  }
}

/** Returns the mean duration of ten synchronous writes of 4 KiB to a new file. Removes the file. */
function millisecondsOfSync(file: string): number {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    const started = performance.now();
    for (let count = 0; count < SYNCS; count += 1) {
      writeSync(descriptor, 'x'.repeat(4096));
      fsyncSync(descriptor);
    }
    return (performance.now() - started) / SYNCS;
  } finally {
    closeSync(descriptor);
    rmSync(file, { force: true });
  }
}
