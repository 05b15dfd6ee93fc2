// The view Network: what is served on which interface, how full the pools are, who has which address, other DHCP servers, unknown
// clients, and which machine is plugged in where.
import type { ServedSubnet } from '../../../conductor/boot/served-subnets.ts';
import type { UnknownMachine } from '../../../model/records/machine-event.ts';
import {
  MOST_LEASES,
  type BootService,
  type ShownLease,
  type ShownNetwork,
} from '../../read/site/network.ts';
import type { Wiring } from '../../read/site/wiring.ts';
import { icon } from '../../kit/icon.ts';
import { durationText, html, type Markup, plural, timeAgo } from '../../kit/markup.ts';
import { toneMark } from '../../kit/state.ts';
import { card, emptyState, notice, pageHead } from '../../kit/surfaces.ts';
import { type Column, table } from '../../kit/table.ts';
import { command } from '../../kit/command.ts';
import { parseMac } from '../../../lib/network/mac.ts';
import { wiringCard } from './wiring.ts';

export interface NetworkPage extends ShownNetwork {
  readonly query: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly wiring: Wiring;
}

export const networkView = (page: NetworkPage): Markup =>
  html`${pageHead('Network', { lead: leadOf(page) })}
    <div class="stack" id="network">
      ${rivalsPart(page)} ${servedCard(page)} ${unknownCard(page)} ${wiringCard(page.wiring)}
      ${leasesCard(page)}
    </div>`;

function leadOf({ mode, subnets }: ShownNetwork): string {
  if (subnets.length === 0) return 'This daemon gives no addresses';
  return mode === 'server'
    ? `This daemon gives addresses in ${plural(subnets.length, 'subnet')}`
    : 'Another server gives the addresses; this daemon says what to boot';
}

const rivalsPart = ({ rivals, mode, now }: NetworkPage): Markup =>
  html`<div id="rivals" data-live class="stack">
    ${rivals.map(({ address, interface: name, last_seen: seen }) =>
      notice(
        mode === 'server' ? 'broken' : 'idle',
        html`<p>
            <strong>Another DHCP server, ${address}, gives addresses on ${name}</strong>
            <small>heard ${timeAgo(new Date(seen).toISOString(), now)}</small>
          </p>
          <p>
            Machines may take its offer and boot the files that it names. Switch it off, keep it out of this
            network, or let it give the addresses: [dhcp_server] mode = proxy. Which host it is:
          </p>
          ${command(`ip neigh show ${address}`)}`,
      ),
    )}
  </div>`;

const servedCard = ({ subnets, services }: NetworkPage): Markup =>
  card({
    title: 'What is served',
    id: 'served',
    live: true,
    flush: true,
    body: html`${
      subnets.length === 0
        ? emptyState({
            icon: 'network',
            title: 'No subnet is served',
            text: 'Machines get addresses from another server, or none. With [dhcp_server] subnet this daemon gives them.',
          })
        : table({ about: 'Subnets', columns: SUBNET_COLUMNS, rows: subnets })
    }${table({ about: 'Boot servers', columns: SERVICE_COLUMNS, rows: services })}`,
  });

const SUBNET_COLUMNS: readonly Column<ServedSubnet>[] = [
  { title: 'Subnet', isName: true, cell: ({ cidr }) => html`<span class="mono">${cidr}</span>` },
  {
    title: 'Interface',
    cell: ({ interface: name, address }) =>
      name === undefined ? 'by relays' : html`${name} <small class="mono">${address ?? ''}</small>`,
  },
  {
    title: 'Link',
    look: 'wide',
    cell: ({ interface: name, missing }) => {
      if (missing !== undefined) return lacking(missing);
      return name === undefined
        ? html`<small>not looked for: relays forward the requests</small>`
        : toneMark('good', 'served');
    },
  },
  { title: 'Pool', cell: poolOf },
];

const lacking = (missing: string): Markup =>
  html`${toneMark('broken', 'not served')} <small>${missing}</small>`;

const NEARLY_FULL = 0.9;

function poolOf({ cidr, size, leased, setAside, ranges }: ServedSubnet): Markup {
  if (size === 0) return html`<small>no range: this daemon gives no addresses here</small>`;
  const used = leased + setAside;
  const isFull = used >= size * NEARLY_FULL;
  return html`<div class="pool" title="${ranges.join(', ')}">
    <meter
      min="0"
      max="${size}"
      high="${size * NEARLY_FULL}"
      optimum="0"
      value="${used}"
      aria-label="Addresses of ${cidr} in use"
    ></meter>
    <span>${leased} of ${size}${setAside === 0 ? '' : `, ${setAside} set aside`}</span>
    ${isFull ? toneMark('attention', used >= size ? 'full' : 'nearly full') : ''}
  </div>`;
}

