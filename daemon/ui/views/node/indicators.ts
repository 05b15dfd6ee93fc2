// The lamps of a machine, as its BMC reports them, with buttons that switch them.
import type { IndicatorState } from '../../../model/machine/indicators.ts';
import type { IndicatorShown } from '../../read/node-tabs.ts';
import { html, type Markup } from '../../kit/markup.ts';
import { card, notice } from '../../kit/surfaces.ts';

/** `refusal`: why the indicators cannot be listed. */
export const indicatorsTab = (
  node: string,
  indicators: readonly IndicatorShown[],
  refusal: string | undefined,
): Markup =>
  card({
    title: 'Lamps',
    flush: refusal === undefined && indicators.length > 0,
    body:
      refusal !== undefined
        ? notice('broken', refusal)
        : indicators.length === 0
          ? html`<p>The machine has no lamp that its BMC can switch.</p>`
          : html`<ul class="entries">
              ${indicators.map(
                ({ name, readonly, states, state }) =>
                  html`<li>
                    <strong>${name}</strong> ${state ?? 'unknown'}
                    ${readonly ? '' : indicatorForm(node, name, states)}
                  </li>`,
              )}
            </ul>`,
  });

const indicatorForm = (node: string, name: string, states: readonly IndicatorState[]): Markup =>
  html`<form method="post" action="/ui/indicators" class="buttons">
    <input type="hidden" name="node" value="${node}" />
    <input type="hidden" name="indicator" value="${name}" />
    ${states
      .filter((state) => state !== 'unknown')
      .map(
        (state) =>
          html`<button name="state" value="${state}" aria-label="Set ${name} to ${state}">${state}</button> `,
      )}
  </form>`;
