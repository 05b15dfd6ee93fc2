import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { agentImageCommand } from '../../../../daemon/cli/agent-image/agent-image-command.ts';
import { configurationLines, linesForUsed } from '../../../../daemon/cli/agent-image/configuration-lines.ts';
import { makeAgentImage } from '../../../../daemon/cli/agent-image/build/build-agent-image.ts';
import { buildProgress } from '../../../../daemon/cli/agent-image/build-progress.ts';
import { hostArchitecture } from '../../../../daemon/cli/agent-image/build/packages.ts';
import {
  createPrograms,
  requireEmulation,
  requirePrograms,
} from '../../../../daemon/cli/agent-image/build/programs.ts';
import { installBase } from '../../../../daemon/cli/agent-image/build/root-tree.ts';
import { outputTo } from '../../../../daemon/cli/output.ts';
import { type ArchivedFile, cpioArchive } from '../../../fakes/cpio-archive.ts';
import { runCommand } from '../../../fakes/clients/run-command.ts';

const KERNEL = '6.12.1+deb13-amd64';
const SITE_PACKAGES = 'usr/lib/python3/dist-packages';
const AGENT: readonly ArchivedFile[] = [
  { name: '.', mode: 'folder' },
  { name: './init', mode: 'program', contents: '#!/bin/sh\n' },
  { name: `./usr/lib/modules/${KERNEL}/modules.dep`, mode: 'file', contents: 'a.ko:\n' },
  {
    name: `./${SITE_PACKAGES}/ironic_python_agent-10.2.0.egg-info/PKG-INFO`,
    mode: 'file',
    contents: 'Name: x\n',
  },
];

/** The part of a kernel that a boot loader reads. */
function bzImage(version = KERNEL): Buffer {
  const image = Buffer.alloc(8192);
  image.write('HdrS', 0x202);
  image.writeUInt16LE(0x100, 0x20e);
  image.write(`${version} (builder@host) #1 SMP\0`, 0x300);
  return image;
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'agent-image-'));
  t.after(() => rmSync(path, { recursive: true }));
  return path;
}

const run = (args: readonly string[], environment = {}) =>
  runCommand((context) => agentImageCommand(args, context), environment);

/** Checks one file, or a kernel and a ramdisk. */
async function checked(
  t: TestContext,
  files: Readonly<Partial<Record<'kernel' | 'ramdisk', Buffer | string>>>,
) {
  const place = folder(t);
  for (const [name, contents] of Object.entries(files)) writeFileSync(join(place, name), contents);
  const named = Object.keys(files).flatMap((name) => [`--${name}`, join(place, name)]);
  const { code, out } = await run(['check', ...named]);
  return { code, out: out.replaceAll(`${place}/`, '') };
}

test('wrong arguments print the usage', async () => {
  for (const args of [
    [],
    ['make'],
    ['build', 'x'],
    ['build', '--suite', '../x'],
    ['build', '--colour'],
    ['build', '--arch', 'mips'],
    ['build', '--mirror', 'deb.debian.org'],
    ['build', '--again'],
    ['update', 'x'],
    ['list', '--format', 'xml'],
    ['use'],
    ['check', '--suite', 'trixie'],
    ['check', 'file'],
  ]) {
    const { code, out, errors } = await run(args);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(errors, /^usage: ironic-edge agent-image build /);
  }
});

test('a kernel and the ramdisk of its build pass the check', async (t) => {
  const ramdisk = cpioArchive(AGENT);
  for (const [compression, packed] of [
    ['gzip', gzipSync(ramdisk)],
    ['zstd', zstdCompressSync(ramdisk)],
    ['none', ramdisk],
  ] as const) {
    const { code, out } = await checked(t, { kernel: bzImage(), ramdisk: packed });
    assert.equal(code, 0, out);
    assert.equal(
      out,
      `kernel: kernel ${KERNEL} for x86_64, 1 MiB\nramdisk: ramdisk, 1 MiB, ${compression}, 1 MiB unpacked, agent 10.2.0\n`,
    );
  }
});

