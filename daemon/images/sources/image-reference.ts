// Where an image comes from, as an operator names it: `https://host/kernel`, `file:///var/lib/images/kernel` or
// `oci://registry/repository:tag`.
import { fault } from '../../model/faults.ts';
import { type Checksum, parseChecksum } from '../../model/machine/image-checksum.ts';
import { type OciReference, parseOciReference } from './oci/oci-reference.ts';

export type ImageReference = { readonly checksum: Checksum | undefined } & (
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 'file'; readonly path: string }
);

const EXPECTED = 'an http, https or file URL';
const OR_REGISTRY =
  'an http, https or file URL, or the name of an image in a registry, such as oci://registry.example/team/debian:13';
const WITH_CHECKSUM = `${EXPECTED}, with an optional checksum such as #sha256=... (64 hexadecimal digits)`;

/**
 * Reads a reference that may end in a checksum: `#sha256=...`. `source`: the setting or field that contains the text, such as
 * `driver_info/deploy_kernel`. Throws InvalidParameter.
 */
export function parseImageReference(text: string, source: string): ImageReference {
  const refuse = refusal(text, source, WITH_CHECKSUM);
  const url = URL.parse(text);
  if (url === null) throw refuse();
  const fragment = url.hash.slice(1);
  const checksum = fragment === '' ? undefined : parseChecksum(fragment.replace('=', ':'));
  if (fragment !== '' && (checksum === undefined || checksum.algorithm === 'md5')) throw refuse();
  return referenceOf(url, checksum, refuse);
}

/** Reads a reference that has no checksum and may name an image in a registry. Throws InvalidParameter. */
export function parseImageSource(
  text: string,
  source: string,
): ImageReference | { readonly kind: 'oci'; readonly reference: OciReference } {
  const refuse = refusal(text, source, OR_REGISTRY);
  const reference = parseOciReference(text);
  if (reference !== undefined) return { kind: 'oci', reference };
  const url = URL.parse(text);
  if (url === null || url.hash !== '') throw refuse();
  return referenceOf(url, undefined, refuse);
}

function referenceOf(url: URL, checksum: Checksum | undefined, refuse: () => Error): ImageReference {
  url.hash = '';
  if (url.protocol === 'http:' || url.protocol === 'https:') return { kind: 'http', url: url.href, checksum };
  if (url.protocol !== 'file:' || url.host !== '' || url.search !== '') throw refuse();
  try {
    return { kind: 'file', path: decodeURIComponent(url.pathname), checksum };
  } catch {
    throw refuse();
  }
}

const refusal = (text: string, source: string, expected: string) => () =>
  fault('InvalidParameter', { name: source, reason: `${JSON.stringify(shown(text))} is not ${expected}` });

/** Returns the start of the text for a message, without the user and password of a URL. */
function shown(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.username === '' && url.password === '')) return text.slice(0, 200);
  return withoutLogin(url.href).slice(0, 200);
}

export function withoutLogin(url: string): string {
  const bare = new URL(url);
  [bare.username, bare.password] = ['', ''];
  return bare.href;
}
