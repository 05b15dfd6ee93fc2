// `ironic-edge manual`: writes the manual pages, one for the program and one for each of its commands.
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type Command, commandOf } from '../command.ts';
import { pagesOf } from './manual-pages.ts';

const USAGE = `usage: ironic-edge manual FOLDER

Writes manual pages in the folder man1 below FOLDER, for "man ironic-edge" and "man ironic-edge-node". The Debian package has
them; elsewhere:

  ironic-edge manual /usr/local/share/man
`;

/** `program`: the command that the pages describe. */
export const manualCommand = (program: () => Command): Command =>
  commandOf({
    usage: USAGE,
    options: {},
    positionals: ['FOLDER'],
    async run({ positionals: [folder] }) {
      const section = path.join(folder, 'man1');
      mkdirSync(section, { recursive: true });
      for (const [name, text] of await pagesOf(program())) writeFileSync(path.join(section, name), text);
      return 0;
    },
  });
