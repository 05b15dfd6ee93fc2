// `ironic-edge manual`: writes the manual pages of the program, its commands and its files.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inTreeSections } from '../../plugin-host/configured-plugins.ts';
import { type Command, commandOf } from '../command.ts';
import { commandPages } from './command-pages.ts';
import { CONFIGURATION_PAGE, configurationManual } from './configuration-page.ts';
import { FILTER_PAGE, filterPage } from './filter-page.ts';
import { fileOf, pageText } from './mdoc.ts';
import { PLUGIN_PAGE, pluginPage } from './plugin-page.ts';
import { SOCKETS_PAGE, socketsPage } from './sockets-page.ts';

const USAGE = `usage: ironic-edge manual FOLDER

Writes manual pages in the folders man1, man5 and man8 below FOLDER: for "man ironic-edge", "man ironic-edge-node",
"man ironic.conf", "man 5 ironic-edge-plugin", "man ironic-pxe-filter" and "man with-sockets". The Debian package has them; elsewhere:

  ironic-edge manual /usr/local/share/man
`;

const EXAMPLE = path.join(import.meta.dirname, '../../plugin-kit/template/http/plugin.json');

/** `program`: the command that the pages describe. */
export const manualCommand = (program: () => Command): Command =>
  commandOf({
    usage: USAGE,
    options: {},
    positionals: ['FOLDER'],
    async run({ positionals: [folder] }) {
      const { FILTER_USAGE } = await import('../../../pxe-filter/usage.ts');
      const files = [CONFIGURATION_PAGE, PLUGIN_PAGE, FILTER_PAGE, SOCKETS_PAGE];
      const also = [{ name: 'ironic-edge', section: 1 } as const, ...files];
      const others = (own: string) => also.filter(({ name }) => name !== own);
      const pages = [
        ...(await commandPages(program(), files)),
        configurationManual(inTreeSections(), others(CONFIGURATION_PAGE.name)),
        pluginPage(readFileSync(EXAMPLE, 'utf8'), others(PLUGIN_PAGE.name)),
        filterPage(FILTER_USAGE, others(FILTER_PAGE.name)),
        socketsPage(others(SOCKETS_PAGE.name)),
      ];
      for (const page of pages) {
        const file = path.join(folder, fileOf(page));
        mkdirSync(path.dirname(file), { recursive: true });
        writeFileSync(file, pageText(page));
      }
      return 0;
    },
  });
