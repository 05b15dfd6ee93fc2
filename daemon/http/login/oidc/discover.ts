// Asks the provider for its addresses and what it supports, and keeps what it says for a while.
import type * as OpenidClient from 'openid-client';
import type { Configuration, CustomFetch } from 'openid-client';
import type { Config } from '../../../config/sections/core-sections.ts';
import type { Clock } from '../../../lib/clock.ts';

/** How far the clocks of the provider and of this host may differ, in seconds. */
const CLOCK_TOLERANCE_SECONDS = 60;
/** How long what the provider says of itself is believed, without asking again. */
const KEPT_MILLISECONDS = 3_600_000;
/** How long a provider that cannot be used is not asked again, however often strangers want to sign in there. */
const PAUSE_MILLISECONDS = 5000;

interface Discovery {
  readonly issuer: URL;
  readonly oidc: Config['oidc'];
  readonly fetch: CustomFetch;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Returns a function that rejects when the provider does not answer, or says that it is another. */
export function createDiscovery(discovery: Discovery): () => Promise<Configuration> {
  const { clock } = discovery;
  let known: { readonly until: number; readonly found: Promise<Configuration> } | undefined;
  return async () => {
    const now = clock.monotonic();
    const asked =
      known !== undefined && now < known.until
        ? known
        : { until: now + KEPT_MILLISECONDS, found: discover(discovery) };
    known = asked;
    try {
      return await asked.found;
    } catch (error) {
      if (known === asked) known = { ...asked, until: clock.monotonic() + PAUSE_MILLISECONDS };
      throw error;
    }
  };
}

async function discover({ issuer, oidc, fetch }: Discovery): Promise<Configuration> {
  const client = await import('openid-client');
  const isPlain = issuer.protocol === 'http:';
  const found = await client.discovery(issuer, oidc.client_id, undefined, client.None(), {
    [client.customFetch]: fetch,
    ...(isPlain && { execute: [client.allowInsecureRequests] }),
  });
  const metadata = found.serverMetadata();
  const tolerant = { [client.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
  const authentication = authenticationBy(client, oidc, metadata.token_endpoint_auth_methods_supported);
  const configuration = new client.Configuration(metadata, oidc.client_id, tolerant, authentication);
  configuration[client.customFetch] = fetch;
  if (isPlain) client.allowInsecureRequests(configuration);
  // the signature of the ID token is checked although the token comes over a connection to the provider itself
  client.enableNonRepudiationChecks(configuration);
  return configuration;
}

type Client = Pick<typeof OpenidClient, 'None' | 'ClientSecretBasic' | 'ClientSecretPost'>;

/** `methods`: what the provider takes; not set: what the standard says. */
function authenticationBy(
  client: Client,
  { client_secret: secret }: Config['oidc'],
  methods: readonly string[] = ['client_secret_basic'],
) {
  if (secret === null) return client.None();
  return methods.includes('client_secret_basic')
    ? client.ClientSecretBasic(secret)
    : client.ClientSecretPost(secret);
}
