// Boot loaders of Debian 13, and its kernel and busybox for arm64. apt fetches and verifies the packages, which are unpacked
// into a folder; nothing is installed, so the host may run another release of Debian.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Debian13 {
  /** The boot loaders, by the names under which machines request them. */
  readonly loaders: Readonly<Record<string, string>>;
  readonly arm64: {
    readonly kernel: string;
    /** An archive with the modules of the kernel, in the form of an initramfs. */
    readonly modules: string;
    readonly busybox: string;
  };
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const SOURCE = `deb [signed-by=${KEYRING}] http://deb.debian.org/debian trixie main\n`;
const KERNEL = 'linux-image-arm64:arm64';
const PACKAGES = [
  'ipxe',
  ...['amd64', 'arm64'].flatMap((each) => [`grub-efi-${each}-signed:${each}`, `shim-signed:${each}`]),
  'busybox-static:arm64',
];
const MODULES = 'modules.cpio';

/** Fetches some 100 MB into `cache` unless they are there. */
export function fetchDebian13(cache: string): Debian13 {
  const folder = join(cache, 'debian-13');
  if (statSync(folder, { throwIfNoEntry: false }) === undefined) fetchInto(folder);
  const [lib, boot] = [join(folder, 'usr/lib'), join(folder, 'boot')];
  const kernel = readdirSync(boot).find((name) => name.startsWith('vmlinuz-'));
  if (kernel === undefined) throw new Error(`${boot} has no kernel; delete ${folder} to fetch it again`);
  return {
    loaders: {
      'snponly-arm64.efi': join(lib, 'ipxe/ipxe-arm64.efi'),
      'bootaa64.efi': join(lib, 'shim/shimaa64.efi.signed'),
      'grubaa64.efi': join(lib, 'grub/arm64-efi-signed/grubnetaa64.efi.signed'),
      'bootx64.efi': join(lib, 'shim/shimx64.efi.signed'),
      'grubx64.efi': join(lib, 'grub/x86_64-efi-signed/grubnetx64.efi.signed'),
    },
    arm64: {
      kernel: join(boot, kernel),
      modules: join(folder, MODULES),
      busybox: join(folder, 'usr/bin/busybox'),
    },
  };
}

function fetchInto(folder: string): void {
  const work = `${folder}.${process.pid}`;
  const [debs, tree] = [join(work, 'debs'), join(work, 'tree')];
  for (const each of [debs, tree, join(work, 'lists/partial'), join(work, 'archives/partial')])
    mkdirSync(each, { recursive: true });
  writeFileSync(join(work, 'sources.list'), SOURCE);
  writeFileSync(join(work, 'status'), '');
  const apt = (program: string, ...words: readonly string[]) =>
    execFileSync(program, [...aptOptions(work), ...words], { cwd: debs, encoding: 'utf8' });
  try {
    apt('apt-get', 'update');
    apt('apt-get', 'download', ...PACKAGES, ...dependenciesIn(apt('apt-cache', 'depends', KERNEL)));
    for (const deb of readdirSync(debs)) execFileSync('dpkg-deb', ['--extract', deb, tree], { cwd: debs });
    archiveModules(tree);
    renameSync(tree, folder);
  } finally {
    rmSync(work, { recursive: true });
  }
}

/** Options that keep apt away from the host's own sources and state. */
function aptOptions(work: string): readonly string[] {
  const options = [
    'APT::Architecture=amd64',
    ...['amd64', 'arm64'].map((each) => `APT::Architectures::=${each}`),
    'APT::Sandbox::User=root',
    'Acquire::Languages=none',
    `Dir::Etc=${work}`,
    'Dir::Etc::sourceparts=/dev/null',
    'Dir::Etc::preferencesparts=/dev/null',
    `Dir::State=${work}`,
    `Dir::State::status=${work}/status`,
    `Dir::Cache=${work}`,
  ];
  return ['--quiet=2', ...options.flatMap((option) => ['--option', option])];
}

/** The dependencies that `apt-cache depends` prints. */
const dependenciesIn = (output: string): readonly string[] =>
  output.split('\n').flatMap((line) => line.split(' Depends: ')[1] ?? []);

function archiveModules(tree: string): void {
  // depmod looks for modules below lib
  symlinkSync('usr/lib', join(tree, 'lib'));
  const modules = join(tree, 'usr/lib/modules');
  const [version = ''] = readdirSync(modules);
  execFileSync('depmod', ['--basedir', tree, version]);
  const names = readdirSync(modules, { recursive: true, encoding: 'utf8' });
  const words = ['--create', '--quiet', '--format=newc', `--file=${join(tree, MODULES)}`];
  execFileSync('cpio', words, { cwd: modules, input: names.join('\n') });
  rmSync(modules, { recursive: true });
}
