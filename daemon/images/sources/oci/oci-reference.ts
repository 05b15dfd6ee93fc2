// Names of images in container registries, such as `oci://registry.example/team/debian:13`. A name that ends in `@sha256:...`
// always stands for the same content.

export interface OciReference {
  /** Host and port of the registry, such as `registry.example:5000`. */
  readonly registry: string;
  readonly repository: string;
  /** A tag, or the digest of a manifest: `sha256:...`. */
  readonly version: string;
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;

export const isDigest = (text: string): boolean => DIGEST.test(text);

/** Returns undefined if the text is not the name of an image in a registry. */
export function parseOciReference(text: string): OciReference | undefined {
  const url = URL.parse(text);
  if (url?.protocol !== 'oci:' || url.host === '') return undefined;
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') return undefined;
  const named = nameIn(url.pathname.slice(1));
  return named && isRepository(named.repository) ? { registry: url.host, ...named } : undefined;
}

function nameIn(name: string): Pick<OciReference, 'repository' | 'version'> | undefined {
  const [tagged = '', digest, ...others] = name.split('@');
  const [repository = '', tag = 'latest', ...more] = tagged.split(':');
  if (others.length + more.length > 0) return undefined;
  // a digest takes precedence over a tag before it
  const version = digest ?? tag;
  const isVersion = digest === undefined ? /^\w[\w.-]{0,127}$/.test(tag) : isDigest(digest);
  return isVersion ? { repository, version } : undefined;
}

const isRepository = (name: string): boolean =>
  name.length < 256 && name.split('/').every((part) => /^[a-z0-9][a-z0-9._-]*$/.test(part));
