// Finishes a staged tree: writes checksums and the control file, and sets modes and times that do not depend on the host's umask
// and clock.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { controlFile } from './control-file.ts';

export interface Seal {
  readonly version: string;
  readonly architecture: 'amd64' | 'arm64';
  /** The time of all files. */
  readonly commitSeconds: number;
}

const CONFFILES = ['/etc/ironic-edge/ironic.conf'];
/** The configuration may contain passwords: others must not read it, not even before the package is configured. */
const PRIVATE_FOLDER = 'etc/ironic-edge';

/** Returns the size of the installed files in KiB. */
export function seal(stage: string, { version, architecture, commitSeconds }: Seal): number {
  const files = filesOf(stage);
  const kibibytes = files.reduce(
    (sum, file) => sum + Math.ceil(lstatSync(path.join(stage, file)).size / 1024),
    0,
  );
  const control = path.join(stage, 'DEBIAN');
  mkdirSync(control, { recursive: true });
  writeFileSync(path.join(control, 'md5sums'), files.map((file) => sumLine(stage, file)).join(''));
  writeFileSync(path.join(control, 'conffiles'), CONFFILES.map((file) => `${file}\n`).join(''));
  writeFileSync(path.join(control, 'control'), controlFile({ version, architecture, kibibytes }));
  for (const name of ['', ...readdirSync(stage, { recursive: true, encoding: 'utf8' })]) {
    const file = path.join(stage, name);
    const status = lstatSync(file);
    if (!status.isSymbolicLink())
      chmodSync(file, modeOf(name, status.isDirectory() || ((status.mode & 0o100) !== 0 && isProgram(file))));
    lutimesSync(file, commitSeconds, commitSeconds);
  }
  return kibibytes;
}

/** Whether the file is a script or a binary: some npm packages have texts that are marked as executable. */
function isProgram(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const begin = Buffer.alloc(4);
    readSync(descriptor, begin);
    const text = begin.toString('latin1');
    return text.startsWith('#!') || text === '\x7fELF';
  } finally {
    closeSync(descriptor);
  }
}

const modeOf = (name: string, isExecutable: boolean): number =>
  name === PRIVATE_FOLDER ? 0o750 : isExecutable ? 0o755 : 0o644;

/** Regular files to install, in the order of their names. */
function filesOf(stage: string): readonly string[] {
  return readdirSync(stage, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(stage, path.join(entry.parentPath, entry.name)))
    .filter((file) => !file.startsWith('DEBIAN/'))
    .toSorted();
}

function sumLine(stage: string, file: string): string {
  const sum = createHash('md5')
    .update(readFileSync(path.join(stage, file)))
    .digest('hex');
  return `${sum}  ${file}\n`;
}
