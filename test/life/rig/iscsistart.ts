// The program that attaches the iSCSI volume from which the machine has booted (iscsistart of open-iscsi). apt fetches and verifies
// the packages, which are unpacked into a folder: installed, they would start a service on this host.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** A program or a library, and its place in the file system of the machine, such as `bin/busybox`. */
export interface ProgramFile {
  readonly place: string;
  readonly file: string;
}

const PACKAGES = ['open-iscsi', 'libopeniscsiusr'];
const PROGRAM = 'sbin/iscsistart';
const LIBRARIES = 'usr/lib/x86_64-linux-gnu';

/** Returns the program with all libraries that it loads. Fetches the packages into `cache` unless they are there. */
export function fetchIscsistart(cache: string): readonly ProgramFile[] {
  const folder = join(cache, 'open-iscsi');
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) fetchInto(folder);
  const program = join(folder, PROGRAM);
  const env = { ...process.env, LD_LIBRARY_PATH: join(folder, LIBRARIES) };
  const listing = execFileSync('ldd', [program], { env, encoding: 'utf8' });
  if (listing.includes('not found'))
    throw new Error(`${program} lacks libraries; install them on this host:\n${listing}`);
  // `libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x…)`, and the loader without an arrow
  const paths = [...listing.matchAll(/(\/\S+) \(0x/g)].map(([, path = '']) => path);
  return [
    { place: PROGRAM, file: program },
    ...paths.map((path) => ({ place: path.replace(folder, '').slice(1), file: path })),
  ];
}

function fetchInto(folder: string): void {
  const work = `${folder}.${process.pid}`;
  const [debs, tree] = [join(work, 'debs'), join(work, 'tree')];
  mkdirSync(debs, { recursive: true });
  try {
    const apt = (...words: readonly string[]) =>
      execFileSync('apt-get', ['--quiet=2', '--option', 'APT::Sandbox::User=root', ...words], { cwd: debs });
    apt('update');
    apt('download', ...PACKAGES);
    for (const deb of readdirSync(debs)) execFileSync('dpkg-deb', ['--extract', deb, tree], { cwd: debs });
    renameSync(tree, folder);
  } finally {
    rmSync(work, { recursive: true });
  }
}
