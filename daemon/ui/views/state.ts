// Shows a provision state as a word with a shape, so that colour alone never carries the meaning.
import { classOf, isFailure, type ProvisionState } from '../../model/states/provision-states.ts';
import { html, type Markup } from './markup.ts';

type Look = 'failed' | 'busy' | 'held' | 'used' | 'free';

export function lookOf(state: ProvisionState): Look {
  if (isFailure(state)) return 'failed';
  const kind = classOf(state);
  if (kind === 'hold') return 'held';
  if (kind !== 'stable') return 'busy';
  return state === 'active' || state === 'rescue' ? 'used' : 'free';
}

const SHAPES: Readonly<Record<Look, Markup>> = {
  failed: html`<path d="M2 2l8 8M10 2l-8 8" />`,
  busy: html`<path d="M6 1a5 5 0 1 0 5 5" />`,
  held: html`<path d="M4 2v8M8 2v8" />`,
  used: html`<circle class="full" cx="6" cy="6" r="4" />`,
  free: html`<circle cx="6" cy="6" r="4" />`,
};

export function stateMark(state: ProvisionState): Markup {
  const look = lookOf(state);
  return html`<span class="state ${look}"
    ><svg class="shape" viewBox="0 0 12 12" aria-hidden="true">${SHAPES[look]}</svg> ${state}</span
  >`;
}
