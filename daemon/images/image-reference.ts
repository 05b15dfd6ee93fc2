// Where an image comes from, as an operator names it: `https://host/kernel`, `file:///var/lib/images/kernel`, each with
// an optional checksum as its fragment: `#sha256=...`.
import { fault } from '../model/faults.ts';

export interface Checksum {
  readonly algorithm: 'sha256' | 'sha512';
  /** Lower-case hexadecimal. */
  readonly value: string;
}

export type ImageReference =
  | { readonly kind: 'http'; readonly url: string; readonly checksum: Checksum | undefined }
  | { readonly kind: 'file'; readonly path: string; readonly checksum: Checksum | undefined };

const LENGTHS = { sha256: 64, sha512: 128 } as const;
const EXPECTED =
  'an http, https or file URL, with an optional checksum such as #sha256=... (64 hexadecimal digits)';

/** `source` says where the text is from: `driver_info/deploy_kernel`. Throws InvalidParameter. */
export function parseImageReference(text: string, source: string): ImageReference {
  const refuse = () =>
    fault('InvalidParameter', { name: source, reason: `${JSON.stringify(shown(text))} is not ${EXPECTED}` });
  const url = URL.parse(text);
  if (url === null) throw refuse();
  const checksum = url.hash === '' ? undefined : checksumIn(url.hash.slice(1));
  if (checksum === null) throw refuse();
  url.hash = '';
  if (url.protocol === 'http:' || url.protocol === 'https:') return { kind: 'http', url: url.href, checksum };
  if (url.protocol !== 'file:' || url.host !== '' || url.search !== '') throw refuse();
  try {
    return { kind: 'file', path: decodeURIComponent(url.pathname), checksum };
  } catch {
    throw refuse();
  }
}

/** Null when the text is not a checksum. */
function checksumIn(text: string): Checksum | null {
  const [name = '', value = ''] = text.toLowerCase().split('=', 2);
  if (name !== 'sha256' && name !== 'sha512') return null;
  return value.length === LENGTHS[name] && /^[0-9a-f]+$/.test(value) ? { algorithm: name, value } : null;
}

/** Without user and password. */
function shown(text: string): string {
  const url = URL.parse(text);
  if (url === null || (url.username === '' && url.password === '')) return text.slice(0, 200);
  [url.username, url.password] = ['', ''];
  return url.href.slice(0, 200);
}
