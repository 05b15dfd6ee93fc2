// The Debian packages that the daemon's tasks on this host need.
import type { HostChange, Undo } from '../change.ts';
import { type Host, must, outputOn } from '../host/host.ts';
import type { PlanParts } from './plan-parts.ts';

const APT = [
  'apt-get',
  '--yes',
  '--no-install-recommends',
  // what a killed setup has begun may still run
  '-o',
  'DPkg::Lock::Timeout=120',
];

/** BMCs, image formats, config drives and CD images. */
const ALWAYS = ['ipmitool', 'qemu-utils', 'xorriso'];
const FOR_NETWORK_BOOT = ['ipxe', 'shim-signed'];
const FOR_RAMDISK = ['debootstrap', 'cpio'];

export interface Wants {
  readonly networkBoot: boolean;
  readonly ramdisk: boolean;
  readonly radvd: boolean;
}

/** Returns the change that installs what is missing; undefined when nothing is. */
export async function packagesChange(
  { host, progress }: PlanParts,
  wants: Wants,
): Promise<HostChange | undefined> {
  const wanted = [
    ...ALWAYS,
    ...(wants.networkBoot ? FOR_NETWORK_BOOT : []),
    ...(wants.ramdisk ? FOR_RAMDISK : []),
    ...(wants.radvd ? ['radvd'] : []),
  ];
  const missing = await missingOf(host, wanted);
  if (missing.length === 0) return undefined;
  return {
    id: 'packages',
    says: `installs the packages ${missing.join(' ')}`,
    shows: [`apt-get install ${missing.join(' ')}`],
    async prepare() {
      // without the lists of packages, the new ones cannot be named
      const names = (await newlyInstalled(host, missing)) ?? (await afterUpdate(host, missing));
      return { kind: 'packages', names };
    },
    async apply() {
      await host.run(['dpkg', '--configure', '-a']);
      await must(host, [...APT, 'install', ...missing], progress.doing).catch((error: unknown) => {
        throw new Error(
          `${String(error instanceof Error ? error.message : error)}\nThe packages ${missing.join(' ')} are not installed. When apt-get can reach its servers, run setup again.`,
          { cause: error },
        );
      });
    },
  };
}

async function missingOf(host: Host, wanted: readonly string[]): Promise<readonly string[]> {
  const { status, stdout } = await host.run([
    'dpkg-query',
    '--show',
    '--showformat=${db:Status-Abbrev}${Package}\\n',
    ...wanted,
  ]);
  // no Debian: its programs are the operator's business
  if (status === null) return [];
  const installed = new Set(
    stdout
      .split('\n')
      .filter((line) => line.startsWith('ii '))
      .map((line) => line.slice(3).trim()),
  );
  return wanted.filter((name) => !installed.has(name));
}

/** The packages that an installation would add, dependencies too; undefined when apt-get does not know. */
async function newlyInstalled(
  host: Host,
  missing: readonly string[],
): Promise<readonly string[] | undefined> {
  const plan = await outputOn(host, ...APT, '--simulate', 'install', ...missing);
  // the line of an upgrade has the former version before the parenthesis
  return plan?.split('\n').flatMap((line) => /^Inst (\S+) \(/.exec(line)?.[1] ?? []);
}

async function afterUpdate(host: Host, missing: readonly string[]): Promise<readonly string[]> {
  await host.run(['apt-get', 'update', '-qq']);
  return (await newlyInstalled(host, missing)) ?? missing;
}

/** Removes packages that setup has installed. Returns a sentence when others need them, or when they cannot be removed. */
export async function removePackages(
  host: Host,
  { names }: Undo & { kind: 'packages' },
): Promise<string | undefined> {
  const missing = new Set(await missingOf(host, names));
  const present = names.filter((name) => !missing.has(name));
  if (present.length === 0) return undefined;
  const planned = await outputOn(host, ...APT, '--simulate', 'purge', ...present);
  const removed = planned?.split('\n').flatMap((line) => /^(?:Purg|Remv) (\S+)/.exec(line)?.[1] ?? []);
  const others = removed?.filter((name) => !names.includes(name)) ?? [];
  if (others.length > 0)
    return `the packages ${present.join(' ')} stay, because ${others.join(' ')} need them`;
  const { status, stderr } = await host.run([...APT, 'purge', ...present]);
  return status === 0 ? undefined : `the packages ${present.join(' ')} stay: ${stderr.trim()}`;
}
