// A table of records. On a phone each row becomes a card.
import { html, type Markup } from './markup.ts';

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => Markup | string | number;
  /** `number`: to the right; `soft`: of less weight; `wide`: long texts. */
  readonly look?: 'number' | 'soft' | 'wide';
  /** Whether the cell names the row. */
  readonly isName?: boolean;
  /** Whether the title is only for screen readers. */
  readonly hidesTitle?: boolean;
  /** A class of the column's cells, for its width. */
  readonly key?: string;
  /** The address that sorts by this column, and how the rows are sorted by it now. */
  readonly sort?: { readonly href: string; readonly now?: 'ascending' | 'descending' | undefined };
}

export interface RowGroup<T> {
  /** The first line of the group; rows without it are in no group. */
  readonly title?: Markup;
  readonly id: string;
  readonly rows: readonly T[];
}

export interface TableParts<T> {
  /** What the rows are, for screen readers. */
  readonly about: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  /** The same rows in groups, each with a title. */
  readonly groups?: readonly RowGroup<T>[] | undefined;
  /** An id for each row that a live page replaces on its own. */
  readonly rowId?: (row: T) => string;
  /** Further attributes of a row. */
  readonly rowAttributes?: (row: T) => Markup;
  /** Further classes of the table. */
  readonly look?: string;
}

export const table = <T>({
  about,
  columns,
  rows,
  groups = [{ id: '', rows }],
  look = '',
  ...ofRow
}: TableParts<T>): Markup =>
  html`<table class="cards ${look}">
    <caption class="hidden">
      ${about}
    </caption>
    <thead>
      <tr>
        ${columns.map(titleCell)}
      </tr>
    </thead>
    ${groups.map(
      ({ id, title, rows: own }) =>
        html`<tbody>
          ${
            title === undefined
              ? ''
              : html`<tr class="group" id="${id}" data-live>
                  <th scope="rowgroup" colspan="${columns.length}">${title}</th>
                </tr>`
          }${own.map((row) => tableRow(columns, row, ofRow))}
        </tbody>`,
    )}
  </table>`;

const cellClass = <T>({ key, look }: Column<T>): string =>
  [look, key].filter((each) => each !== undefined).join(' ');

function titleCell<T>(column: Column<T>): Markup {
  const { title, hidesTitle = false, sort } = column;
  const shown = hidesTitle ? html`<span class="hidden">${title}</span>` : title;
  return html`<th
    scope="col"
    class="${cellClass(column)}"
    ${sort?.now === undefined ? '' : html`aria-sort="${sort.now}"`}
  >
    ${sort === undefined ? shown : html`<a href="${sort.href}">${shown}${arrowOf(sort.now)}</a>`}
  </th>`;
}

function arrowOf(now: 'ascending' | 'descending' | undefined): string {
  if (now === undefined) return '';
  return now === 'ascending' ? ' ↑' : ' ↓';
}

function tableRow<T>(
  columns: readonly Column<T>[],
  row: T,
  { rowId, rowAttributes }: Pick<TableParts<T>, 'rowId' | 'rowAttributes'>,
): Markup {
  return html`<tr
    ${rowId === undefined ? '' : html`id="${rowId(row)}" data-live`}
    ${rowAttributes?.(row) ?? ''}
  >
    ${columns.map((column) =>
      column.isName === true
        ? html`<th scope="row" class="${cellClass(column)}">${column.cell(row)}</th>`
        : html`<td class="${cellClass(column)}">${column.cell(row)}</td>`,
    )}
  </tr>`;
}
