// What scenarios are made of.
import type { Conversation } from '../conversation.ts';

export type Scenario = (conversation: Conversation) => Promise<void>;

/** One of each kind of value that clients may send by mistake or on purpose. */
export const SPECIMENS: readonly unknown[] = [
  'text',
  '',
  '5',
  'true',
  '00000000-0000-4000-8000-00000000ffff',
  'CUSTOM_TRAIT',
  '52:54:00:aa:bb:01',
  5,
  -1,
  1.5,
  true,
  false,
  null,
  {},
  { key: 1 },
  [],
  ['text'],
  'x'.repeat(300),
];

/** Bodies that are sent by mistake in place of an object with arguments. */
export const BODIES: readonly unknown[] = [undefined, '', '{', {}, [], null, 5, { unknown: 1 }];

/** `BODIES`, a body with the argument `name` for each of the values, and one with the first value and an unknown argument. */
export const withArguments = (name: string, values: readonly unknown[]) => [
  ...BODIES,
  ...values.map((value) => ({ [name]: value })),
  { [name]: values[0], unknown: 1 },
];
