// The columns of the list of machines.
import { durationText, html, type Markup } from '../../kit/markup.ts';
import { stateMark } from '../../kit/state.ts';
import { progressBar } from '../../kit/surfaces.ts';
import type { Column } from '../../kit/table.ts';
import { type ColumnName, machinesAddress, type MachineQuery } from '../../read/machine-query.ts';
import type { MachineRow, RowProgress } from '../../read/machine-rows.ts';
import { hasProblem, labelOf } from '../../read/machines.ts';

/** The current time in milliseconds since 1970. */
type Now = number;

const TITLES: Readonly<Record<ColumnName, string>> = {
  state: 'State',
  power: 'Power',
  class: 'Class',
  hardware: 'Hardware',
  image: 'Image',
  inlet: 'Inlet',
  rack: 'Place',
  driver: 'Driver',
  uuid: 'UUID',
};

export const columnTitle = (name: ColumnName): string => TITLES[name];

const CELLS: Readonly<Record<ColumnName, (row: MachineRow, now: Now) => Markup | string>> = {
  state: stateCell,
  power: ({ power, watts }) =>
    html`${power?.replace('power ', '') ?? 'unknown'}${watts === null ? '' : html` <small>${Math.round(watts)} W</small>`}`,
  class: ({ resourceClass }) => resourceClass ?? '',
  hardware: hardwareText,
  image: imageCell,
  inlet: ({ inlet }) => (inlet === null ? '' : `${Math.round(inlet)} °C`),
  rack: ({ rack, unit }) => (unit === null ? rack : `${rack}, unit ${unit}`),
  driver: ({ driver }) => driver,
  uuid: ({ uuid }) => html`<code>${uuid}</code>`,
};

export function machineColumns(query: MachineQuery, now: Now): readonly Column<MachineRow>[] {
  const sort = (name: ColumnName | 'name') => {
    const isOwn = query.sort === name;
    return {
      href: machinesAddress(query, { sort: isOwn && !query.descending ? `-${name}` : name }),
      now: isOwn ? (query.descending ? ('descending' as const) : ('ascending' as const)) : undefined,
    };
  };
  return [
    { title: 'Choose', hidesTitle: true, key: 'c-choose', cell: choiceCell },
    { title: 'Machine', isName: true, key: 'c-name', sort: sort('name'), cell: nameCell },
    ...query.columns.map((name) => ({
      title: TITLES[name],
      key: `c-${name}`,
      sort: sort(name),
      cell: (row: MachineRow) => CELLS[name](row, now),
    })),
  ];
}

const choiceCell = (row: MachineRow): Markup =>
  html`<input type="checkbox" name="node" value="${row.uuid}" aria-label="Choose ${labelOf(row)}" />`;

const nameCell = (row: MachineRow): Markup =>
  html`<a href="/ui/nodes/${row.uuid}" title="${labelOf(row)}">${labelOf(row)}</a>`;

const waitText = (text: string | null): Markup | string =>
  text === null ? '' : html`<small class="cut" title="${text}">${text}</small>`;

function stateCell(row: MachineRow, now: Now): Markup {
  const { state, progress, since, waitsFor, step } = row;
  return html`<div class="in-state">
    ${stateMark(state)}
    ${
      progress === undefined
        ? html`<small>${since === null ? '' : ageText(since, now)}</small>${waitText(waitsFor)}`
        : html`${progressOf(row, progress)}${waitText(waitsFor ?? step ?? '')}`
    }
    ${hasProblem(row) ? html`<a class="what" href="/ui/nodes/${row.uuid}" aria-label="What to do about ${labelOf(row)}">what to do</a>` : ''}
    ${troubleOf(row)}
  </div>`;
}

const ageText = (since: string, now: Now): Markup =>
  html`<time datetime="${since}" title="since ${since.slice(0, 19).replace('T', ' ')} UTC"
    >${durationText(Math.max(0, (now - Date.parse(since)) / 1000))}</time
  >`;

function progressOf(row: MachineRow, { age, usual, step }: RowProgress): Markup {
  const about = `Work on ${labelOf(row)}`;
  const bar =
    usual === undefined
      ? progressBar(about, step === undefined ? { max: 1 } : { value: step.at - 1, max: step.of })
      : progressBar(about, { value: age, max: usual });
  return html`${bar}<span class="soft-text"
      >${[step === undefined ? '' : `${step.at} of ${step.of}`, remainingText(age, usual)].filter(Boolean).join(' · ')}</span
    >`;
}

/** `usual`: seconds; undefined where too little is known. */
function remainingText(age: number, usual: number | undefined): string {
  if (usual === undefined) return durationText(age);
  return age > usual
    ? `${durationText(age)}, usually ${durationText(usual)}`
    : `about ${durationText(usual - age)} left`;
}

const LONGEST = 160;
const shortened = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}...` : text);

/** Whether an operator keeps the daemon from the machine, and why. */
function keptOut(row: MachineRow): readonly [what: string, why: string] {
  if (row.quarantined) return ['quarantined', row.quarantineReason ?? ''];
  return row.maintenance ? ['maintenance', row.maintenanceReason ?? ''] : ['', ''];
}

/** Why an operator should look at the machine. */
function troubleOf(row: MachineRow): Markup {
  const { error, unhealthy } = row;
  const [kept, why] = keptOut(row);
  const reasons = [
    kept !== '' && html`<b>${kept}</b> ${why}`,
    error !== null && html`<span class="text-broken">${shortened(error)}</span>`,
    unhealthy.length > 0 && html`<span class="text-attention">${unhealthy.join(', ')}</span>`,
  ].filter((reason) => reason !== false);
  return reasons.length === 0
    ? html``
    : html`<div class="trouble-text" title="${error ?? why}">
        ${reasons.map((reason) => html`${reason} `)}
      </div>`;
}

/** Returns a text such as `32 c · 256 G · 2×1.9 T · 8 GPU`; empty for a machine that was not inspected. */
function hardwareText({ hardware }: MachineRow): string {
  if (hardware === undefined) return '';
  const { cores, threads, memory_mib: memory, disks, accelerators } = hardware;
  const sizes = Map.groupBy(disks, ({ bytes }) => bytesText(bytes));
  return [
    ...(cores === null ? (threads === null ? [] : [`${threads} threads`]) : [`${cores} c`]),
    ...(memory === null ? [] : [memoryText(memory)]),
    ...(sizes.size === 0
      ? []
      : [[...sizes].map(([size, all]) => `${all.length > 1 ? `${all.length}×` : ''}${size}`).join(' + ')]),
    ...(accelerators === null || accelerators === 0 ? [] : [`${accelerators} GPU`]),
  ].join(' · ');
}

const memoryText = (mib: number): string =>
  mib >= 1_048_576 ? `${rounded(mib / 1_048_576)} T` : `${rounded(mib / 1024)} G`;

const bytesText = (bytes: number): string =>
  bytes >= 1e12 ? `${rounded(bytes / 1e12)} T` : `${rounded(bytes / 1e9)} G`;

const rounded = (value: number): string =>
  value >= 10 ? value.toFixed(0) : String(Number(value.toFixed(1)));

function imageCell({ image }: MachineRow): Markup | string {
  if (image === null) return '';
  return html`<span title="${image}">${image.split('/').at(-1) || image}</span>`;
}
