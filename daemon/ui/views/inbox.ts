// The view Inbox: machines and plugins that wait for a decision.
import type { QuarantinedNode } from '../../db/tables/quarantine.ts';
import { parseMac } from '../../lib/network/mac.ts';
import type { UnknownMachine } from '../../model/records/machine-event.ts';
import { labelOf, type Machine } from '../read/machines.ts';
import { actionForm } from './forms.ts';
import { html, type Markup, plural, timeOf } from './markup.ts';

export interface Inbox {
  readonly unknown: readonly UnknownMachine[];
  readonly quarantined: readonly { readonly entry: QuarantinedNode; readonly machine: Machine | undefined }[];
  readonly discovered: readonly Machine[];
  readonly pluginsAside: readonly { readonly folder: string; readonly reason: string }[];
}

export function inboxView(inbox: Inbox): Markup {
  const [unknown, ignored] = [false, true].map((wanted) =>
    inbox.unknown.filter((machine) => machine.ignored === wanted),
  ) as [UnknownMachine[], UnknownMachine[]];
  return html`<h1>Inbox</h1>
    <section id="inbox" data-live data-every="15">
      ${isEmpty(inbox) ? html`<p>Nothing waits for you.</p>` : ''}
      ${part('Machines that belong to no node', unknown.map(unknownEntry))}
      ${
        ignored.length === 0
          ? ''
          : html`<details id="ignored">
              <summary>${plural(ignored.length, 'ignored machine')}</summary>
              ${part('Ignored', ignored.map(ignoredEntry))}
            </details>`
      }
      ${part('Nodes in quarantine', inbox.quarantined.map(quarantineEntry))}
      ${part('Discovered machines that nobody has accepted', inbox.discovered.map(discoveredEntry))}
      ${part('Plugins that were set aside', inbox.pluginsAside.map(pluginEntry))}
    </section>`;
}

const isEmpty = (inbox: Inbox): boolean => Object.values(inbox).every((entries) => entries.length === 0);

const part = (title: string, entries: readonly Markup[]): Markup =>
  entries.length === 0
    ? html``
    : html`<h2>${title}</h2>
        <ul class="entries">
          ${entries.map((entry) => html`<li>${entry}</li>`)}
        </ul>`;

const unknownEntry = (unknown: UnknownMachine): Markup =>
  html`${sighting(unknown)}
  ${
    parseMac(unknown.machine) === undefined
      ? html`<small>Its MAC address is not known yet.</small>`
      : html`<a href="/ui/inbox/enrol?machine=${encodeURIComponent(unknown.machine)}">Accept...</a>`
  }
  ${ignoreForm(unknown, 'ignore')}`;

const ignoredEntry = (unknown: UnknownMachine): Markup =>
  html`${sighting(unknown)} ${ignoreForm(unknown, 'show again')}`;

const sighting = ({ machine, first_seen, last_seen, events, last_event }: UnknownMachine): Markup =>
  html`<strong>${machine}</strong> ${last_event}
    <small>${plural(events, 'event')} from ${timeOf(first_seen)} to ${timeOf(last_seen)}</small>`;

const ignoreForm = ({ machine, ignored }: UnknownMachine, label: string): Markup =>
  html`<form method="post" action="/ui/inbox/ignore">
    <input type="hidden" name="machine" value="${machine}" />
    <button name="ignored" value="${ignored ? 'false' : 'true'}" aria-label="${label} ${machine}">
      ${label}
    </button>
  </form>`;

const link = (machine: Machine): Markup => html`<a href="/ui/nodes/${machine.uuid}">${labelOf(machine)}</a>`;

const quarantineEntry = ({ entry, machine }: Inbox['quarantined'][number]): Markup =>
  html`${machine === undefined ? entry.node_uuid : link(machine)} ${entry.reason}
    <small>since ${timeOf(entry.since)}</small>
    ${actionForm(entry.node_uuid, 'release', { label: 'release...' })}`;

const discoveredEntry = (machine: Machine): Markup =>
  html`${link(machine)} ${actionForm(machine.uuid, 'manage', { label: 'manage' })}`;

const pluginEntry = ({ folder, reason }: Inbox['pluginsAside'][number]): Markup =>
  html`<code>${folder}</code> ${reason}`;
