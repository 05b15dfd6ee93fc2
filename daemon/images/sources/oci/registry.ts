// Asks a container registry which blob contains an image. Specification: OCI Distribution 1.1, and Docker's token flow.
import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject, jsonObjectIn } from '../../../model/json.ts';
import type { HttpReply } from '../../../lib/http-client/send-request.ts';
import { isListedHost } from '../../../lib/network/listed-host.ts';
import { getDocument, type WebSettings } from '../web-server.ts';
import { isDigest, type OciReference } from './oci-reference.ts';

export interface RegistrySettings {
  readonly web: WebSettings;
  /** The value of `[oci] permit_fallback_to_http_transport`. */
  readonly usesHttp: boolean;
  /** The value of `[oci] token_servers`: hosts that may receive the login for a registry, in addition to the registry itself. */
  readonly tokenServers: readonly string[];
}

export interface RegistryQuestion {
  readonly reference: OciReference;
  /** The value of the node's `properties/cpu_arch`. */
  readonly architecture: string;
  /** The login for this registry in base64: `USER:PASSWORD`. Null: none. */
  readonly login: string | null;
  readonly signal: AbortSignal;
}

/** Where the content of an image is, and how to get it. */
export interface OciBlob {
  readonly url: string;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
  /** Returns the value of the Authorization header for a server. */
  readonly authorize: (server: URL) => string | undefined;
}

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const INDEX = 'application/vnd.oci.image.index.v1+json';
const anonymous = () => undefined;
/** OCI names architectures as Go does. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x86_64: 'amd64', aarch64: 'arm64' };

/**
 * Rejects with HttpFailure, with the signal's reason, or with an Error whose message continues a sentence about the image:
 * `it has no image for ppc64`.
 */
export async function findBlob(settings: RegistrySettings, question: RegistryQuestion): Promise<OciBlob> {
  const { reference, architecture } = question;
  const session = await openSession(settings, question);
  const first = await manifestOf(session, reference.version);
  const chosen = Array.isArray(first['manifests'])
    ? await manifestOf(session, digestFor(architecture, first['manifests']))
    : first;
  const layers = Array.isArray(chosen['layers']) ? chosen['layers'] : [];
  const [layer] = layers;
  if (
    layers.length !== 1 ||
    !isJsonObject(layer) ||
    typeof layer['digest'] !== 'string' ||
    !isDigest(layer['digest'])
  )
    throw new Error(`it has ${layers.length} layers; a disk image has one, with a SHA-256 digest`);
  return {
    url: `${session.base}/blobs/${layer['digest']}`,
    sha256: layer['digest'].slice('sha256:'.length),
    authorize: session.authorize,
  };
}

interface Session {
  readonly base: string;
  readonly authorize: (server: URL) => string | undefined;
  readonly ask: (url: string, accept?: string) => Promise<HttpReply>;
}

async function openSession(settings: RegistrySettings, question: RegistryQuestion): Promise<Session> {
  const { web, usesHttp } = settings;
  const { reference, login, signal } = question;
  const origin = `${usesHttp ? 'http' : 'https'}://${reference.registry}`;
  const base = `${origin}/v2/${reference.repository}`;
  const asking =
    (authorize: Session['authorize']) =>
    (url: string, accept = `${INDEX}, ${MANIFEST}`) =>
      getDocument(web, { url, headers: { accept }, authorize, signal });
  const { status, headers } = await asking(anonymous)(`${base}/manifests/${reference.version}`);
  if (status !== 401) return { base, authorize: anonymous, ask: asking(anonymous) };
  const challenge = challengeIn(headers['www-authenticate']?.[0] ?? '');
  const value =
    challenge.scheme === 'bearer' ? `Bearer ${await tokenFrom(challenge, settings, question)}` : basic(login);
  // only the registry gets the header, not the servers that it redirects to
  const authorize = (server: URL) => (server.origin === origin ? value : undefined);
  return { base, authorize, ask: asking(authorize) };
}

