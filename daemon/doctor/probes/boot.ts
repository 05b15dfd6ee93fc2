// Probes of what machines boot: loaders, kernels, ramdisks.
import { open, readFile, realpath } from 'node:fs/promises';
import path from 'node:path';
import { findLoaders } from '../../boot/loaders.ts';
import { pairsOf } from '../../config/sections/typed-options.ts';
import { parseImageReference } from '../../images/sources/image-reference.ts';
import { reasonOf } from '../../model/faults.ts';
import { isJsonObject } from '../../model/json.ts';
import { type ProbeFinding, type Probe, type ExaminedSite, unless } from '../probe.ts';

const NEEDED: ReadonlySet<string> = new Set(['undionly.kpxe', 'snponly.efi']);

const OLDEST_RAMDISK_DAYS = 90;
const DAY_MILLISECONDS = 86_400_000;

const servesBoot = ({ config }: Pick<ExaminedSite, 'config'>) =>
  config.boot_http.port !== null || config.tftp_server.enabled;

export const bootProbes: readonly Probe[] = [
  {
    id: 'other-dhcp',
    about:
      'other DHCP servers; with [dhcp_server] mode = server the daemon searches for them every ten minutes',
    run: ({ read, clock }) =>
      (read(({ dhcpRivals }) => dhcpRivals.recent(clock.now())) ?? []).map(
        ({ address, interface: name }) => ({
          severity: 'error',
          saw: `another DHCP server, ${address}, gives addresses on ${name}`,
          means: 'machines may take its offer and boot the files that it names',
          fix: `ip neigh show ${address}, for its MAC address; switch that server off, or set [dhcp_server] mode = proxy`,
        }),
      ),
  },
  {
    id: 'boot-loaders',
    about: "the iPXE boot loaders from this host's packages",
    run(site) {
      if (!servesBoot(site)) return [];
      const configured = pairsOf(site.config.pxe.loader_file_paths);
      return findLoaders()
        .missing.filter(({ name }) => NEEDED.has(name) && !configured.has(name))
        .map((loader) => ({
          severity: 'error',
          saw: `the boot loader ${loader.name} is not on this host`,
          means: 'machines that ask for it do not boot',
          fix: `apt-get install ${loader.package}`,
        }));
    },
  },
  {
    id: 'boot-files',
    about: 'the files of [pxe] loader_file_paths',
    async run({ config }) {
      const files = [...pairsOf(config.pxe.loader_file_paths).values()];
      return (await Promise.all(files.map((file) => unreadable(file, '[pxe] loader_file_paths')))).flat();
    },
  },
  {
    id: 'ramdisk',
    about: 'kernel and ramdisk with the agent ([conductor] deploy_kernel, deploy_ramdisk)',
    async run(site) {
      const { conductor } = site.config;
      const given = referencesIn(conductor);
      const reachable = await Promise.all(
        given.map(([option, reference]) => imageFinding(option, reference, site.signal)),
      );
      return [
        ...halves(conductor),
        ...unless(!servesBoot(site) || given.length > 0, () => ({
          severity: 'warning',
          saw: '[conductor] deploy_kernel and deploy_ramdisk are not set',
          means: 'only nodes that have both in their driver_info can be inspected, cleaned and deployed',
          fix: 'sudo ironic-edge agent-image build, which prints both lines',
        })),
        ...reachable.flat(),
      ];
    },
  },
  {
    id: 'ramdisk-age',
    about: `how long ago ironic-edge agent-image has built the ramdisk, if it has; at most ${OLDEST_RAMDISK_DAYS} days is well`,
    async run({ config, clock }) {
      const ages = await Promise.all(
        referencesIn(config.conductor).map(([option, reference]) =>
          buildOf(`[conductor] ${option}`, reference),
        ),
      );
      const builds = new Map(ages.filter((each) => each !== undefined).map((each) => [each.folder, each]));
      return [...builds.values()].flatMap(({ folder, built }) => {
        const days = Math.floor((clock.now() - built) / DAY_MILLISECONDS);
        return unless(days <= OLDEST_RAMDISK_DAYS, () => ({
          severity: 'warning',
          saw: `the ramdisk ${folder} is ${days} days old`,
          means: 'it lacks the security updates that Debian has published since',
          fix: 'sudo ironic-edge agent-image update; by itself each week: sudo systemctl enable --now ironic-edge-agent-image.timer',
        }));
      });
    },
  },
];

