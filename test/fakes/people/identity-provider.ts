// An OpenID Connect provider on a socket of this host: the package oidc-provider, which has nothing in common with the daemon's client,
// and a browser without a screen that signs in there.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider } from 'oidc-provider';
import type { Ending } from '../daemon/in-process-daemon.ts';

export const CLIENT = { id: 'edge', secret: 'the secret of edge' } as const;

export interface IdentityProvider {
  readonly issuer: string;
  /** The claims of each user, which the next sign-in shows. */
  readonly users: Map<string, Readonly<Record<string, unknown>>>;
  /** Lines for the daemon's configuration. */
  readonly ini: string;
  /** How many requests it has received at each path. */
  readonly requests: Map<string, number>;
  /** Goes away. */
  close(): Promise<void>;
}

/** `origin`: that of the daemon. `inIdToken`: whether the claims are in the ID token too, and not only at the userinfo endpoint. */
export async function startIdentityProvider(
  test: Ending,
  { origin, inIdToken = true }: { readonly origin: string; readonly inIdToken?: boolean },
): Promise<IdentityProvider> {
  const users: IdentityProvider['users'] = new Map();
  const requests: IdentityProvider['requests'] = new Map();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [`${origin}/ui/login/callback`],
        post_logout_redirect_uris: [`${origin}/ui/login`],
      },
    ],
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'] },
    conformIdTokenClaims: !inIdToken,
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...users.get(id) }) }),
    cookies: { keys: ['the key of the cookies'] },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'first' }] },
  });
  const serve = provider.callback();
  server.on('request', (request, response) => {
    const { pathname } = new URL(request.url ?? '', issuer);
    requests.set(pathname, (requests.get(pathname) ?? 0) + 1);
    serve(request, response);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  test.after(close);
  const ini = `[oidc]
issuer = ${issuer}
client_id = ${CLIENT.id}
client_secret = ${CLIENT.secret}
scopes = openid, profile
admins = site-admins
operators = site-operators
`;
  return { issuer, users, ini, requests, close };
}

/** Signs in at the provider as a browser does that was sent to `url`; resolves with where the provider sends it in the end. */
export async function signInAt(url: string, user: string): Promise<URL> {
  const { origin } = new URL(url);
  const jar = new Map<string, string>();
  const visit = async (at: URL, form?: URLSearchParams) => {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form !== undefined && { method: 'POST', body: form }),
    });
    for (const cookie of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      jar.set(name, value);
    }
    const location = response.headers.get('location');
    return { text: await response.text(), next: location === null ? undefined : new URL(location, at) };
  };
  let at = new URL(url);
  for (let steps = 0; steps < 12; steps += 1) {
    const { text, next } = await visit(at);
    const prompt = /name="prompt" value="(\w+)"/.exec(text)?.[1];
    if (next === undefined) assert.ok(prompt, `${at.pathname}: ${text.slice(0, 500)}`);
    const form = new URLSearchParams({ prompt: prompt ?? '', login: user, password: 'any' });
    const sent = next ?? (await visit(at, form)).next;
    assert.ok(sent, `the form of ${at.pathname} leads nowhere`);
    if (sent.origin !== origin) return sent;
    at = sent;
  }
  throw new Error('the provider does not end the sign-in');
}
