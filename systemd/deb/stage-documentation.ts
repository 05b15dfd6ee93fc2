// Stages what people and auditors read: the list of parts (SBOM), licences, the changelog, manual pages and the shells'
// completions.
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { billOfMaterials } from './bill-of-materials.ts';
import { MAINTAINER } from './control-file.ts';
import { run } from './run.ts';
import type { ProgramStage } from './stage-program.ts';

const COPYRIGHT = `Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: ironic-edge

Files: *
Copyright: 2026 the authors of ironic-edge
License: Apache-2.0
 On Debian systems the text is in /usr/share/common-licenses/Apache-2.0.

Files: usr/lib/ironic-edge/dist/node_modules/*
Copyright: the authors of each package, in the years that they name
License: see-package
 sbom.cdx.json in this directory names the licence of each package; most folders contain its text.
`;

const COMPLETIONS = {
  bash: 'bash-completion/completions/ironic-edge',
  zsh: 'zsh/vendor-completions/_ironic-edge',
  fish: 'fish/vendor_completions.d/ironic-edge.fish',
} as const;

interface DocumentationStage extends Pick<ProgramStage, 'tree' | 'stage'> {
  readonly version: string;
  readonly commitSeconds: number;
}

const packed = (text: string | Uint8Array): Uint8Array => gzipSync(text, { level: 9 });

/** The changelog in the form that apt-listchanges reads. */
const debianChangelog = (version: string, commitSeconds: number): string =>
  `ironic-edge (${version}) stable; urgency=medium

  * What is new is in CHANGELOG.md.gz in this folder.

 -- ${MAINTAINER}  ${new Date(commitSeconds * 1000).toUTCString().replace('GMT', '+0000')}
`;

export function stageDocumentation({ tree, stage, version, commitSeconds }: DocumentationStage): void {
  const share = path.join(stage, 'usr/share');
  const put = (name: string, content: string | Uint8Array) => {
    const file = path.join(share, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  const program = path.join(stage, 'usr/lib/ironic-edge/dist');
  put('doc/ironic-edge/sbom.cdx.json', billOfMaterials(program));
  put('doc/ironic-edge/copyright', COPYRIGHT);
  put('doc/ironic-edge/CHANGELOG.md.gz', packed(readFileSync(path.join(tree, 'CHANGELOG.md'))));
  put('doc/ironic-edge/changelog.gz', packed(debianChangelog(version, commitSeconds)));
  put('lintian/overrides/ironic-edge', readFileSync(path.join(import.meta.dirname, 'lintian-overrides')));
  const command = path.join(tree, 'daemon/cli/ironic-edge');
  for (const [shell, name] of Object.entries(COMPLETIONS)) put(name, run(command, ['completion', shell]));
  run(command, ['manual', path.join(share, 'man')]);
  for (const page of globSync(path.join(share, 'man/man*/*'))) {
    writeFileSync(`${page}.gz`, gzipSync(readFileSync(page), { level: 9 }));
    rmSync(page);
  }
}
