// Sign-in at an OpenID Connect provider: authorization code with PKCE, state and nonce, all bound to the browser that began.
import type { Services } from '../../../conductor/services.ts';
import { RecentMap } from '../../../lib/limits/recent-map.ts';
import { Rates } from '../../../lib/limits/rates.ts';
import { fault } from '../../../model/faults.ts';
import type { Role } from '../../../model/roles.ts';
import { secretDigest } from '../tokens.ts';
import { answerClaims, saidReason } from './answer-claims.ts';
import { certificatesIn, checkedIssuer } from './checked-issuer.ts';
import { claimedUser } from './claimed-user.ts';
import { createDiscovery } from './discover.ts';
import { type Flow, flowIn, flowText } from './flow.ts';
import { providerFetch } from './provider-fetch.ts';

/** How long a person may take to sign in at the provider. */
export const FLOW_SECONDS = 600;
/** The answers of the provider that are remembered, so that none is taken twice. */
const REMEMBERED = 10_000;
/** How many failures are logged: strangers can cause them. */
const LOG_RATE = { perSecond: 1 / 3, burst: 20 };

export interface Provider {
  /** What the button of the sign-in page says after "Sign in with". */
  readonly button: string;
  readonly issuer: string;
  /** A digest of what the roles of its users rest on; sessions end when it changes. */
  readonly basis: string;
  /**
   * Begins a sign-in: resolves with where to send the browser, and with what the browser keeps until it comes back. `redirect`: the
   * URL of the page to which the provider sends it. `next`: the path that the person wanted. Rejects with ProviderUnavailable.
   */
  begin(wanted: Pick<Flow, 'redirect' | 'next'>): Promise<{ readonly url: string; readonly flow: string }>;
  /** Checks the provider's answer, which is in the query of `url`. Rejects with SignInRefused or ProviderUnavailable. */
  finish(
    url: URL,
    flow: string | undefined,
  ): Promise<{ readonly user: string; readonly role: Role; readonly next: string }>;
  /**
   * Resolves with the URL at which a person signs out of the provider, which then offers the way to `back`; undefined when it has
   * none. Rejects with ProviderUnavailable.
   */
  signOutUrl(back: string): Promise<string | undefined>;
}

type ProviderServices = Pick<Services, 'config' | 'clock' | 'log'>;

/** Returns undefined without [oidc] issuer. Throws an Error with one sentence when the section cannot be used. */
export function createProvider(services: ProviderServices): Provider | undefined {
  const { config, clock } = services;
  const { oidc } = config;
  const issuer = checkedIssuer(config);
  if (issuer === undefined) return undefined;
  const ca = oidc.ca_file === null ? undefined : certificatesIn(oidc.ca_file);
  const failed = createFailures(services, issuer.href);
  const discovered = createDiscovery({ issuer, oidc, fetch: providerFetch(clock, ca), clock });
  const provider = () =>
    discovered().catch((error: unknown) => {
      throw failed('ProviderUnavailable', saidReason(error));
    });
  const takeFlow = createFlowCheck(clock);
  return {
    button: oidc.button,
    issuer: issuer.href,
    basis: secretDigest(JSON.stringify({ ...oidc, client_secret: null, ca_file: null, button: '' })),
    async begin({ redirect, next }) {
      const found = await provider();
      const client = await import('openid-client');
      const secrets = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(found, {
        redirect_uri: redirect,
        scope: [...new Set(['openid', ...oidc.scopes])].join(' '),
        state: secrets.state,
        nonce: secrets.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(secrets.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, flow: flowText({ ...secrets, redirect, next, began: clock.now() }) };
    },
    async finish(url, text) {
      const flow = takeFlow(text);
      if (typeof flow === 'string') throw failed('SignInRefused', flow);
      const claims = await answerClaims(await provider(), url, flow, oidc).catch((error: unknown) => {
        throw failed('SignInRefused', saidReason(error));
      });
      const claimed = claimedUser(oidc, claims);
      if ('refusal' in claimed) throw failed('SignInRefused', claimed.refusal);
      return { ...claimed, next: flow.next };
    },
    async signOutUrl(back) {
      const found = await provider();
      if (found.serverMetadata().end_session_endpoint === undefined) return undefined;
      const { buildEndSessionUrl } = await import('openid-client');
      return buildEndSessionUrl(found, { post_logout_redirect_uri: back }).href;
    },
  };
}

/** Returns a function that makes the fault, and logs the reason. */
function createFailures({ clock, log }: ProviderServices, issuer: string) {
  const lines = new Rates(clock);
  return (code: 'SignInRefused' | 'ProviderUnavailable', reason: string) => {
    if (lines.take('failures', LOG_RATE)) log.warn({ issuer, reason }, 'a sign-in at the provider failed');
    return fault(code, { issuer, reason });
  };
}

/** Returns a function that returns what the browser has kept of its sign-in, or why that cannot be used. */
function createFlowCheck(clock: Pick<Services['clock'], 'now'>): (text: string | undefined) => Flow | string {
  const used = new RecentMap<string, true>(REMEMBERED);
  return (text) => {
    const flow = flowIn(text ?? '');
    if (flow === undefined) return 'this browser has not begun a sign-in, or has ended it already';
    const age = clock.now() - flow.began;
    if (age > FLOW_SECONDS * 1000 || age < 0) return 'the sign-in took too long';
    if (used.get(flow.state) === true) return 'the answer of the provider was used already';
    used.set(flow.state, true);
    return flow;
  };
}