test('an agent in its own Python environment, behind an archive with microcode, is found', async (t) => {
  const microcode = cpioArchive([
    { name: 'kernel/x86/microcode/GenuineIntel.bin', mode: 'file', contents: 'm' },
  ]);
  const rest = gzipSync(
    cpioArchive([
      { name: 'init', mode: 'link', contents: 'sbin/init' },
      { name: 'opt/agent/lib/python3.11/site-packages/ironic_python_agent-12.1.0.dist-info', mode: 'folder' },
    ]),
  );
  const ramdisk = Buffer.concat([microcode, Buffer.alloc(100_000 - (microcode.length % 4)), rest]);
  const { code, out } = await checked(t, { ramdisk });
  assert.equal(code, 0, out);
  assert.match(out, /agent 12\.1\.0\n$/);
});

test('a kernel without modules in the ramdisk is reported', async (t) => {
  const { code, out } = await checked(t, {
    kernel: bzImage('6.1.0-9-amd64'),
    ramdisk: gzipSync(cpioArchive(AGENT)),
  });
  assert.equal(code, 1);
  assert.match(out, /^wrong: kernel is kernel 6\.1\.0-9-amd64, but the ramdisk has the modules of 6\.12\.1/m);
});

const agentless = cpioArchive([{ name: 'init', mode: 'program' }]);
const initless = cpioArchive(AGENT.filter(({ name }) => name !== './init'));
const unknown = 'so the check cannot tell whether it holds the agent';
const wrongFiles: readonly (readonly [string, Buffer | string, string])[] = [
  [
    'a ramdisk without the agent',
    gzipSync(agentless),
    'it holds no ironic-python-agent that is installed as a Python package',
  ],
  [
    'a compressed ramdisk that was copied in part',
    gzipSync(cpioArchive(AGENT)).subarray(0, -40),
    `unexpected end of file, ${unknown}`,
  ],
  [
    'a ramdisk that was copied in part',
    cpioArchive(AGENT).subarray(0, 300),
    `the archive ends early: it was not copied completely, ${unknown}`,
  ],
  ['an empty file', '', 'expected a kernel or a ramdisk'],
  [
    'an error page',
    '<html><title>404 Not Found</title></html>',
    'expected a bzImage, an arm64 Image, or a cpio archive',
  ],
  ['a ramdisk without init', gzipSync(initless), 'it has no file /init, which the kernel starts'],
  [
    'a ramdisk packed with xz',
    Buffer.from('fd377a585a0000', 'hex'),
    `its archive is compressed with xz, and only gzip and zstd can be looked into, ${unknown}`,
  ],
];
for (const [what, ramdisk, problem] of wrongFiles)
  test(`check says what is wrong with ${what}`, async (t) => {
    const { code, out } = await checked(t, { ramdisk });
    assert.equal(code, 1);
    assert.equal(out.split('\n')[1], `  wrong: ${problem}`);
  });

test('a file that is not there is reported', async () => {
  const { code, out } = await run(['check', '--kernel', '/nowhere/agent.kernel']);
  assert.equal(code, 1);
  assert.match(out, /^\/nowhere\/agent\.kernel: not readable\n {2}wrong: ENOENT/);
});

test('check without files reports that no image has been built', async (t) => {
  const place = folder(t);
  await assert.rejects(
    run(['check'], { IRONIC_DEFAULT__STATE_PATH: place }),
    /agent-images holds no image: run "ironic-edge agent-image build", or name files/,
  );
});

const settings = (file_url_allowed_paths: readonly string[]) => ({
  DEFAULT: { state_path: '/state' },
  conductor: { file_url_allowed_paths },
});

