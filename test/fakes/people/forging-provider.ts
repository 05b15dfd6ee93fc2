// An OpenID Connect provider that says whatever a test wants, signed with its own key or another's.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Ending } from '../daemon/in-process-daemon.ts';

export interface ForgingProvider {
  readonly issuer: string;
  /** Changes to what it says of itself. */
  metadata: Readonly<Record<string, unknown>>;
  /** Changes to the claims of the next ID tokens. */
  claims: Readonly<Record<string, unknown>>;
  /** Makes the next ID tokens; by default, signs the claims with the provider's key. */
  token: (claims: Readonly<Record<string, unknown>>) => string;
  /** The bodies of the requests at the token endpoint. */
  readonly exchanged: URLSearchParams[];
  /** Whether it answers nothing but 500. */
  isBroken: boolean;
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

export function signedToken(claims: object, key: KeyObject, header: object = {}): string {
  const head = `${encoded({ alg: 'RS256', kid: 'first', ...header })}.${encoded(claims)}`;
  return `${head}.${sign('sha256', Buffer.from(head), key).toString('base64url')}`;
}

export const newKey = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

export async function startForgingProvider(test: Ending): Promise<ForgingProvider> {
  const key = newKey();
  const publicKey = createPublicKey(createPrivateKey(key.export({ format: 'pem', type: 'pkcs8' })));
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => void (body += piece.toString()));
    request.on('end', () => {
      const reply = answerTo(request.url ?? '', new URLSearchParams(body));
      response.writeHead(provider.isBroken ? 500 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(reply));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  test.after(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const provider: ForgingProvider = {
    issuer,
    metadata: {},
    claims: {},
    token: (claims) => signedToken(claims, key),
    exchanged: [],
    isBroken: false,
  };
  const answerTo = (path: string, body: URLSearchParams): object => {
    if (path === '/jwks')
      return { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'first', alg: 'RS256', use: 'sig' }] };
    if (path !== '/token')
      return {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        authorization_response_iss_parameter_supported: true,
        ...provider.metadata,
      };
    provider.exchanged.push(body);
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: 'edge', sub: 'u-1', iat: now, exp: now + 300, ...provider.claims };
    return { access_token: 'a', token_type: 'Bearer', id_token: provider.token(claims) };
  };
  return provider;
}
