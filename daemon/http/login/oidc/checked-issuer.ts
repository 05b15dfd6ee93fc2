// Checks the section [oidc] at the start of the daemon, without a word to the provider.
import { readFileSync } from 'node:fs';
import type { Config } from '../../../config/sections/core-sections.ts';
import { reasonOf } from '../../../model/faults.ts';

type Settings = Pick<Config, 'DEFAULT' | 'oidc'>;

/** Returns the URL of the provider; undefined without [oidc] issuer. Throws an Error with one sentence when it cannot be used. */
export function checkedIssuer(config: Settings): URL | undefined {
  const { issuer: text } = config.oidc;
  if (text === null) return undefined;
  const issuer = URL.parse(text);
  const problem = problemOf(issuer, config);
  if (issuer === null || problem !== undefined)
    throw new Error(`[oidc] issuer = ${JSON.stringify(text)}: ${problem}`);
  return issuer;
}

const NEAR: ReadonlySet<string> = new Set(['127.0.0.1', '[::1]', 'localhost']);

function problemOf(issuer: URL | null, { DEFAULT, oidc }: Settings): string | undefined {
  const problems: Readonly<Record<string, boolean>> = {
    'expected a URL that begins with https:// (http:// only on this host).': !isProtected(issuer),
    'expected the URL of the provider without /.well-known/, without a login and without a query.':
      issuer !== null && !isPlain(issuer),
    'set [DEFAULT] auth_strategy = http_basic: with noauth nobody signs in.':
      DEFAULT.auth_strategy === 'noauth',
    'set [oidc] client_id: the id under which the provider knows this daemon.': oidc.client_id === '',
    [`nobody could sign in: list values of the claim ${oidc.roles_claim} in [oidc] admins, operators or readers.`]:
      [oidc.readers, oidc.operators, oidc.admins].every(({ length }) => length === 0),
  };
  return Object.keys(problems).find((sentence) => problems[sentence] === true);
}

const isProtected = (issuer: URL | null): boolean =>
  issuer?.protocol === 'https:' || (issuer?.protocol === 'http:' && NEAR.has(issuer.hostname));

const isPlain = ({ pathname, username, search }: URL): boolean =>
  !pathname.includes('/.well-known/') && username === '' && search === '';

/** Throws an Error with one sentence. */
export function certificatesIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new Error(`The certificates of [oidc] ca_file cannot be read: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}