/** Resolves to undefined for an image that is elsewhere, cannot be read, or was built by another program. */
async function buildOf(option: string, reference: string) {
  const image = parseImageReference(reference, option);
  if (image.kind !== 'file') return undefined;
  try {
    const folder = path.dirname(await realpath(image.path));
    const build: unknown = JSON.parse(await readFile(path.join(folder, 'build.json'), 'utf8'));
    if (!isJsonObject(build) || typeof build['built'] !== 'string') return undefined;
    const built = Date.parse(build['built']);
    return Number.isNaN(built) ? undefined : { folder, built };
  } catch {
    // the probe "ramdisk" reports files that cannot be read
    return undefined;
  }
}

type Images = Pick<
  ExaminedSite['config']['conductor'],
  'deploy_kernel' | 'deploy_ramdisk' | 'deploy_kernel_by_arch' | 'deploy_ramdisk_by_arch'
>;

/** Returns the name and the reference of each option that is set; a `_by_arch` option once for each architecture. */
function referencesIn(images: Images): readonly (readonly [option: string, reference: string])[] {
  return (['deploy_kernel', 'deploy_ramdisk'] as const).flatMap((option) => {
    const forAll = images[option];
    const byArchitecture = [...pairsOf(images[`${option}_by_arch`]).values()];
    return [
      ...(forAll === null ? [] : [[option, forAll] as const]),
      ...byArchitecture.map((reference) => [`${option}_by_arch`, reference] as const),
    ];
  });
}

/** Finds a kernel without a ramdisk, and a ramdisk without a kernel: for all machines, or for those of an architecture. */
function halves(images: Images): readonly ProbeFinding[] {
  const kernels = pairsOf(images.deploy_kernel_by_arch);
  const ramdisks = pairsOf(images.deploy_ramdisk_by_arch);
  const architectures = new Set([...kernels.keys(), ...ramdisks.keys()]);
  const others = architectures.size === 0 ? '' : ' of an architecture that the _by_arch options do not name';
  return [null, ...architectures].flatMap((architecture) => {
    const hasKernel = (kernels.get(architecture ?? '') ?? images.deploy_kernel) !== null;
    const hasRamdisk = (ramdisks.get(architecture ?? '') ?? images.deploy_ramdisk) !== null;
    const missing = hasKernel ? 'deploy_ramdisk' : 'deploy_kernel';
    return unless(hasKernel === hasRamdisk, () => ({
      severity: 'error',
      saw: `only one of [conductor] deploy_kernel and deploy_ramdisk is set${architecture === null ? '' : ` for ${architecture}`}; ${missing} is missing`,
      means: `no machine${architecture === null ? others : ' of this architecture'} can boot the ramdisk with the agent`,
      fix: 'sudo ironic-edge agent-image build, which prints both lines',
    }));
  });
}

async function imageFinding(
  option: string,
  reference: string,
  signal: AbortSignal,
): Promise<readonly ProbeFinding[]> {
  const source = `[conductor] ${option}`;
  const image = parseImageReference(reference, source);
  if (image.kind === 'file') return unreadable(image.path, source);
  const problem = await whyUnreachable(image.url, signal);
  return unless(problem === undefined, () => ({
    severity: 'error',
    saw: `${source}: ${image.url} cannot be fetched: ${problem}`,
    means: 'machines boot the copy that was fetched before, or nothing',
    fix: `curl -fI ${image.url}`,
  }));
}

/** Sends a HEAD request. Resolves with the reason why the resource cannot be fetched; undefined if it can. */
export async function whyUnreachable(url: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const reply = await fetch(url, { method: 'HEAD', signal });
    return reply.ok ? undefined : `the server answers ${reply.status}`;
  } catch (error) {
    return error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : reasonOf(error);
  }
}

async function unreadable(file: string, source: string): Promise<readonly ProbeFinding[]> {
  try {
    const handle = await open(file, 'r');
    const { size } = await handle.stat();
    await handle.close();
    return unless(size > 0, () => ({
      severity: 'error',
      saw: `${file} is empty (${source})`,
      means: 'machines that fetch it do not boot',
      fix: `ls -l ${file}; write the file again`,
    }));
  } catch (error) {
    return [
      {
        severity: 'error',
        saw: `${file} cannot be read (${source}): ${reasonOf(error)}`,
        means: 'machines that fetch it do not boot',
        fix: `ls -l ${file}; correct ${source}`,
      },
    ];
  }
}
