// The tab Discovered: machines that appeared by themselves and wait for a decision.
import { parseMac } from '../../../lib/network/mac.ts';
import type { UnknownMachine } from '../../../model/records/machine-event.ts';
import { button, linkButton } from '../../kit/controls.ts';
import { html, type Markup, plural, timeAgo } from '../../kit/markup.ts';
import { card, emptyState } from '../../kit/surfaces.ts';
import type { Inbox } from '../../read/inbox.ts';
import { labelOf, type ShownMachine } from '../../read/machines.ts';
import { actionForm } from '../forms.ts';
import { foundBmcsPart } from './found-bmcs.ts';

export interface DiscoveredPage {
  readonly inbox: Inbox;
  /** The networks in which the daemon looks for BMCs. */
  readonly networks: readonly string[];
  /** The current time in milliseconds since 1970. */
  readonly now: number;
}

export function discoveredView({ inbox, networks, now }: DiscoveredPage): Markup {
  const { false: unknown = [], true: ignored = [] } = Object.groupBy(inbox.unknown, (machine) =>
    machine.ignored ? 'true' : 'false',
  );
  const isEmpty = Object.values(inbox).every((entries) => entries.length === 0);
  return html`<section id="inbox" class="stack" data-live data-every="15">
    ${isEmpty ? nothingWaits(networks) : ''} ${foundBmcsPart(inbox, now)} ${unknownPart(unknown, now)}
    ${
      inbox.discovered.length === 0
        ? ''
        : card({
            title: 'Discovered machines that nobody has accepted',
            aside: String(inbox.discovered.length),
            flush: true,
            body: html`<ul class="entries">
              ${inbox.discovered.map(discoveredEntry)}
            </ul>`,
          })
    }
    ${
      ignored.length === 0
        ? ''
        : html`<details id="ignored">
            <summary>${plural(ignored.length, 'ignored machine')}</summary>
            <section class="card">
              <ul class="entries">
                ${ignored.map((machine) => html`<li>${sighting(machine, now)} ${ignoreForm(machine, 'show again')}</li>`)}
              </ul>
            </section>
          </details>`
    }
  </section>`;
}

const nothingWaits = (networks: readonly string[]): Markup =>
  html`<section class="card">
    ${emptyState({
      icon: 'inbox',
      title: 'Nothing waits for you',
      text:
        networks.length === 0
          ? html`The daemon does not look for BMCs: name their networks in
              <code>[zero_touch] bmc_networks</code>. Machines that boot from the network appear here too.`
          : html`The daemon looks for BMCs in ${networks.join(', ')}. Machines that boot from the network
            appear here too.`,
    })}
  </section>`;

/** Machines that were heard and belong to no node. */
export const unknownPart = (unknown: readonly UnknownMachine[], now: number): Markup =>
  unknown.length === 0
    ? html``
    : card({
        title: 'Machines that belong to no node',
        aside: String(unknown.length),
        flush: true,
        body: html`<ul class="entries">
          ${unknown.map((machine) => html`<li>${unknownEntry(machine, now)}</li>`)}
        </ul>`,
      });

const unknownEntry = (unknown: UnknownMachine, now: number): Markup =>
  html`${sighting(unknown, now)}
    <div class="buttons changes">
      ${
        parseMac(unknown.machine) === undefined
          ? html`<small>Its MAC address is not known yet.</small>`
          : linkButton(`/ui/add/unknown?machine=${encodeURIComponent(unknown.machine)}`, {
              label: 'Accept...',
              small: true,
            })
      }
      ${ignoreForm(unknown, 'ignore')}
    </div>`;

const sighting = (
  { machine, first_seen: first, last_seen: last, events, last_event: text }: UnknownMachine,
  now: number,
): Markup =>
  html`<strong class="mono">${machine}</strong> ${text}
    <small>${plural(events, 'event')}, first ${timeAgo(first, now)}, last ${timeAgo(last, now)}</small>`;

const ignoreForm = ({ machine, ignored }: UnknownMachine, label: string): Markup =>
  html`<form method="post" action="/ui/add/unknown/ignore">
    <input type="hidden" name="machine" value="${machine}" />
    ${button({ label, name: 'ignored', value: ignored ? 'false' : 'true', about: `${label} ${machine}`, small: true, look: 'quiet' })}
  </form>`;

const discoveredEntry = (machine: ShownMachine): Markup =>
  html`<li>
    <a href="/ui/nodes/${machine.uuid}">${labelOf(machine)}</a>
    <div class="buttons">
      ${actionForm(machine.uuid, 'manage', { label: 'manage', about: `Manage ${labelOf(machine)}` })}
    </div>
  </li>`;
