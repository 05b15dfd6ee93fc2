// The root file system of the ramdisk: a minimal Debian with the agent, the programs that it calls, a kernel and firmware.
import { appendFileSync, chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  AGENT_PACKAGE,
  COMPONENTS,
  type DebianArchitecture,
  firmwarePackages,
  kernelPackage,
  leftOut,
  neverUnpacked,
  programPackages,
} from './packages.ts';
import { outputInside, outputOf, type Programs } from './programs.ts';

export interface RootTree {
  readonly suite: string;
  readonly architecture: DebianArchitecture;
  /** The URL of the Debian mirror; undefined for the one that the host uses. */
  readonly mirror: string | undefined;
  readonly tree: string;
}

export async function installBase(
  { suite, architecture, mirror = hostMirror('Debian'), tree }: RootTree,
  programs: Programs,
): Promise<void> {
  const words = ['--variant=minbase', `--arch=${architecture}`, `--components=${COMPONENTS}`, suite, tree];
  await programs.run('debootstrap', ...words, ...(mirror === undefined ? [] : [mirror]));
  const security = hostMirror('Debian-Security');
  if (security !== undefined) {
    const components = COMPONENTS.replaceAll(',', ' ');
    appendFileSync(join(tree, 'etc/apt/sources.list'), `deb ${security} ${suite}-security ${components}\n`);
  }
  // no service starts while its package is being configured
  writeFileSync(join(tree, 'usr/sbin/policy-rc.d'), '#!/bin/sh\nexit 101\n');
  chmodSync(join(tree, 'usr/sbin/policy-rc.d'), 0o755);
  const excluded = neverUnpacked.map((path) => `path-exclude=${path}\n`).join('');
  writeFileSync(join(tree, 'etc/dpkg/dpkg.cfg.d/ramdisk'), excluded);
  await programs.inside(tree, 'apt-get', 'update', '-q');
  await programs.inside(tree, 'apt-get', 'dist-upgrade', '-qy');
}

/** Returns the version of the agent's package. */
export async function installAgent(
  { architecture, suite, tree }: RootTree,
  programs: Programs,
): Promise<string> {
  const version = candidateVersion(tree);
  if (version === undefined)
    throw new Error(
      `Debian ${suite} has no package ${AGENT_PACKAGE}; name a suite that has it, such as trixie, with --suite`,
    );
  const packages = [kernelPackage(architecture), ...programPackages, ...firmwarePackages];
  const install = ['apt-get', 'install', '-qy', '--no-install-recommends'] as const;
  await programs.inside(tree, ...install, ...packages, ...dependenciesOf(tree, version));
  // apt-get checks the package against the signed index; dpkg-deb unpacks it without its dependencies
  const folder = join(tree, 'srv/agent');
  mkdirSync(folder, { mode: 0o777 });
  chmodSync(folder, 0o777);
  const archive = `${AGENT_PACKAGE}_${version.replaceAll(':', '%3a')}_all.deb`;
  await programs.inside(
    tree,
    'env',
    '--chdir=/srv/agent',
    'apt-get',
    'download',
    '-q',
    `${AGENT_PACKAGE}=${version}`,
  );
  await programs.inside(tree, 'dpkg-deb', '-x', `/srv/agent/${archive}`, '/');
  rmSync(folder, { recursive: true });
  await programs.inside(tree, 'python3', '-c', 'import ironic_python_agent.cmd.agent');
  await programs.inside(
    tree,
    'python3',
    '-m',
    'compileall',
    '-q',
    '/usr/lib/python3/dist-packages/ironic_python_agent',
  );
  await programs.inside(tree, 'apt-get', 'clean');
  rmSync(join(tree, 'usr/sbin/policy-rc.d'));
  return version;
}

/** The URL of the host's first apt repository with this label; undefined if there is none, as on a host that is not Debian. */
export function hostMirror(label: 'Debian' | 'Debian-Security'): string | undefined {
  const found = outputOf(
    'apt-get',
    'indextargets',
    '--format',
    '$(REPO_URI)',
    'Created-By: Packages',
    `Label: ${label}`,
  );
  const [mirror = ''] = (found ?? '').split('\n');
  return mirror === '' ? undefined : mirror;
}

function candidateVersion(tree: string): string | undefined {
  const policy = outputInside(tree, 'apt-cache', 'policy', AGENT_PACKAGE) ?? '';
  const line = policy.split('\n').find((each) => each.trim().startsWith('Candidate:'));
  const version = line?.split(':').slice(1).join(':').trim();
  return version === undefined || version === '(none)' ? undefined : version;
}

/** The packages that the agent's package depends on, except those in `leftOut`. Of alternatives, only the first is returned. */
function dependenciesOf(tree: string, version: string): readonly string[] {
  const record = outputInside(tree, 'apt-cache', 'show', `${AGENT_PACKAGE}=${version}`) ?? '';
  const line = record.split('\n').find((each) => each.startsWith('Depends: ')) ?? '';
  return line
    .slice('Depends: '.length)
    .split(',')
    .map((dependency) => dependency.trim().split(/[ |:(]/)[0] ?? '')
    .filter((name) => name !== '' && !leftOut.has(name));
}
