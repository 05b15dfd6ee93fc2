// Chooses the header If-Match of a PATCH: some BMCs require it, some refuse the ETag that they sent, some want the ETag in
// another form.

/** The form of If-Match that has worked on this BMC. */
export type MatchHabit = 'as sent' | 'strong' | 'none';

/** How a PATCH was sent or is to be sent. */
interface Attempt {
  readonly habit: MatchHabit;
  /** Whether the ETag was read just before the request. */
  readonly isFresh: boolean;
}

/** Returns the value of If-Match; undefined when the request is to have no If-Match. `etag`: as the BMC sent it. */
export function ifMatch(etag: string | undefined, habit: MatchHabit): string | undefined {
  const tag = etag === undefined ? '' : once(etag);
  if (habit === 'none' || EMPTY.test(tag)) return undefined;
  return habit === 'strong' && tag.startsWith('W/') ? tag.slice(2) : tag;
}

const EMPTY = /^(?:W\/)?"*$/;

/** Some BMCs put two pairs of quotes around an ETag, or backslashes before its quotes. */
const once = (etag: string): string => etag.trim().replaceAll('\\"', '"').replaceAll('""', '"');

/** Returns the next attempt after status 412 or 428; undefined when no other attempt can help. */
export function nextAttempt({ habit, isFresh }: Attempt, status: number): Attempt | undefined {
  if (!isFresh) return { habit: status === 428 ? 'as sent' : habit, isFresh: true };
  if (status === 428) return undefined;
  if (habit === 'as sent') return { habit: 'strong', isFresh };
  return habit === 'strong' ? { habit: 'none', isFresh } : undefined;
}
