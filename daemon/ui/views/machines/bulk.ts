// The bar below the list of machines: what can be done with those that are chosen.
import { actions } from '../../actions/actions.ts';
import { menu } from '../../kit/controls.ts';
import { html, type Markup } from '../../kit/markup.ts';

const POWER = ['power-on', 'power-off', 'soft-power-off', 'reboot'] as const;
const CLEAN = ['erase-metadata', 'erase-disks'] as const;
/** Not in a menu of its own, or done by the form of a page. */
const ELSEWHERE: ReadonlySet<string> = new Set([...POWER, ...CLEAN, 'deploy']);

/** `asked`: the action that was requested without a machine; its button then is at hand. */
export const bulkBar = (asked: string | undefined): Markup =>
  html`<div class="bulk changes" id="bulk">
    <b id="chosen" role="status"
      >${asked === undefined ? html`<span class="soft-text">With the chosen machines:</span>` : 'Choose at least one machine.'}</b
    >
    ${asked === undefined || actions[asked] === undefined ? '' : actionButton(asked)}
    <button class="primary" name="action" value="deploy" data-action="deploy">Deploy...</button>
    ${menu('bulk-power', { label: 'Power', icon: 'power', side: 'left', items: POWER.map(actionButton) })}
    ${menu('bulk-clean', { label: 'Clean...', side: 'left', items: CLEAN.map(actionButton) })}
    ${menu('bulk-more', {
      label: 'More',
      side: 'left',
      items: Object.keys(actions)
        .filter((name) => !ELSEWHERE.has(name))
        .map(actionButton),
    })}
    <span class="aside" data-hint></span>
  </div>`;

const actionButton = (name: string): Markup =>
  html`<button
    name="action"
    value="${name}"
    class="${actions[name]?.loses === undefined ? '' : 'losing'}"
    data-action="${name}"
  >
    ${actions[name]?.label}${actions[name]?.loses === undefined ? '' : '...'}
  </button>`;

/** A number with a bit for each action that fits, in the order of `actions`, so that a row says it in few characters. */
export const fitsMask = (fitting: readonly string[]): string => {
  const names = Object.keys(actions);
  return fitting.reduce((mask, name) => mask + 2 ** names.indexOf(name), 0).toString(36);
};

/** The names of the actions in the order of the bits. */
export const actionOrder = (): string => Object.keys(actions).join(' ');
