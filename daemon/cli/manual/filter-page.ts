// The manual page ironic-pxe-filter(8), made of the usage of that program.
import { descriptionIn, synopsisIn } from './command-pages.ts';
import { literal, type Page, prose, type Reference, termList } from './mdoc.ts';

export const FILTER_PAGE = { name: 'ironic-pxe-filter', section: 8 } as const satisfies Reference;

export const filterPage = (usage: string, also: readonly Reference[]): Page => ({
  ...FILTER_PAGE,
  about: 'tell dnsmasq which machines may boot from the network',
  synopsis: synopsisIn(usage),
  description: [
    ...literal(descriptionIn(usage)),
    '.Sh FILES',
    ...termList([
      {
        term: '/var/lib/ironic-pxe-filter',
        lines: prose(
          'The host files, if `[pxe_filter] dhcp_hostsdir` names this folder, as it does in the Debian package.',
        ),
      },
    ]),
  ],
  examples: ['ironic-pxe-filter purge', 'ironic-pxe-filter serve --config-file /etc/ironic-edge/ironic.conf'],
  also,
});
