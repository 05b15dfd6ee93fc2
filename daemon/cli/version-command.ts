// `ironic-edge version`: prints the version of this program.
import { readFileSync } from 'node:fs';
import { commandOf } from './command.ts';

const USAGE = `usage: ironic-edge version

Prints the version of this program; so does "ironic-edge --version".
`;

const PACKAGE = new URL('../../package.json', import.meta.url);

export const versionCommand = commandOf({
  usage: USAGE,
  options: {},
  positionals: [],
  run(_, { stdout }) {
    const { version } = JSON.parse(readFileSync(PACKAGE, 'utf8')) as { readonly version: string };
    stdout.write(`ironic-edge ${version}\n`);
    return 0;
  },
});
