// A small Debian whose systemd is booted in namespaces, as root. The first use downloads its packages with mmdebstrap.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const scripts = path.join(import.meta.dirname, 'booted');
const LIMIT_MILLISECONDS = 600_000;
const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child', '--uts', '--ipc', '--cgroup'];
/** Releases of Debian: 12 and 13. */
export type Suite = 'bookworm' | 'trixie';
const PACKAGES = 'systemd,udev,ca-certificates,iproute2,curl';

/** What a lab has besides the packages of every lab. */
export interface Additions {
  /** Names the archive of these packages. */
  readonly name: string;
  readonly installed: readonly string[];
  /** In the cache of apt, with its lists, so that they can be installed without a network. */
  readonly downloaded: readonly string[];
}

const NOTHING_MORE: Additions = { name: 'udev', installed: [], downloaded: [] };

/** Returns the archive of a lab's file system. */
export function labArchive(suite: Suite, { name, installed, downloaded }: Additions = NOTHING_MORE): string {
  const archive = path.join(tmpdir(), `ironic-edge-systemd-${name}-${suite}.tar`);
  const included = `--include=${[PACKAGES, ...installed].join(',')}`;
  const download = `chroot "$1" apt-get install -qq --download-only --no-install-recommends --yes ${downloaded.join(' ')}`;
  const cache = downloaded.length === 0 ? [] : ['--skip=cleanup/apt', `--customize-hook=${download}`];
  if (!existsSync(archive))
    execFileSync('mmdebstrap', ['--variant=minbase', included, ...cache, suite, archive], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
  return archive;
}

export class Lab {
  readonly root: string;

  constructor(archive: string) {
    this.root = mkdtempSync(path.join(tmpdir(), 'systemd-root-'));
    execFileSync('tar', ['-C', this.root, '-xf', archive]);
  }

  write(name: string, text: string): void {
    mkdirSync(path.dirname(path.join(this.root, name)), { recursive: true });
    writeFileSync(path.join(this.root, name), text);
  }

  /** Lets the unit start although the lab has none of the usual targets. */
  freeUnit(unit: string): void {
    this.write(`etc/systemd/system/${unit}.d/lab.conf`, '[Unit]\nDefaultDependencies=no\nWants=\nAfter=\n');
  }

  /**
   * The command that boots the lab in new namespaces, with `folder` mounted at `place`, until it ends. `further`: options of unshare,
   * and a program that runs the rest of its arguments.
   */
  entering(folder: string, place: string, further: readonly string[] = []): readonly [string, ...string[]] {
    cpSync(scripts, path.join(this.root, 'lab'), { recursive: true });
    mkdirSync(path.join(this.root, place), { recursive: true });
    this.write('etc/systemd/system/lab.target', '[Unit]\nWants=lab.service\n');
    const enter = ['bash', path.join(scripts, 'enter.sh'), this.root, folder, place];
    return ['unshare', ...NAMESPACES, ...further, ...enter];
  }

  /** Boots, and runs a script of `booted/`, which finds `folder` at `place`. Returns what it printed as `name=value`. */
  boot(script: string, folder: string, place: string): Readonly<Record<string, string>> {
    const output = 'StandardOutput=append:/lab/seen\nStandardError=append:/lab/seen\n';
    const service = `[Service]\nType=oneshot\nExecStart=/bin/bash /lab/${script}\n${output}`;
    this.write('etc/systemd/system/lab.service', `[Unit]\nDefaultDependencies=no\n\n${service}`);
    const network = ['--net', 'bash', path.join(scripts, 'network.sh')];
    const [program, ...words] = this.entering(folder, place, network);
    const { stderr } = spawnSync(program, words, {
      encoding: 'utf8',
      timeout: LIMIT_MILLISECONDS,
      killSignal: 'SIGKILL',
    });
    const seen = path.join(this.root, 'lab/seen');
    const lines = existsSync(seen) ? readFileSync(seen, 'utf8') : stderr;
    console.log(lines);
    return Object.fromEntries(lines.split('\n').flatMap((line) => [line.split('=', 2) as [string, string]]));
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true });
  }
}
