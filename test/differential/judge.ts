// Which of the differences that were found are intended, and which intended ones no longer occur.
import { isDeepStrictEqual } from 'node:util';
import type { Found } from './conversation.ts';
import type { IntendedDifference } from './intended-differences.ts';
import type { Release } from './ironic-process.ts';

export interface Verdict {
  readonly unintended: readonly Found[];
  readonly stale: readonly IntendedDifference[];
  /** How often each intended difference occurred. */
  readonly occurred: ReadonlyMap<IntendedDifference, number>;
}

export function judge(
  found: readonly Found[],
  intended: readonly IntendedDifference[],
  release: Release,
): Verdict {
  const expected = intended.filter(({ only }) => only === undefined || only === release);
  const occurred = new Map(expected.map((each) => [each, 0]));
  const unintended = found.filter((difference) => {
    const reason = expected.find((each) => covers(each, difference));
    if (reason !== undefined) occurred.set(reason, (occurred.get(reason) ?? 0) + 1);
    return reason === undefined;
  });
  return { unintended, stale: expected.filter((each) => occurred.get(each) === 0), occurred };
}

/** What patterns of requests are matched against. */
export const requestText = ({ method, path, body }: Found): string => `${method} ${path} ${body}`.trim();

const STATUS = /^status$/;

function covers(intended: IntendedDifference, found: Found): boolean {
  return (
    intended.request.test(requestText(found)) &&
    (intended.aspect ?? STATUS).test(found.aspect) &&
    (!('theirs' in intended) || isAs(intended.theirs, found.theirs)) &&
    (!('ours' in intended) || isAs(intended.ours, found.ours))
  );
}

const isAs = (expected: unknown, value: unknown): boolean =>
  expected instanceof RegExp ? expected.test(String(value)) : isDeepStrictEqual(expected, value);
