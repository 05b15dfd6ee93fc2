// The tab By network boot: what to do so that machines appear by themselves, and what was heard of them so far.
import type { UnknownMachine } from '../../../model/records/machine-event.ts';
import { html, type Markup } from '../../kit/markup.ts';
import { toneMark } from '../../kit/state.ts';
import { card, emptyState } from '../../kit/surfaces.ts';
import { unknownPart } from './discovered.ts';

export interface BootTab {
  readonly unknown: readonly UnknownMachine[];
  /** Whether the daemon gives addresses, serves boot files, and what becomes of machines without a node. */
  readonly givesAddresses: boolean;
  readonly servesTftp: boolean;
  readonly servesHttp: boolean;
  readonly enrolsUnknown: boolean;
  /** The current time in milliseconds since 1970. */
  readonly now: number;
}

export const bootView = (page: BootTab): Markup =>
  html`<div class="split">
    <section id="heard" class="stack" data-live data-every="5">
      ${
        page.unknown.length === 0
          ? html`<section class="card">
              ${emptyState({
                icon: 'network',
                title: 'No machine was heard yet',
                text: 'As soon as a machine without a node asks for an address or a boot file, it appears here.',
              })}
            </section>`
          : unknownPart(page.unknown, page.now)
      }
    </section>
    <div class="stack">
      ${card({
        title: 'What to do',
        body: html`<ol class="steps">
          <li>Connect the machine to the network that this daemon serves</li>
          <li>In its firmware, put the network first in the boot order</li>
          <li>
            Power it on<small
              >${
                page.enrolsUnknown
                  ? 'It boots the ramdisk, is inspected, and becomes a node in state enroll.'
                  : 'It appears here by the MAC address with which it boots. Accept it, with the login of its BMC.'
              }</small
            >
          </li>
        </ol>`,
      })}
      ${card({
        title: 'What is served',
        body: html`<div class="stack">
          ${served(page.givesAddresses, 'Addresses (DHCP)', '[dhcp_server] subnet')}
          ${served(page.servesTftp, 'Boot files (TFTP)', '[tftp_server] enabled')}
          ${served(page.servesHttp, 'Boot files (HTTP)', '[boot_http] port')}
          ${served(page.enrolsUnknown, 'Unknown machines become nodes', '[auto_discovery] enabled')}
        </div>`,
      })}
    </div>
  </div>`;

const served = (isOn: boolean, what: string, option: string): Markup =>
  html`<div>
    ${toneMark(isOn ? 'good' : 'idle', what)}
    <small>${isOn ? 'on' : html`off: <code>${option}</code>`}</small>
  </div>`;
