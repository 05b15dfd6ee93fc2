// Shows a provision state as a word with a shape, so that colour alone never carries the meaning.
import { classOf, isFailure, type ProvisionState, stateFacts } from '../../model/states/provision-states.ts';
import { html, type Markup } from './markup.ts';

/** What a colour and a shape say: in use and well, being worked on, waiting for a person, broken, or free for use. */
export type Tone = 'good' | 'working' | 'attention' | 'broken' | 'idle';

export function toneOf(state: ProvisionState): Tone {
  if (isFailure(state)) return 'broken';
  const kind = classOf(state);
  if (kind === 'hold') return 'attention';
  if (kind !== 'stable') return 'working';
  const { work, inUse } = stateFacts({ provision_state: state });
  return inUse || work === 'rescue' ? 'good' : 'idle';
}

const SHAPES: Readonly<Record<Tone, Markup>> = {
  good: html`<circle class="full" cx="6" cy="6" r="5" />`,
  working: html`<circle cx="6" cy="6" r="4.6" /><path class="full" d="M6 1.4a4.6 4.6 0 0 1 0 9.2z" />`,
  attention: html`<path class="full" d="M6 0.6 11.4 6 6 11.4 0.6 6z" />`,
  broken: html`<path class="full" d="M6 0.8 11.6 11H0.4z" />`,
  idle: html`<circle cx="6" cy="6" r="4.6" />`,
};

/** The shape in a square of 12 pixels, for drawings; `toneShape` is for texts. */
export const shapeInDrawing = (tone: Tone): Markup => html`<g class="shape">${SHAPES[tone]}</g>`;

export const toneShape = (tone: Tone): Markup =>
  html`<svg class="shape" viewBox="0 0 12 12" aria-hidden="true">${SHAPES[tone]}</svg>`;

/** A word with the shape and the colour of its tone. */
export const toneMark = (tone: Tone, word: string): Markup =>
  html`<span class="state ${tone}">${toneShape(tone)} <span class="word">${word}</span></span>`;

export const stateMark = (state: ProvisionState): Markup => toneMark(toneOf(state), state);
