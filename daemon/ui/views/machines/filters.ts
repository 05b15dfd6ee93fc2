// What narrows the list of machines: chips, menus of values, grouping, and the choice of columns. All are links and one small form.
import { button, menu } from '../../kit/controls.ts';
import { checkField } from '../../kit/fields.ts';
import { html, type Markup } from '../../kit/markup.ts';
import {
  columnNames,
  fitsOnly,
  groupNames,
  machinesAddress,
  type MachineQuery,
  onlyFilters,
  queryText,
  type ValueFilter,
  valueFilters,
  valueOf,
} from '../../read/machine-query.ts';
import type { MachineRow } from '../../read/machine-rows.ts';
import { columnTitle } from './cells.ts';

const ONLY_LABELS = { problems: 'needs you', working: 'working', maintenance: 'maintenance' } as const;
/** More values than this are found by the search. */
const MOST_VALUES = 50;

export const filterBar = (all: readonly MachineRow[], query: MachineQuery): Markup =>
  html`<div class="filter-bar" id="filters">
    <nav class="chips" aria-label="Filters">
      <a
        class="chip"
        href="${machinesAddress(query, nothingChosen)}"
        ${isUnfiltered(query) ? html`aria-current="true"` : ''}
        >all ${all.length}</a
      >
      ${onlyFilters.map((name) => {
        const count = all.filter(fitsOnly[name]).length;
        const isOn = query.only === name;
        return count === 0 && !isOn
          ? ''
          : html`<a
              class="chip"
              href="${machinesAddress(query, { only: isOn ? undefined : name })}"
              ${isOn ? html`aria-current="true"` : ''}
              >${ONLY_LABELS[name]} ${count}</a
            >`;
      })}
      ${valueFilters.map((name) => valueMenu(all, query, name))}
    </nav>
    <div class="row">${groupMenu(query)} ${columnMenu(query)}</div>
  </div>`;

const nothingChosen = {
  q: undefined,
  only: undefined,
  ...Object.fromEntries(valueFilters.map((name) => [name, undefined])),
};

const isUnfiltered = ({ q, only, values }: MachineQuery): boolean =>
  q === '' && only === undefined && Object.keys(values).length === 0;

/** A filter that is on shows its value, and its first choice takes it away. */
function valueMenu(all: readonly MachineRow[], query: MachineQuery, name: ValueFilter): Markup {
  const chosen = query.values[name];
  const counts = new Map<string, number>();
  for (const row of all) {
    const value = valueOf[name](row);
    if (value !== '') counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  if (counts.size < 2 && chosen === undefined) return html``;
  const values = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, MOST_VALUES);
  return menu(`filter-${name}`, {
    label:
      chosen === undefined ? name : html`<span class="on">${name}: <span class="cut">${chosen}</span></span>`,
    side: 'left',
    small: true,
    items: [
      ...(chosen === undefined
        ? []
        : [html`<a href="${machinesAddress(query, { [name]: undefined })}">any ${name}</a>`]),
      ...values.map(
        ([value, count]) =>
          html`<a
            href="${machinesAddress(query, { [name]: value })}"
            ${value === chosen ? html`aria-current="true"` : ''}
            ><span class="cut">${value}</span> <span class="count">${count}</span></a
          >`,
      ),
    ],
  });
}

const groupMenu = (query: MachineQuery): Markup =>
  menu('group', {
    label: query.group === undefined ? 'group by' : html`<span class="on">by ${query.group}</span>`,
    small: true,
    look: 'quiet',
    items: [undefined, ...groupNames].map(
      (name) =>
        html`<a
          href="${machinesAddress(query, { group: name })}"
          ${name === query.group ? html`aria-current="true"` : ''}
          >${name ?? 'no groups'}</a
        >`,
    ),
  });

/** The fields that the form does not have itself keep the rest of the query. */
function columnMenu(query: MachineQuery): Markup {
  const kept = [...new URLSearchParams(queryText(query))].filter(([name]) => name !== 'column');
  return menu('columns', {
    label: 'columns',
    small: true,
    look: 'quiet',
    items: [
      html`<form method="get" action="/ui/" class="columns-form">
        ${kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        ${columnNames.map((name) =>
          checkField({
            name: 'column',
            value: name,
            label: columnTitle(name),
            isChecked: query.columns.includes(name),
          }),
        )}
        ${button({ label: 'Show', small: true })}
      </form>`,
    ],
  });
}
