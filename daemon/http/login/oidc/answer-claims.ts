// Takes the answer of the provider to the claims about the user, and says what is wrong with an answer.
import type { Configuration } from 'openid-client';
import type { Config } from '../../../config/sections/core-sections.ts';
import { reasonOf } from '../../../model/faults.ts';
import type { JsonObject } from '../../../model/json.ts';
import { hasClaims } from './claimed-user.ts';
import type { Flow } from './flow.ts';

/** Exchanges the code of the answer, and checks the ID token: issuer, audience, times, nonce and signature. */
export async function answerClaims(
  provider: Configuration,
  { search }: URL,
  flow: Flow,
  oidc: Config['oidc'],
): Promise<JsonObject> {
  const client = await import('openid-client');
  const tokens = await client.authorizationCodeGrant(provider, new URL(`${flow.redirect}${search}`), {
    pkceCodeVerifier: flow.verifier,
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error('the provider has sent no ID token');
  if (claims['azp'] !== undefined && claims['azp'] !== oidc.client_id)
    throw new Error('the ID token is for another client (azp)');
  const { userinfo_endpoint: more } = provider.serverMetadata();
  if (more === undefined || hasClaims(oidc, claims as JsonObject)) return claims as JsonObject;
  const told = await client.fetchUserInfo(provider, tokens.access_token, claims.sub);
  return { ...told, ...claims } as JsonObject;
}

const LONGEST_REASON = 300;

/** Returns a text of one line. The library puts what is wrong into the causes of its errors, and what the provider says beside. */
export function saidReason(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const { error: code, error_description: description } = error as Readonly<Record<string, unknown>>;
  const said = [code, description].filter((each) => typeof each === 'string');
  const texts = [reasonOf(error), ...said, ...(cause instanceof Error ? [cause.message] : [])];
  return [...new Set(texts)]
    .join(': ')
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, LONGEST_REASON);
}
