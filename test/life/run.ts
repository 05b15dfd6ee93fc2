// npm run life: boots emulated machines, each with a BMC, through the daemon. Must run as root.
// npm run life -- --only uefi-http,agent picks cases; --list names all. Those with OpenStack's Ironic run only when picked.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { imagesIn, kernelIn, ramdiskIn } from '../../daemon/cli/agent-image/agent-images.ts';
import { installIronic } from '../differential/ironic-process.ts';
import { installMissing, lifePackages } from '../setup/packages.ts';
import { installSushyTools } from '../setup/sushy-tools.ts';
import type { Case } from './case.ts';
import { cases, rivalCases } from './cases.ts';
import { cloudKexecs } from './cases/kexec-secure-boot.ts';
import { wholeWays } from './cases/whole-way.ts';
import { makeCloudImage } from './rig/cloud-image.ts';
import { type Debian13, fetchDebian13 } from './rig/debian-13.ts';
import { edgeHostArchive } from './rig/edge-host.ts';
import { fetchIscsistart } from './rig/iscsistart.ts';
import { serveMirror } from './rig/mirror.ts';
import { reportingRamdisk } from './rig/small-ramdisk.ts';
import type { Image, Images } from './site.ts';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, '.cache/life');
const IMAGES = join(CACHE, 'agent-images');
const MIRROR = join(CACHE, 'mirror');

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { only: { type: 'string' }, list: { type: 'boolean' } } });
  const [names, rivals] = [cases, rivalCases].map((each) => each.map(({ name }) => name)) as [
    string[],
    string[],
  ];
  if (values.list === true) {
    console.log([...names, ...rivals].join('\n'));
    return 0;
  }
  const picked = values.only?.split(',') ?? names;
  const unknown = picked.filter((name) => ![...names, ...rivals].includes(name));
  if (unknown.length > 0) throw new Error(`no case ${unknown.join(', ')}; --list names all`);
  if (process.getuid?.() !== 0)
    throw new Error('run it as root: it makes network namespaces, taps and a ramdisk');
  installMissing(lifePackages);
  if (!installSushyTools()) throw new Error('the Redfish emulator cannot be installed from PyPI');
  if (picked.some((name) => rivals.includes(name)) && !installIronic('newest'))
    throw new Error('OpenStack Ironic cannot be installed from PyPI');
  const [agent, { loaders, arm64 }] = [buildImage(), fetchDebian13(CACHE)];
  const reporting = await makeReporting(agent);
  const reportingArm64 = await makeReportingArm64(arm64);
  const iscsistart = fetchIscsistart(CACHE);
  return runBesideMirror(picked, { agent, reporting, reportingArm64, loaders, iscsistart });
}

/** Makes the cloud image, and what the whole way needs, if they are picked, and serves the mirror to the cases. */
async function runBesideMirror(picked: readonly string[], withoutCloud: Images): Promise<number> {
  const picks = (each: readonly Case[]) => each.some(({ name }) => picked.includes(name));
  if (!picks([...wholeWays, ...cloudKexecs])) return runInside(picked, withoutCloud);
  const images = { ...withoutCloud, cloudImage: makeCloudImage(join(MIRROR, 'images/cloud')) };
  if (!picks(wholeWays)) return runInside(picked, images);
  // prints the path of the package, and its size; packages of earlier releases may lie beside it
  const built = execFileSync(process.execPath, [join(ROOT, 'systemd/deb/build.ts')], { encoding: 'utf8' });
  const [deb = ''] = built.split(' (');
  const mirror = join(mkdtempSync(join(tmpdir(), 'mirror-')), 'socket');
  const close = await serveMirror(MIRROR, mirror);
  try {
    return await runInside(picked, { ...images, wholeWay: { archive: edgeHostArchive(), deb, mirror } });
  } finally {
    close();
    rmSync(dirname(mirror), { recursive: true });
  }
}

/** Builds and checks the image with the commands that an operator uses. */
function buildImage(): Image {
  ironicEdge('agent-image', 'build', '--directory', IMAGES);
  const [newest] = imagesIn(IMAGES);
  if (newest === undefined) throw new Error(`agent-image build left no image in ${IMAGES}`);
  const image = { kernel: kernelIn(newest.folder), ramdisk: ramdiskIn(newest.folder) };
  ironicEdge('agent-image', 'check', '--kernel', image.kernel, '--ramdisk', image.ramdisk);
  return image;
}

const ironicEdge = (...words: readonly string[]): void => run(join(ROOT, 'daemon/cli/ironic-edge'), ...words);

function run(program: string, ...words: readonly string[]): void {
  const { status } = spawnSync(program, words, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${[program, ...words].join(' ')} ended with status ${status}`);
}

async function makeReporting({ kernel, ramdisk }: Image): Promise<Image> {
  const file = join(CACHE, 'reporting.ramdisk');
  writeFileSync(file, await reportingRamdisk(ramdisk));
  return { kernel, ramdisk: file };
}

async function makeReportingArm64({ kernel, modules, busybox }: Debian13['arm64']): Promise<Image> {
  const file = join(CACHE, 'reporting-arm64.ramdisk');
  writeFileSync(file, await reportingRamdisk(modules, busybox));
  return { kernel, ramdisk: file };
}

/**
 * The cases run in network, mount and process namespaces of their own: however this process ends, the kernel ends every
 * daemon and machine with them.
 */
async function runInside(picked: readonly string[], images: Images): Promise<number> {
  const folder = join(CACHE, 'last');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'life-'));
  const namespaces = ['unshare', '--net', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'];
  const node = [process.execPath, join(import.meta.dirname, 'inside.ts')];
  const words = ['--pdeathsig', 'KILL', ...namespaces, ...node, JSON.stringify({ picked, images, folder })];
  process.on('SIGINT', stay);
  try {
    const inside = spawn('setpriv', words, { stdio: 'inherit', env: { ...process.env, TMPDIR: work } });
    const [status] = (await once(inside, 'exit')) as [number | null];
    return status ?? 1;
  } finally {
    process.off('SIGINT', stay);
    rmSync(work, { recursive: true, force: true });
  }
}

/** Ignores SIGINT: the process in the namespaces ends at it, and then this process ends too. */
const stay = (): void => undefined;

process.exitCode = await main();
