// The tokens of programs. They are long and random, so a plain hash of a token is safe to store and quick to compare.
import { createHash, randomBytes } from 'node:crypto';
import { ConfigurationError } from '../../config/configuration-error.ts';

const PREFIX = 'iet_';
const DIGEST = /^[0-9a-f]{64}$/;
const LONGEST_USER = 255;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface TokenHolder {
  readonly user: string;
  /** The day (UTC, YYYY-MM-DD) at whose start the token expires; null when it does not expire. */
  readonly until: string | null;
}

/** The holder of each token, by the token's digest. */
export type Tokens = ReadonlyMap<string, TokenHolder>;

/** Returns the SHA-256 of a token or of a session's secret, in hexadecimal digits. */
export const secretDigest = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/** Returns a new token, and its digest. */
export function newToken(): { readonly token: string; readonly digest: string } {
  const token = `${PREFIX}${randomBytes(32).toString('base64url')}`;
  return { token, digest: secretDigest(token) };
}

/** Returns the line for the token file that makes the token with this digest valid. */
export const tokenLine = ({ user, until }: TokenHolder, digest: string): string =>
  [user, digest, ...(until === null ? [] : [until])].join(':');

/** Whether a user of this name can hold a token. */
export const canHoldToken = (user: string): boolean =>
  user !== '' && user.length <= LONGEST_USER && !/[:\s\p{Cc}]/u.test(user);

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
  if (day === undefined) return [digest, { user, until: null }];
  return isDay(day) ? [digest, { user, until: day }] : undefined;
}

/** Whether the text is a date such as 2027-01-31. */
export function isDay(text: string): boolean {
  const day = DAY.test(text) ? new Date(text) : undefined;
  // 2027-02-31 would be read as a day in March
  return day !== undefined && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

export const isToken = (password: string): boolean => password.startsWith(PREFIX);

/** `now`: milliseconds since the epoch. */
export const isExpired = ({ until }: TokenHolder, now: number): boolean =>
  until !== null && now >= Date.parse(until);
