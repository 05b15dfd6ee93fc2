// Probes of the host: programs, limits, clock, configuration, plugins.
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { freemem } from 'node:os';
import { promisify } from 'node:util';
import { type ProbeFinding, type Probe, unless } from '../probe.ts';

const run = promisify(execFile);
const MEBIBYTE = 1_048_576;
const LEAST_FREE_MEBIBYTES = 200;
const LEAST_FILES = 1024;

/** The programs that hardware types need, with their Debian packages. */
const PROGRAMS = [{ type: 'ipmi', program: 'ipmitool', args: ['-V'], package: 'ipmitool' }] as const;

export const hostProbes: readonly Probe[] = [
  {
    id: 'configuration',
    about: 'warnings about the configuration',
    run: ({ warnings, file }) =>
      warnings.map((warning) => ({
        severity: 'warning',
        saw: warning,
        means: 'the daemon does something else than the configuration seems to say',
        fix: `correct it in ${file ?? 'the environment'}, then: ironic-edge config check`,
      })),
  },
  {
    id: 'plugins',
    about: 'plugins that are set aside',
    run: ({ setAside }) =>
      setAside.map(({ folder, reason }) => ({
        severity: 'warning',
        saw: `${folder} is set aside: ${reason}`,
        means: 'the daemon runs without the interfaces and hooks of the plugins in this folder',
        fix: 'remove the cause, then: ironic-edge plugin list',
      })),
  },
  {
    id: 'configuration-mode',
    about: 'who may read the configuration file',
    run({ file }) {
      const stats = file === undefined ? undefined : statSync(file);
      const mode = (stats?.mode ?? 0) & 0o777;
      // a device such as /dev/null holds no passwords, and needs its mode
      return unless(stats?.isFile() !== true || (mode & 0o007) === 0, () => ({
        severity: 'warning',
        saw: `${file} is open to every user of this host (mode ${mode.toString(8)})`,
        means: 'it may hold passwords',
        fix: `chmod 640 ${file}`,
      }));
    },
  },
  {
    id: 'package-configuration',
    about: 'whether a newer package brought another configuration file',
    run({ file }) {
      const brought = `${file ?? ''}.dpkg-dist`;
      return unless(statSync(brought, { throwIfNoEntry: false }) === undefined, () => ({
        severity: 'warning',
        saw: `the package brought ${brought}, because ${file} has been edited`,
        means: 'your file stays valid, but lacks the explanations in the newer file',
        fix: `diff ${file} ${brought}; rm ${brought}`,
      }));
    },
  },
  {
    id: 'programs',
    about: 'programs that the enabled hardware types run',
    async run({ config, signal }) {
      const wanted = PROGRAMS.filter(({ type }) => config.DEFAULT.enabled_hardware_types.includes(type));
      const missing = await Promise.all(
        wanted.map(async ({ type, program, args, package: name }): Promise<readonly ProbeFinding[]> => {
          try {
            await run(program, [...args], { signal });
            return [];
          } catch {
            const saw = `${program} cannot be run`;
            return [
              {
                severity: 'error',
                saw,
                means: `nodes of hardware type ${type} cannot be managed`,
                fix: `apt-get install ${name}`,
              },
            ];
          }
        }),
      );
      return missing.flat();
    },
  },
  {
    id: 'limits',
    about: 'how many files a process may open',
    async run({ signal }) {
      const service = await mainProcess(signal);
      const line = /^Max open files +(\d+)/m.exec(readFileSync(`/proc/${service ?? 'self'}/limits`, 'utf8'));
      const most = Number(line?.[1] ?? LEAST_FILES);
      return unless(most >= LEAST_FILES, () => ({
        severity: 'warning',
        saw: `${service === undefined ? 'a process of this shell' : 'the daemon'} may open at most ${most} files`,
        means: 'when many machines boot at the same time, some are turned away',
        fix:
          service === undefined
            ? 'ulimit -n 65536, in the shell that starts the daemon'
            : 'systemctl edit ironic-edge, with: [Service] LimitNOFILE=65536',
      }));
    },
  },
  {
    id: 'memory',
    about: 'free memory',
    run() {
      const available = /^MemAvailable: +(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1];
      const free = available === undefined ? freemem() / MEBIBYTE : Number(available) / 1024;
      return unless(free >= LEAST_FREE_MEBIBYTES, () => ({
        severity: 'warning',
        saw: `${Math.round(free)} MiB of memory are available`,
        means: 'the daemon may be killed while it processes reports',
        fix: 'ps -eo rss,comm --sort=-rss | head',
      }));
    },
  },
  {
    id: 'clock',
    about: 'whether the clock is set from the network',
    async run({ signal }) {
      let synchronised: string;
      try {
        const { stdout } = await run('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
          signal,
        });
        synchronised = stdout.trim();
      } catch {
        // without systemd there is no time service to ask
        return [];
      }
      return unless(synchronised !== 'no', () => ({
        severity: 'warning',
        saw: 'the clock of this host is not set from the network',
        means: 'agents refuse certificates, and the times in logs do not fit together',
        fix: 'apt-get install systemd-timesyncd && timedatectl set-ntp true',
      }));
    },
  },
];

/** Resolves with the process ID of the running service ironic-edge; undefined when no such service of systemd is running. */
async function mainProcess(signal: AbortSignal): Promise<string | undefined> {
  try {
    const words = ['show', '--property=MainPID', '--value', 'ironic-edge.service'];
    const { stdout } = await run('systemctl', words, { signal });
    const pid = stdout.trim();
    return /^[1-9]\d*$/.test(pid) ? pid : undefined;
  } catch {
    return undefined;
  }
}