function basic(login: string | null): string {
  if (login !== null) return `Basic ${login}`;
  throw new Error('its registry asks for a login; set instance_info/image_pull_secret to USER:PASSWORD');
}

interface Challenge {
  readonly scheme: string;
  readonly realm: string;
  readonly service: string;
}

function challengeIn(header: string): Challenge {
  const valueOf = (name: string) => {
    const start = header.indexOf(`${name}="`);
    if (start === -1) return '';
    const begin = start + name.length + 2;
    return header.slice(begin, header.indexOf('"', begin));
  };
  const scheme = header.split(' ', 1)[0]?.toLowerCase() ?? '';
  if (scheme === 'basic' || scheme === 'bearer')
    return { scheme, realm: valueOf('realm'), service: valueOf('service') };
  throw new Error(`its registry asks for a login of an unknown kind (${scheme.slice(0, 40)})`);
}

async function tokenFrom(
  { realm, service }: Challenge,
  { web, tokenServers }: RegistrySettings,
  { reference, login, signal }: RegistryQuestion,
): Promise<string> {
  const url = URL.parse(realm);
  if (url === null) throw new Error(`its registry names no server for tokens: ${realm.slice(0, 100)}`);
  if (service !== '') url.searchParams.set('service', service);
  url.searchParams.set('scope', `repository:${reference.repository}:pull`);
  if (login !== null && !isListedHost(url, [reference.registry, ...tokenServers]))
    throw new Error(
      `its registry refers logins to ${url.host}; list that host in [oci] token_servers if it may get the login`,
    );
  const authorize = (server: URL) =>
    login !== null && server.origin === url.origin ? `Basic ${login}` : undefined;
  const reply = await getDocument(web, {
    url: url.href,
    headers: { accept: 'application/json' },
    authorize,
    signal,
  });
  const document = reply.status === 200 ? parsed(reply.bytes) : {};
  const token = document['token'] ?? document['access_token'];
  // a token goes into a header
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token;
  throw new Error(
    `${url.host} gave no token for it (status ${reply.status}); check the name of the image and instance_info/image_pull_secret`,
  );
}

async function manifestOf({ base, ask }: Session, version: string): Promise<JsonObject> {
  const reply = await ask(`${base}/manifests/${version}`);
  if (reply.status === 404) throw new Error(`its registry has no manifest for ${version}`);
  if (reply.status === 401 || reply.status === 403)
    throw new Error('its registry refuses the login; check instance_info/image_pull_secret');
  if (reply.status !== 200) throw new Error(`its registry answered ${reply.status}`);
  const digest = `sha256:${createHash('sha256').update(reply.bytes).digest('hex')}`;
  if (isDigest(version) && digest !== version)
    throw new Error(`its registry sent a manifest with digest ${digest}, expected ${version}`);
  return parsed(reply.bytes);
}

function parsed(bytes: Buffer): JsonObject {
  const document = jsonObjectIn(bytes);
  if (document !== undefined) return document;
  throw new Error('its registry sent something other than a JSON object');
}

/** Returns the digest of the manifest for the architecture. */
function digestFor(architecture: string, manifests: readonly Json[]): string {
  const wanted = ARCHITECTURES[architecture] ?? architecture;
  const described = manifests.filter(isJsonObject).flatMap((manifest) => {
    const { platform, digest } = manifest;
    const name = isJsonObject(platform) ? platform['architecture'] : undefined;
    return typeof digest === 'string' && isDigest(digest) && typeof name === 'string'
      ? [{ name, digest }]
      : [];
  });
  const found = described.find(({ name }) => name === wanted || name === architecture);
  if (found !== undefined) return found.digest;
  const names = described.map(({ name }) => name).join(', ');
  throw new Error(`it has no image for ${architecture} (${wanted}), only for: ${names || 'none'}`);
}
