// The extension with which the real agent starts an instance by kexec: the agent finds it, and it reads real file systems. Nothing
// that it is given here is a kernel, so that the kernel of this host loads none.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { addToAgent } from '../../../../daemon/cli/agent-image/build/ramdisk-tree.ts';
import { newestAgentFolder, skipWithoutNewestAgent } from '../../../setup/newest-agent.ts';

const skip = skipWithoutNewestAgent();
const skipReal = skip || (process.getuid?.() !== 0 && 'only root makes and mounts block devices');
const PROGRAMS = `${process.env['PATH']}:/usr/sbin:/sbin`;
const EXTENSION = `import ironic_python_agent.cmd.agent
import sys
from stevedore import extension
found = extension.ExtensionManager(namespace='ironic_python_agent.extensions', invoke_on_load=True, invoke_kwds={'agent': None})
`;

const run = (program: string, ...words: readonly string[]) =>
  execFileSync(program, words, { env: { PATH: PROGRAMS }, stdio: ['pipe', 'pipe', 'ignore'] }).toString();

/** What Python prints with the agent and what the image builder adds to it. */
function withAgent(t: TestContext, code: string, ...words: readonly string[]): string {
  const tree = mkdtempSync(join(tmpdir(), 'tree-'));
  t.after(() => rmSync(tree, { recursive: true }));
  const packages = join(tree, 'usr/lib/python3/dist-packages');
  mkdirSync(packages, { recursive: true });
  addToAgent(tree);
  // this host may have no udev
  writeFileSync(join(tree, 'udevadm'), '#!/bin/sh\n', { mode: 0o755 });
  const env = { PATH: `${tree}:${PROGRAMS}`, PYTHONPATH: packages };
  const options = { env, stdio: ['ignore', 'pipe', 'inherit'] as ('ignore' | 'pipe' | 'inherit')[] };
  const python = join(newestAgentFolder, 'bin/python');
  return execFileSync(python, ['-c', EXTENSION + code, ...words], options).toString();
}

test('the agent finds the extension and its commands', { skip }, (t) => {
  const code = `print(sorted(found['instance_kernel'].obj.command_map))`;
  assert.equal(withAgent(t, code), "['load', 'start']\n");
});

test('start fails when no kernel is loaded', { skip }, (t) => {
  const code = `import ironic_edge_kexec
ironic_edge_kexec.LOADED = sys.argv[1]
result = found['instance_kernel'].obj.execute('start')
result.join()
print(result.command_status, result.command_error)`;
  const folder = mkdtempSync(join(tmpdir(), 'kexec-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const loaded = join(folder, 'kexec_loaded');
  writeFileSync(loaded, '0\n');
  assert.match(withAgent(t, code, loaded), /^FAILED .*no kernel is loaded/);
});

const LOAD = `import ironic_edge_kexec
for disk in sys.argv[1:]:
    try:
        print(ironic_edge_kexec.load_kernel(disk))
    except Exception as reason:
        print(reason)
print('instance-' in open('/proc/mounts').read())`;

test('file systems are only read, and are not mounted afterwards', { skip: skipReal }, (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'kexec-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const tree = join(folder, 'tree');
  mkdirSync(join(tree, 'boot/grub'), { recursive: true });
  const menu =
    'menuentry Debian {\n linux /boot/vmlinuz root=/dev/vda\n initrd /boot/microcode /boot/initrd.img\n}\n';
  const files = { 'grub/grub.cfg': menu, vmlinuz: 'no kernel', microcode: 'odd', 'initrd.img': 'no ramdisk' };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(tree, 'boot', name), text);
  const disk = (name: string, ...words: readonly [string, ...string[]]): readonly [string, string] => {
    const file = join(folder, name);
    writeFileSync(file, '');
    truncateSync(file, 16 * 2 ** 20);
    run(...words, file);
    const device = run('losetup', '--find', '--show', file).trim();
    t.after(() => void run('losetup', '--detach', device));
    return [file, device];
  };
  const [full, one] = disk('full', 'mkfs.ext4', '-q', '-d', tree);
  const [, two] = disk('empty', 'mkfs.ext4', '-q');
  const [, three] = disk('swap', 'mkswap');
  const before = readFileSync(full);
  const [first = '', ...others] = withAgent(t, LOAD, one, two, three).trim().split('\n');
  assert.match(first, /^the kernel \/boot\/vmlinuz was not loaded: /);
  const nothing =
    'no file system of the instance has entries of a boot loader (loader/entries/*.conf, grub.cfg)';
  assert.deepEqual(others, [nothing, nothing, 'False']);
  assert.deepEqual(readFileSync(full), before);
});
