// The manual page ironic.conf(5), made of the declared options.
import { configurationFormat, documentedSections } from '../../config/document.ts';
import type { SectionSource } from '../../config/options.ts';
import { type Page, prose, type Reference, termList } from './mdoc.ts';

export const CONFIGURATION_PAGE = { name: 'ironic.conf', section: 5 } as const satisfies Reference;

/** `sections`: the sections that plugins declare. */
export function configurationManual(sections: readonly SectionSource[], also: readonly Reference[]): Page {
  const { sources, rules, commands } = configurationFormat;
  const documented = documentedSections(sections).flatMap(({ name, options }) => [
    `.Ss [${name}]`,
    ...termList(
      options.map(({ name: term, facts, description }) => ({
        term,
        lines: [...prose(facts), ...(description === '' ? [] : ['.Pp', ...prose(description)])],
      })),
    ),
  ]);
  return {
    ...CONFIGURATION_PAGE,
    about: 'configuration of ironic-edge',
    description: [
      ...prose(sources),
      '.Bl -bullet',
      ...rules.flatMap((rule) => ['.It', ...prose(rule)]),
      '.El',
      '.Pp',
      ...prose(commands),
      '.Sh OPTIONS',
      ...documented,
      '.Sh FILES',
      ...termList([
        { term: '/etc/ironic-edge/ironic.conf', lines: ['Read if no other file is named.'] },
        { term: '/etc/ironic/ironic.conf', lines: ['Read instead if the file above does not exist.'] },
      ]),
    ],
    also,
  };
}
