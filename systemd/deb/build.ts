// npm run deb: builds the Debian package, with its own Node.js, in .cache/deb. The program comes from the last commit; units,
// scripts and documentation come from the working tree. Without uncommitted changes, the same commit gives the same bytes.
// "npm run deb -- arm64" builds for that architecture on any host.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { type PackageArchitecture, architectureFrom } from './architecture.ts';
import { run } from './run.ts';
import { seal } from './seal.ts';
import { stageDocumentation } from './stage-documentation.ts';
import { stageProgram } from './stage-program.ts';
import { stageSystem } from './stage-system.ts';

const tree = path.join(import.meta.dirname, '..', '..');

function build({ debian, node }: PackageArchitecture): string {
  const stage = mkdtempSync(path.join(tmpdir(), 'ironic-edge-deb-'));
  try {
    const { version } = stageProgram({ tree, stage, node });
    stageSystem(stage);
    const commitSeconds = Number(run('git', ['-C', tree, 'log', '-1', '--format=%ct']));
    stageDocumentation({ tree, stage, version, commitSeconds });
    const installedKibibytes = seal(stage, { version, architecture: debian, commitSeconds });
    const folder = path.join(tree, '.cache', 'deb');
    mkdirSync(folder, { recursive: true });
    const file = path.join(folder, `ironic-edge_${version}_${debian}.deb`);
    // zstd compresses in seconds; xz makes the file a third smaller in two minutes
    run('dpkg-deb', ['--root-owner-group', '-Zzstd', '--build', stage, file], {
      SOURCE_DATE_EPOCH: String(commitSeconds),
    });
    return `${file} (${installedKibibytes} KiB installed)`;
  } finally {
    rmSync(stage, { recursive: true });
  }
}

console.log(build(architectureFrom(process.argv[2], process.arch)));
