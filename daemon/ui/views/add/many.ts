// The form that adds many machines by a list, and what would become of each.
import type { CheckedRow } from '../../read/add/checked-list.ts';
import { listFields, type TypedList } from '../../read/add/typed-list.ts';
import { button } from '../../kit/controls.ts';
import { checkField, selectField, textAreaField } from '../../kit/fields.ts';
import { html, type Markup, plural } from '../../kit/markup.ts';
import { toneMark } from '../../kit/state.ts';
import { card, notice } from '../../kit/surfaces.ts';
import { table } from '../../kit/table.ts';

export interface ManyForm {
  readonly text: string;
  readonly driver: string;
  readonly goesOn: boolean;
  readonly drivers: readonly string[];
  /** Undefined before something was pasted. */
  readonly list: Pick<TypedList, 'leftOut' | 'problem'> | undefined;
  readonly rows: readonly CheckedRow[];
  /** Why nothing was stored, though the list looked right. */
  readonly refusal: string | undefined;
}

const EXAMPLE = `name,address,username,password,class,rack,unit
rack1-01,10.0.9.11,root,calvin,web,R1,1`;

export const manyView = (form: ManyForm): Markup =>
  html`<form class="stack" method="post" action="/ui/add/many" id="add-many">
    ${card({
      title: 'List',
      body: html`<div class="form columns">
        ${textAreaField({
          name: 'list',
          label: 'Comma-separated values, with a line of titles',
          value: form.text,
          rows: 8,
          placeholder: EXAMPLE,
          full: true,
          help: html`Columns: ${listFields.join(', ')}. A machine with an address becomes a node at once. One
          without is expected: it becomes a node when its BMC is found.`,
        })}
        <div class="field" id="list-file"></div>
        ${selectField({
          name: 'driver',
          label: 'Driver of machines that name none',
          value: form.driver,
          empty: 'each names its own',
          choices: form.drivers.map((driver) => ({ value: driver, label: driver })),
        })}
        ${checkField({ name: 'goes_on', label: 'Then bring the nodes to available: verify, inspect, clean', isChecked: form.goesOn })}
      </div>`,
      footer: html`<div class="row">
        ${button({ label: 'Check the list', name: 'do', value: 'check', ...(form.rows.length === 0 && { look: 'primary' }) })}
        <small>Nothing is stored before you add the machines.</small>
      </div>`,
    })}
    <div id="result" class="stack">${resultOf(form)}</div>
  </form>`;

function resultOf({ list, rows, refusal }: ManyForm): Markup {
  if (list === undefined) return html``;
  if (list.problem !== undefined) return notice('broken', list.problem, true);
  const right = rows.filter(({ problems }) => problems.length === 0);
  const wrong = rows.length - right.length;
  return html`${refusal === undefined ? '' : notice('broken', refusal, true)}
  ${list.leftOut.length === 0 ? '' : notice('attention', `Left out, as they are no fields: ${list.leftOut.join(', ')}.`)}
  ${card({
    title: plural(rows.length, 'machine'),
    aside: wrong === 0 ? 'all are right' : html`<strong class="text-broken">${wrong} with problems</strong>`,
    flush: true,
    body: html`<div role="status" class="hidden">
        ${right.length} of ${rows.length} machines can be added.
      </div>
      ${rowTable(rows)}`,
    footer: html`<div class="row">
      ${
        right.length === 0
          ? html`Mend the list, and check it again.`
          : wrong === 0
            ? button({
                label: `Add ${plural(right.length, 'machine')}`,
                name: 'do',
                value: 'add',
                look: 'primary',
                icon: 'add',
              })
            : html`${button({ label: `Leave out ${wrong}, add ${right.length}`, name: 'do', value: 'add-right' })}
                <small>Or mend the list, and check it again.</small>`
      }
    </div>`,
  })}`;
}

const rowTable = (rows: readonly CheckedRow[]): Markup =>
  table({
    about: 'Machines of the list',
    rows,
    columns: [
      { title: 'Line', look: 'number', cell: ({ line }) => line },
      {
        title: 'Machine',
        isName: true,
        cell: ({ values }) => values.name ?? values.serial_number ?? values.address ?? 'without a name',
      },
      {
        title: 'Result',
        look: 'wide',
        cell: ({ problems, becomes }) =>
          problems.length === 0
            ? toneMark('good', becomes)
            : html`<span class="row-problems"
                >${problems.map((problem) => html`<span class="text-broken">${problem}</span>`)}</span
              >`,
      },
      { title: 'BMC', cell: ({ values }) => values.address ?? values.bmc_mac ?? '' },
      { title: 'User', cell: ({ values }) => values.username ?? '' },
      { title: 'Class', cell: ({ values }) => values.resource_class ?? '' },
      {
        title: 'Place',
        cell: ({ values: { rack, unit } }) =>
          [rack, unit === undefined ? undefined : `unit ${unit}`]
            .filter((each) => each !== undefined)
            .join(', '),
      },
    ],
  });
