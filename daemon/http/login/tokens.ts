// The tokens of programs. They are long and random, so a plain hash of a token is safe to store and quick to compare.
import { createHash, randomBytes } from 'node:crypto';
import { ConfigurationError } from '../../config/configuration-error.ts';

const PREFIX = 'iet_';
const DIGEST = /^[0-9a-f]{64}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface TokenHolder {
  readonly user: string;
  /** Milliseconds since the epoch; undefined when the token does not expire. */
  readonly until: number | undefined;
}

/** The holder of each token, by the token's digest. */
export type Tokens = ReadonlyMap<string, TokenHolder>;

const digestOf = (token: string) => createHash('sha256').update(token).digest('hex');

/**
 * Returns a new token, and the line for the token file that makes the token valid. `until`: the day (UTC, YYYY-MM-DD) at whose
 * start the token expires.
 */
export function newToken(user: string, until?: string): { readonly token: string; readonly line: string } {
  const token = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  return { token, line: [user, digestOf(token), ...(until === undefined ? [] : [until])].join(':') };
}

/** Throws ConfigurationError with the places of all invalid lines. */
export function parseTokenFile(path: string, text: string): Tokens {
  const read = text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), place: `${path}:${index + 1}` }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
    .map(({ line, place }) => ({ place, entry: parseLine(line) }));
  const problems = read.flatMap(({ place, entry }) =>
    entry === undefined
      ? [`${place}: expected USER:DIGEST or USER:DIGEST:YYYY-MM-DD; make one with: ironic-edge token USER`]
      : [],
  );
  if (problems.length > 0) throw new ConfigurationError(problems);
  return new Map(read.flatMap(({ entry }) => (entry === undefined ? [] : [entry])));
}

function parseLine(line: string): readonly [digest: string, holder: TokenHolder] | undefined {
  const [user = '', digest = '', day, ...more] = line.split(':');
  if (user === '' || !DIGEST.test(digest) || more.length > 0) return undefined;
  if (day === undefined) return [digest, { user, until: undefined }];
  return isDay(day) ? [digest, { user, until: Date.parse(day) }] : undefined;
}

/** Whether the text is a date such as 2027-01-31. */
export function isDay(text: string): boolean {
  const day = DAY.test(text) ? new Date(text) : undefined;
  // 2027-02-31 would be read as a day in March
  return day !== undefined && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

export const isToken = (password: string): boolean => password.startsWith(PREFIX);

/** Returns the user who holds the token; undefined if nobody does, or if it has expired. `now`: milliseconds since the epoch. */
export function holderOf(tokens: Tokens, token: string, now: number): string | undefined {
  const holder = tokens.get(digestOf(token));
  return holder === undefined || (holder.until !== undefined && now >= holder.until)
    ? undefined
    : holder.user;
}