const SERVICE_COLUMNS: readonly Column<BootService>[] = [
  { title: 'Server', isName: true, cell: ({ name }) => name },
  { title: 'Where', look: 'soft', cell: ({ detail }) => html`<span class="mono">${detail}</span>` },
  {
    title: 'State',
    look: 'wide',
    cell({ isOn, missing }) {
      if (!isOn) return toneMark('idle', 'off');
      return missing === undefined ? toneMark('good', 'served') : lacking(missing);
    },
  },
];

function leasesCard(page: NetworkPage): Markup {
  const { leases, count, query, now, mode, subnets } = page;
  if (mode === 'proxy' || subnets.length === 0) return html``;
  const left = count.found - leases.length;
  return card({
    title: 'Leases',
    aside: html`<form method="get" action="/ui/network" class="row">
      <input
        type="search"
        name="q"
        value="${query}"
        maxlength="100"
        aria-label="Search leases"
        placeholder="Address, MAC, machine"
      />
      <button class="button small">Search</button>
    </form>`,
    flush: true,
    body: html`<div id="leases" data-live>
      ${
        leases.length === 0
          ? emptyState({
              icon: 'network',
              title: query === '' ? 'No machine has an address yet' : `No lease fits “${query}”`,
              text: `${plural(count.all, 'address', 'addresses')} given. A machine gets one when it boots from the network.`,
            })
          : table({ about: 'Leases', columns: leaseColumns(now), rows: leases })
      }
      ${left > 0 ? html`<p class="more">The ${MOST_LEASES} newest of ${count.found}; search to find the others.</p>` : ''}
    </div>`,
  });
}

const leaseColumns = (now: number): readonly Column<ShownLease>[] => [
  {
    title: 'Machine',
    isName: true,
    cell: ({ machine, mac }) => {
      if (machine !== undefined) return html`<a href="/ui/nodes/${machine.uuid}">${machine.label}</a>`;
      return mac === null
        ? html`<span class="text-attention">set aside: another host uses it</span>`
        : html`<small>no machine has this card</small>`;
    },
  },
  { title: 'Address', cell: ({ address }) => html`<span class="mono">${address}</span>` },
  { title: 'MAC', look: 'soft', cell: ({ mac }) => html`<span class="mono">${mac ?? ''}</span>` },
  { title: 'Given or renewed', look: 'soft', cell: ({ since }) => timeAgo(since, now) },
  { title: 'Ends', look: 'soft', cell: ({ until }) => timeLeft(until, now) },
  {
    title: 'Last seen by DHCP',
    look: 'wide',
    cell: ({ last }) =>
      last === undefined
        ? html``
        : html`<span class="${last.failed ? 'text-broken' : ''}">${last.text}</span>
            <small>${timeAgo(last.at, now)}</small>`,
  },
];

const timeLeft = (iso: string, now: number): Markup =>
  html`<time datetime="${iso}" title="${iso.slice(0, 19).replace('T', ' ')} UTC"
    >${durationText(Math.max(0, (Date.parse(iso) - now) / 1000))} left</time
  >`;

const unknownCard = ({ unknown, now }: NetworkPage): Markup =>
  unknown.length === 0
    ? html`<div id="unknown" data-live></div>`
    : card({
        title: 'Unknown clients',
        aside: 'asked the boot servers and belong to no machine',
        id: 'unknown',
        live: true,
        flush: true,
        body: table({ about: 'Unknown clients', columns: unknownColumns(now), rows: unknown }),
      });

const unknownColumns = (now: number): readonly Column<UnknownMachine>[] => [
  { title: 'Client', isName: true, cell: ({ machine }) => html`<span class="mono">${machine}</span>` },
  { title: 'Last event', look: 'wide', cell: ({ last_event: text }) => text },
  { title: 'Events', look: 'number', cell: ({ events }) => plural(events, 'event') },
  { title: 'First seen', look: 'soft', cell: ({ first_seen: at }) => timeAgo(at, now) },
  { title: 'Last seen', look: 'soft', cell: ({ last_seen: at }) => timeAgo(at, now) },
  {
    title: 'Add',
    hidesTitle: true,
    cell: ({ machine }) =>
      parseMac(machine) === undefined
        ? html``
        : html`<a class="button small" href="/ui/add/unknown?machine=${encodeURIComponent(machine)}"
            >${icon('add')} Add<span class="hidden"> ${machine}</span></a
          >`,
  },
];
