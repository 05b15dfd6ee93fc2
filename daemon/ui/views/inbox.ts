// The view Inbox: machines and plugins that wait for a decision.
import type { QuarantinedNode } from '../../db/tables/quarantine.ts';
import type { UnknownMachine } from '../../model/records/machine-event.ts';
import { labelOf, type Machine } from '../read/machines.ts';
import { html, type Markup, plural, timeOf } from './markup.ts';

export interface Inbox {
  readonly unknown: readonly UnknownMachine[];
  readonly quarantined: readonly { readonly entry: QuarantinedNode; readonly machine: Machine | undefined }[];
  readonly discovered: readonly Machine[];
  readonly pluginsAside: readonly { readonly folder: string; readonly reason: string }[];
}

export const inboxView = (inbox: Inbox): Markup =>
  html`<h1>Inbox</h1>
    <section id="inbox" data-live data-every="15">
      ${isEmpty(inbox) ? html`<p>Nothing waits for you.</p>` : ''}
      ${part('Machines that belong to no node', inbox.unknown.map(unknownEntry))}
      ${part('Nodes in quarantine', inbox.quarantined.map(quarantineEntry))}
      ${part('Discovered machines that nobody has accepted', inbox.discovered.map(discoveredEntry))}
      ${part('Plugins that were set aside', inbox.pluginsAside.map(pluginEntry))}
    </section>`;

const isEmpty = (inbox: Inbox): boolean => Object.values(inbox).every((entries) => entries.length === 0);

const part = (title: string, entries: readonly Markup[]): Markup =>
  entries.length === 0
    ? html``
    : html`<h2>${title}</h2>
        <ul class="entries">
          ${entries.map((entry) => html`<li>${entry}</li>`)}
        </ul>`;

const unknownEntry = ({ machine, first_seen, last_seen, events, last_event }: UnknownMachine): Markup =>
  html`<strong>${machine}</strong> ${last_event}
    <small>${plural(events, 'event')} from ${timeOf(first_seen)} to ${timeOf(last_seen)}</small>
    <details>
      <summary>Enrol it</summary>
      <pre>
baremetal node create --driver ipmi --name NAME --driver-info ipmi_address=ADDRESS ...
baremetal port create --node NAME ${machine}</pre>
    </details>`;

const link = (machine: Machine): Markup => html`<a href="/ui/nodes/${machine.uuid}">${labelOf(machine)}</a>`;

const quarantineEntry = ({ entry, machine }: Inbox['quarantined'][number]): Markup =>
  html`${machine === undefined ? entry.node_uuid : link(machine)} ${entry.reason}
    <small>since ${timeOf(entry.since)}</small>
    ${actionButton(entry.node_uuid, 'release', 'release...')}`;

const discoveredEntry = (machine: Machine): Markup =>
  html`${link(machine)} ${actionButton(machine.uuid, 'manage', 'manage')}`;

const pluginEntry = ({ folder, reason }: Inbox['pluginsAside'][number]): Markup =>
  html`<code>${folder}</code> ${reason}`;

const actionButton = (uuid: string, action: string, label: string): Markup =>
  html`<form method="post" action="/ui/actions">
    <input type="hidden" name="node" value="${uuid}" />
    <button name="action" value="${action}">${label}</button>
  </form>`;
