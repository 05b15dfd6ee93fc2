// Which of the differences that were found are intended, and which intended ones no longer occur.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { Found } from './conversation.ts';
import type { Release } from './ironic-process.ts';

export interface IntendedDifference {
  readonly reason: string;
  /** Pattern of `METHOD /path body`. */
  readonly request: string;
  /** Pattern of what differs: `status`, `header location`, `body.nodes[].name`. Not set: the status. */
  readonly aspect?: string;
  /** The value in Ironic's answer (`ours`: in the daemon's), or a list of possible values; any value unless given. */
  readonly theirs?: unknown;
  readonly ours?: unknown;
  /** The release of Ironic that differs; both unless given. */
  readonly only?: Release;
}

/**
 * Every intended difference from OpenStack's Ironic. Any other difference is a fault of this daemon; an intended
 * difference that no longer occurs is a fault of the list.
 */
export const intendedDifferences = (): readonly IntendedDifference[] =>
  JSON.parse(
    readFileSync(join(import.meta.dirname, 'intended-differences.json'), 'utf8'),
  ) as IntendedDifference[];

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
  const expected = intended
    .filter(({ only }) => only === undefined || only === release)
    .map((each) => ({ each, covers: matcher(each) }));
  const occurred = new Map(expected.map(({ each }) => [each, 0]));
  const unintended = found.filter((difference) => {
    const reason = expected.find(({ covers }) => covers(difference))?.each;
    if (reason !== undefined) occurred.set(reason, (occurred.get(reason) ?? 0) + 1);
    return reason === undefined;
  });
  const stale = [...occurred].filter(([, count]) => count === 0).map(([each]) => each);
  return { unintended, stale, occurred };
}

/** The text that the pattern of an intended difference is matched against: `METHOD /path body`. */
export const requestText = ({ method, path, body }: Found): string => `${method} ${path} ${body}`.trim();

function matcher(intended: IntendedDifference): (found: Found) => boolean {
  const request = new RegExp(intended.request);
  const aspect = new RegExp(intended.aspect ?? '^status$');
  return (found) =>
    aspect.test(found.aspect) &&
    request.test(requestText(found)) &&
    (!('theirs' in intended) || isOneOf(intended.theirs, found.theirs)) &&
    (!('ours' in intended) || isOneOf(intended.ours, found.ours));
}

const isOneOf = (expected: unknown, value: unknown): boolean =>
  [expected].flat().some((each) => isDeepStrictEqual(each, value));
