// The part of the discovered machines with BMCs that were found: those whose machines nobody expects, and those whose machines have
// stopped.
import type { FoundBmc } from '../../../model/zero-touch/found-bmc.ts';
import { button } from '../../kit/controls.ts';
import { inputField } from '../../kit/fields.ts';
import { html, type Markup, plural, timeAgo } from '../../kit/markup.ts';
import { badge, card } from '../../kit/surfaces.ts';
import type { Inbox } from '../../read/inbox.ts';

/** `now`: milliseconds since 1970. */
export function foundBmcsPart({ unexpected, stopped, underWay }: Inbox, now: number): Markup {
  return html`${stopped.length === 0 ? '' : stoppedPart(stopped, now)}
  ${unexpected.length === 0 ? '' : unexpectedPart(unexpected, now)}
  ${
    underWay.length === 0
      ? ''
      : card({
          title: `${plural(underWay.length, 'new machine')} under way`,
          flush: true,
          body: html`<ul class="entries" id="taken-in">
            ${underWay.map((bmc) => html`<li>${sighting(bmc, now)} ${badge(bmc.stage, 'working')}</li>`)}
          </ul>`,
        })
  }`;
}

const stoppedPart = (bmcs: readonly FoundBmc[], now: number): Markup =>
  html`<form method="post" action="/ui/add/found/continue">
    ${card({
      title: 'New machines that go no further',
      aside: String(bmcs.length),
      flush: true,
      body: html`<ul class="entries">
        ${bmcs.map((bmc) => html`<li>${choice(bmc, now)}<span class="text-broken full">${bmc.reason}</span></li>`)}
      </ul>`,
      footer: button({ label: 'Continue the chosen' }),
    })}
  </form>`;

/** Machines of the same make, which are often accepted together. */
const kindOf = ({ vendor, product }: FoundBmc): string =>
  [vendor, product].filter((each) => each !== null).join(' ') || 'unknown make';

const unexpectedPart = (bmcs: readonly FoundBmc[], now: number): Markup =>
  html`<form method="post" action="/ui/add/found/accept">
    ${card({
      title: 'BMCs whose machines nobody expects',
      aside: String(bmcs.length),
      flush: true,
      body: html`<ul class="entries">
        ${bmcs.map((bmc) => html`<li>${choice(bmc, now)}<small class="full">${bmc.reason}</small></li>`)}
      </ul>`,
      footer: html`<div class="stack">
        <div class="form columns">
          ${inputField({ name: 'bmc_username', label: 'User of these BMCs', maxLength: 64 })}
          ${inputField({ name: 'bmc_password', label: 'Password', type: 'password', maxLength: 128 })}
          ${inputField({ name: 'resource_class', label: 'Resource class', maxLength: 80 })}
        </div>
        <div class="buttons">
          ${button({ label: 'Accept the chosen', look: 'primary' })}
          ${bmcs.map(({ uuid }) => html`<input type="hidden" name="shown" value="${uuid}" />`)}
          ${kindsOf(bmcs)} ${button({ label: `Accept all ${bmcs.length}`, name: 'all', value: 'true' })}
        </div>
        <small
          >Each becomes a node. Its BMC gets a password of its own, and the daemon inspects and cleans
          it.</small
        >
      </div>`,
    })}
  </form>`;

/** A button for each kind, if there are several. */
function kindsOf(bmcs: readonly FoundBmc[]): readonly Markup[] {
  const kinds = Map.groupBy(bmcs, kindOf);
  return kinds.size < 2
    ? []
    : [...kinds].map(([kind, own]) =>
        button({
          label: `Accept ${own.length} ${kind}`,
          name: 'kind',
          value: own.map(({ uuid }) => uuid).join(' '),
        }),
      );
}

const choice = (bmc: FoundBmc, now: number): Markup =>
  html`<label class="check"
    ><input type="checkbox" name="bmc" value="${bmc.uuid}" /><span>${sighting(bmc, now)}</span></label
  >`;

function sighting(bmc: FoundBmc, now: number): Markup {
  const { address, mac, vendor, product, hostname, serial_number: serial, node_uuid: node, last_seen } = bmc;
  const known = [vendor, product, serial ?? hostname, mac].filter((each) => each !== null);
  return html`<strong>${address ?? 'no address'}</strong> ${known.join(' ')}
    ${node === null ? '' : html`<a href="/ui/nodes/${node}">node</a>`}
    <small>seen ${timeAgo(last_seen, now)}</small>`;
}