test('the printed configuration adds the parent folder of an image to the allowed paths if the daemon may not read it there', () => {
  const sha256 = { kernel: 'aa', ramdisk: 'bb' };
  const expected = `[conductor]
deploy_kernel = file:///srv/images/one/agent.kernel#sha256=aa
deploy_ramdisk = file:///srv/images/one/agent.ramdisk#sha256=bb
`;
  const lines = (...allowed: readonly string[]) => linesAt('/srv/images/one', ...allowed);
  const linesAt = (place: string, ...allowed: readonly string[]) =>
    configurationLines(place, { sha256, architecture: hostArchitecture() }, settings(allowed));
  assert.equal(lines('/var/lib/ironic', '/srv/images'), expected);
  assert.equal(
    lines('/var/lib/ironic'),
    `${expected}file_url_allowed_paths = /var/lib/ironic, /srv/images\n`,
  );
  assert.doesNotMatch(linesAt('/state/agent-images/one', '/srv'), /file_url_allowed_paths/);
  assert.match(linesAt('/state/other/one', '/srv'), /^file_url_allowed_paths = \/srv, \/state\/other$/m);
  assert.match(
    linesForUsed('/state/agent-images', hostArchitecture(), settings([])),
    /^deploy_ramdisk = file:\/\/\/state\/agent-images\/(?:amd64|arm64)\/agent\.ramdisk$/m,
    'an image that may be replaced has no checksum',
  );
});

test('an image for another architecture than the host is configured for the nodes of that architecture', () => {
  const [architecture, name] = hostArchitecture() === 'amd64' ? ['arm64', 'aarch64'] : ['amd64', 'x86_64'];
  assert.equal(
    configurationLines(
      '/srv/images/one',
      { sha256: { kernel: 'aa', ramdisk: 'bb' }, architecture: architecture as 'amd64' },
      settings(['/srv']),
    ),
    `[conductor]
deploy_kernel_by_arch = ${name}:file:///srv/images/one/agent.kernel#sha256=aa
deploy_ramdisk_by_arch = ${name}:file:///srv/images/one/agent.ramdisk#sha256=bb
`,
  );
  assert.throws(
    () => requireEmulation('arm64', '/nowhere'),
    /cannot run programs for arm64\. Install an emulator: apt-get install qemu-user-static/,
  );
});

test('debootstrap is given the mirror and the architecture', async (t) => {
  const tree = folder(t);
  for (const below of ['etc/apt', 'etc/dpkg/dpkg.cfg.d', 'usr/sbin'])
    mkdirSync(join(tree, below), { recursive: true });
  const commands: string[] = [];
  const programs = {
    run: async (...words: readonly string[]) => void commands.push(words.join(' ')),
    inside: async () => undefined,
  };
  const mirror = 'http://mirror.example/debian';
  await installBase({ suite: 'trixie', architecture: 'arm64', mirror, tree }, programs);
  assert.deepEqual(commands, [
    `debootstrap --variant=minbase --arch=arm64 --components=main,non-free-firmware trixie ${tree} ${mirror}`,
  ]);
});

test('what the programs of a build write is shown on a terminal while they run, and kept in the log', async (t) => {
  const log = join(folder(t), 'log');
  const shown: string[] = [];
  const stream = { isTTY: true, columns: 20, rows: 5, write: (text: string) => shown.push(text) };
  const progress = buildProgress(outputTo(stream));
  progress.say('packages ...');
  await createPrograms(log, progress.doing).run('sh', '-c', 'echo one; echo two >&2');
  await assert.rejects(
    createPrograms(log, progress.doing).run('sh', '-c', 'echo "Unpacking \u009Bx a very long name"; exit 3'),
    /ended with status 3\. The end of /,
  );
  progress.say('packages: 1 s');
  assert.deepEqual(shown.slice(0, 2), ['\r\u001B[K', 'packages ...\n']);
  const last = shown.findLast((text) => text.includes('Unpacking'));
  assert.equal(last, '\r\u001B[K  Unpacking \\u009bx');
  assert.equal(shown.at(-1), 'packages: 1 s\n');
  assert.match(readFileSync(log, 'utf8'), /one/);
  const plain: string[] = [];
  const lines = buildProgress({ write: (text) => plain.push(text) });
  lines.doing('one');
  lines.say('done');
  assert.deepEqual(plain, ['done\n']);
});

test('missing programs are named with their Debian packages', () => {
  assert.throws(() => requirePrograms('/nowhere'), /cpio: not found\. Install them: apt-get install .*cpio/);
});

test(
  'building as another user than root is refused',
  { skip: process.getuid?.() === 0 && 'this is root' },
  async (t) => {
    const request = {
      directory: folder(t),
      suite: 'trixie',
      architecture: hostArchitecture(),
    };
    await assert.rejects(makeAgentImage(request, { say() {}, doing() {} }), /only root may do/);
  },
);
