// The view Machines: what needs attention, the racks, and every machine. The visitor can search, filter, sort and group the machines,
// choose some and act on them.
import { naturalOrder } from '../../../lib/natural-order.ts';
import { fittingActions } from '../../actions/actions.ts';
import { linkButton } from '../../kit/controls.ts';
import { durationText, html, type Markup, plural } from '../../kit/markup.ts';
import { emptyState, notice, stat } from '../../kit/surfaces.ts';
import { type RowGroup, table } from '../../kit/table.ts';
import {
  fitsOnly,
  type GroupName,
  machinesAddress,
  type MachineQuery,
  queryText,
  valueOf,
} from '../../read/machine-query.ts';
import type { MachineRow } from '../../read/machine-rows.ts';
import { actionOrder, bulkBar, fitsMask } from './bulk.ts';
import { machineColumns } from './cells.ts';
import { drawnRacks, elevation } from './elevation.ts';
import { filterBar } from './filters.ts';

export interface MachinesPage {
  readonly all: readonly MachineRow[];
  /** Those that fit the query, in its order. */
  readonly selected: readonly MachineRow[];
  /** The machines whose rows are sent; undefined: all. A live page asks for those that have changed. */
  readonly changed: ReadonlySet<string> | undefined;
  readonly query: MachineQuery;
  /** How many new machines were found that go no further. */
  readonly stopped: number;
  /** The current time in milliseconds since 1970. */
  readonly now: number;
}

export function machinesView(page: MachinesPage): Markup {
  const { all, query } = page;
  const racks = drawnRacks(all);
  if (all.length === 0)
    return html`<h1 class="hidden">Machines</h1>
      ${stoppedNotice(page)} ${nothingYet()}`;
  return html`<h1 class="hidden">Machines</h1>
    <div class="machines ${racks.length === 0 ? '' : 'with-rack'}">
      ${racks.length === 0 ? '' : elevation(all, query, racks)}
      <div class="stack">
        <div class="machine-stats">
          <div class="grid" id="counts" data-live>${stats(page)}</div>
          ${linkButton('/ui/add', { label: 'Add machines', look: 'primary', icon: 'add' })}
        </div>
        ${stoppedNotice(page)}
        <section class="card" aria-label="Machines">${filterBar(all, query)} ${machineTable(page)}</section>
      </div>
    </div>`;
}

const questionMark = (text: string): string => (text === '' ? '' : `?${text}`);

function stats({ all, query }: MachinesPage): readonly Markup[] {
  const [troubled, working] = (['problems', 'working'] as const).map((name) =>
    all.filter(fitsOnly[name]),
  ) as [MachineRow[], MachineRow[]];
  const inState = (state: string) => all.filter((row) => row.state === state).length;
  return [
    stat({
      value: troubled.length,
      label: troubled.length === 1 ? 'needs you' : 'need you',
      href: machinesAddress(query, { only: 'problems' }),
      ...(troubled.length > 0 && { tone: 'broken' as const }),
      isCurrent: query.only === 'problems',
    }),
    stat({
      value: working.length,
      label: `working${lastDone(working)}`,
      href: machinesAddress(query, { only: 'working' }),
      isCurrent: query.only === 'working',
    }),
    ...(['active', 'available'] as const).map((state) =>
      stat({
        value: inState(state),
        label: state,
        href: machinesAddress(query, { state }),
        isCurrent: query.values.state === state,
      }),
    ),
  ];
}

/** Says when the last of the machines is done, if how long their work takes is known of all. */
function lastDone(working: readonly MachineRow[]): string {
  const left = working.map(({ progress }) =>
    progress?.usual === undefined ? undefined : progress.usual - progress.age,
  );
  const known = left.filter((each) => each !== undefined);
  if (known.length === 0) return '';
  const last = Math.max(...known);
  if (last <= 0) return ', longer than usual';
  return known.length < left.length
    ? `, the last known one done in about ${durationText(last)}`
    : `, last one done in about ${durationText(last)}`;
}

const stoppedNotice = ({ stopped }: MachinesPage): Markup =>
  stopped === 0
    ? html``
    : notice(
        'attention',
        html`${plural(stopped, 'new machine')} ${stopped === 1 ? 'goes' : 'go'} no further.
          <a href="/ui/add/discovered">See why</a>`,
      );

function machineTable(page: MachinesPage): Markup {
  const { selected, query, now } = page;
  if (selected.length === 0)
    return emptyState({
      icon: 'filter',
      title: 'No machine fits',
      text: query.q === '' ? 'No machine fits these filters.' : html`No machine fits “${query.q}”.`,
      buttons: [linkButton('/ui/', { label: 'Show all machines' })],
    });
  return html`<form
    id="rack"
    method="post"
    action="/ui/actions${questionMark(queryText(query))}"
    data-actions="${actionOrder()}"
  >
    <div class="flush">
      ${table({
        about: plural(selected.length, 'machine'),
        columns: machineColumns(query, now),
        look: 'machine-table',
        rows: sentRows(page, selected),
        groups: query.group === undefined ? undefined : groupsOf(page, query.group),
        rowId: ({ uuid }) => `node-${uuid}`,
        rowAttributes: (row) => rowAttributes(row, query.group),
      })}
    </div>
    ${bulkBar(query.action)}
  </form>`;
}

const sentRows = ({ changed }: MachinesPage, rows: readonly MachineRow[]): readonly MachineRow[] =>
  changed === undefined ? rows : rows.filter(({ uuid }) => changed.has(uuid));

/** `data-works`: the row changes while time goes by. `data-group`: a row that changes its group needs another place. */
const rowAttributes = (row: MachineRow, group: GroupName | undefined): Markup =>
  html`data-fits="${fitsMask(fittingActions(row))}" ${row.progress === undefined ? '' : html`data-works`}
  ${group === undefined ? '' : html`data-group="${valueOf[group](row)}"`}`;

function groupsOf(page: MachinesPage, name: GroupName): readonly RowGroup<MachineRow>[] {
  const groups = [...Map.groupBy(page.selected, valueOf[name])].toSorted(([a], [b]) =>
    a === '' || b === '' ? Number(a === '') - Number(b === '') : naturalOrder(a, b),
  );
  return groups.map(([value, rows], index) => ({
    id: `group-${index}`,
    title: html`${value === '' ? `no ${name}` : value} <span class="count">${rows.length}</span>`,
    rows: sentRows(page, rows),
  }));
}

const nothingYet = (): Markup =>
  html`<section class="card">
    ${emptyState({
      icon: 'servers',
      title: 'No machine yet',
      text: html`Type the address and the login of a BMC, bring a list of many, or let machines appear by
        themselves: found BMCs and machines that boot from the network wait for you to accept them.
        <a href="/ui/setup">What else a new site needs</a>`,
      buttons: [
        linkButton('/ui/add', { label: 'By BMC', look: 'primary', icon: 'add' }),
        linkButton('/ui/add/many', { label: 'Many from a list', icon: 'upload' }),
        linkButton('/ui/add/discovered', { label: 'Discovered', icon: 'search' }),
      ],
    })}
  </section>`;
