// How people sign in on the page: with the password of the password file, or at the provider of the section [oidc].
import type { Services } from '../../conductor/services.ts';
import type { Fault } from '../../model/faults.ts';
import { isLogin } from './authorization.ts';
import type { Provider } from './oidc/provider.ts';
import type { Login } from './password-check.ts';
import type { People } from './people.ts';
import type { PageSessions } from './sessions/sessions.ts';

/** Who signs in. */
export interface Visitor {
  /** Null for a Unix socket. */
  readonly address: string | null;
  /** The User-Agent header. */
  readonly browser: string;
}

export interface SignIn {
  readonly people: People;
  readonly sessions: PageSessions;
  /** Undefined without [oidc] issuer. */
  readonly provider: Provider | undefined;
  /**
   * Resolves with the secret of the new session. Rejects with AuthenticationFailed, LoginsBusy or TooManyWrongPasswords: the limits
   * for logins to the API apply.
   */
  withPassword(
    given: { readonly user: string; readonly password: string },
    visitor: Visitor,
  ): Promise<string>;
  /**
   * Ends a sign-in at the provider: `url` is the one to which the provider has sent the browser, and `flow` what `begin` of the
   * provider gave for the browser. Rejects with SignInRefused or ProviderUnavailable.
   */
  withProvider(
    given: { readonly url: URL; readonly flow: string | undefined },
    visitor: Visitor,
  ): Promise<{ readonly secret: string; readonly next: string }>;
}

interface SignInParts extends Pick<SignIn, 'people' | 'sessions' | 'provider'> {
  readonly isRight: (login: Login) => Promise<boolean>;
  /** Logs a failed login, and returns the fault. */
  readonly failed: (user: string, address: string | null) => Fault;
}

const LONGEST_BROWSER = 200;

export function createSignIn(
  { log }: Pick<Services, 'log'>,
  { people, sessions, provider, isRight, failed }: SignInParts,
): SignIn {
  const begin = (
    who: Pick<Parameters<PageSessions['begin']>[0], 'user' | 'role' | 'basis'>,
    { address, browser }: Visitor,
  ) => {
    log.info({ user: who.user, client: address }, 'signed in');
    return sessions.begin({ ...who, address, browser: browser.slice(0, LONGEST_BROWSER) });
  };
  return {
    people,
    sessions,
    provider,
    async withPassword({ user, password }, visitor) {
      const peer = visitor.address ?? 'local';
      const isKnown = isLogin({ user, password }) && (await isRight({ user, password, peer }));
      const basis = isKnown ? people.basisOf(user) : undefined;
      if (basis === undefined) throw failed(user, visitor.address);
      return begin({ user, role: null, basis }, visitor);
    },
    async withProvider({ url, flow }, visitor) {
      if (provider === undefined) throw new Error('there is no provider');
      const { user, role, next } = await provider.finish(url, flow);
      return { secret: begin({ user, role, basis: provider.basis }, visitor), next };
    },
  };
}
