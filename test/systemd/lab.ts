// A small Debian whose systemd is booted in namespaces, as root. The first use downloads its packages with mmdebstrap.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const scripts = path.join(import.meta.dirname, 'booted');
const LIMIT_MILLISECONDS = 300_000;
const NAMESPACES = ['--mount', '--pid', '--fork', '--kill-child', '--uts', '--ipc', '--cgroup', '--net'];
/** Releases of Debian: 12 and 13. */
export type Suite = 'bookworm' | 'trixie';
const PACKAGES = 'systemd,udev,ca-certificates,iproute2,curl';

export class Lab {
  readonly root: string;

  constructor(suite: Suite) {
    const archive = path.join(tmpdir(), `ironic-edge-systemd-udev-${suite}.tar`);
    if (!existsSync(archive))
      execFileSync('mmdebstrap', ['--variant=minbase', `--include=${PACKAGES}`, suite, archive], {
        stdio: ['ignore', 'inherit', 'inherit'],
      });
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

  /** Boots, and runs a script of `booted/`, which finds `folder` at `place`. Returns what it printed as `name=value`. */
  boot(script: string, folder: string, place: string): Readonly<Record<string, string>> {
    cpSync(path.join(scripts, script), path.join(this.root, 'lab/script.sh'));
    mkdirSync(path.join(this.root, place), { recursive: true });
    const output = 'StandardOutput=append:/lab/seen\nStandardError=append:/lab/seen\n';
    const service = `[Service]\nType=oneshot\nExecStart=/bin/bash /lab/script.sh\n${output}`;
    this.write('etc/systemd/system/lab.service', `[Unit]\nDefaultDependencies=no\n\n${service}`);
    this.write('etc/systemd/system/lab.target', '[Unit]\nWants=lab.service\n');
    const enter = path.join(scripts, 'enter.sh');
    const { stderr } = spawnSync('unshare', [...NAMESPACES, 'bash', enter, this.root, folder, place], {
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
