// How the BMC misbehaves in the sweep.
import { setTimeout } from 'node:timers/promises';
import type { InjectedFault } from '#plugin-api/fake-redfish';

export interface Misbehaviour extends Pick<InjectedFault, 'does' | 'times'> {
  readonly name: string;
}

const always = { times: 1_000_000 };
const answer = (status: number, more: { readonly text?: string } = {}) =>
  ({ kind: 'answer', status, ...more }) as const;

/** Types that no field of a resource has. */
const WRONG_SHAPE = JSON.stringify({
  '@odata.id': 5,
  '@odata.type': '#Wrong.Wrong',
  Members: 'none',
  Links: [],
  Actions: 1,
  Boot: 'Pxe',
  PowerState: {},
  Attributes: [],
  Status: 'OK',
  Drives: {},
  Temperatures: 'hot',
});

/** Each lasts as long as the operation. */
export const lasting: readonly Misbehaviour[] = [
  ...[400, 403, 404, 500, 501, 503].map((status) => ({
    name: String(status),
    ...always,
    does: answer(status),
  })),
  { name: '200 HTML', ...always, does: answer(200, { text: '<html><body>Log in</body></html>' }) },
  { name: '200 {}', ...always, does: answer(200, { text: '{}' }) },
  { name: '200 wrong shape', ...always, does: answer(200, { text: WRONG_SHAPE }) },
  { name: 'half an answer', ...always, does: { kind: 'half' } },
];

/** Each happens once; no operation may fail for it. */
export const passing: readonly Misbehaviour[] = [
  ...[500, 503].map((status) => ({ name: `${status} once`, does: answer(status) })),
  { name: 'HTML once', does: answer(200, { text: '<html><body>Starting</body></html>' }) },
  { name: 'half an answer once', does: { kind: 'half' } },
  { name: 'late once', does: { kind: 'late', until: () => setTimeout(5) } },
];
