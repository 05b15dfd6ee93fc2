// Stages /usr/lib/ironic-edge/dist: the committed program, its npm packages for one architecture, and Node.js.
import { globSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { run } from './run.ts';

export interface ProgramStage {
  readonly tree: string;
  readonly stage: string;
  readonly node: 'x64' | 'arm64';
}

const PARTS = ['daemon', 'plugins', 'pxe-filter', 'ramdisk-callback', 'README.md', 'LICENSE'].concat(
  'package.json',
  'package-lock.json',
  '.npmrc',
);
/** Files that npm packages need only for building, testing, debugging and documentation: a third of the size of all packages. */
const UNNEEDED = [
  'node-linux-*/{include,share}',
  'better-sqlite3/{deps,src}',
  '{*,@*/*}/{benchmark,benchmarks,docs,examples,test,tests}',
  '{.bin,bcryptjs/bin,dhcp/{bin,res,Dockerfile},node-addon-api/tools,pino/bin.js,pino/*.html,tftp/bin,yaml/bin.mjs}',
  'heroicons/{20,24,16/!(solid)}',
  '@xterm/*/{src,typings,lib/*.js}',
  '**/*.map',
  '**/.{github,eslintrc*,editorconfig,gitattributes,npmignore,prettierrc*,taprc,travis.yml}',
];

export function stageProgram({ tree, stage, node }: ProgramStage): { readonly version: string } {
  const program = path.join(stage, 'usr/lib/ironic-edge/dist');
  mkdirSync(program, { recursive: true });
  const archive = path.join(stage, 'program.tar');
  run('git', ['-C', tree, 'archive', '--output', archive, 'HEAD', ...PARTS]);
  run('tar', ['-C', program, '-xf', archive]);
  rmSync(archive);
  const target = [`--cpu=${node}`, '--os=linux', '--libc=glibc'];
  run('npm', ['ci', '--prefix', program, '--omit=dev', '--no-audit', '--no-fund', ...target]);
  const modules = path.join(program, 'node_modules');
  const foreign = globSync('better-sqlite3/prebuilds/*.node', { cwd: modules }).filter(
    (file) => path.basename(file) !== `linux-${node}.node`,
  );
  for (const name of [...globSync(UNNEEDED, { cwd: modules }), ...foreign])
    rmSync(path.join(modules, name), { recursive: true, force: true });
  const { version } = JSON.parse(readFileSync(path.join(program, 'package.json'), 'utf8')) as {
    version: string;
  };
  return { version };
}
