// The images of the catalogue: names for images, which nodes may have in `instance_info/image_source` in place of a URL.
import { typed } from '../../lib/json/typed-schema.ts';
import { field, type RecordOf, schema } from '../records/fields.ts';

const writable = { create: true, update: true } as const;
const LARGEST_DISK_GIB = 1_048_576;
const LONGEST_URL = 2048;
const LONGEST_KEY = 262_144;

const imageStates = ['known', 'fetching', 'ready', 'failed'] as const;
export type ImageState = (typeof imageStates)[number];

export const imageFields = {
  uuid: field(schema.uuid(), { since: 1, create: true, initial: '' }),
  name: field(schema.text({ minLength: 1, maxLength: 255 }), { since: 1, initial: '', ...writable }),
  /** An http, https, file or oci URL, or UPLOADED. */
  source: field(schema.text({ minLength: 1, maxLength: LONGEST_URL }), {
    since: 1,
    initial: '',
    ...writable,
  }),
  /** A digest, or the URL of a file with digests. */
  checksum: field(schema.textOrNull({ maxLength: LONGEST_URL }), { since: 1, initial: null, ...writable }),
  /** OpenPGP public keys, armored: one of them must have signed the checksum file. null: its signature is not verified. */
  signing_key: field(schema.textOrNull({ maxLength: LONGEST_KEY }), { since: 1, initial: null, ...writable }),
  /** The URL of the detached signature of the checksum file; null: the checksum file is clear-signed, if it is signed. */
  signature_url: field(schema.textOrNull({ maxLength: LONGEST_URL }), {
    since: 1,
    initial: null,
    ...writable,
  }),
  /** null: the image fits any architecture. */
  architecture: field(schema.textOrNull({ enum: ['x86_64', 'aarch64', null] }), {
    since: 1,
    initial: null,
    ...writable,
  }),
  min_disk_gib: field(
    typed<number | null>({ type: ['integer', 'null'], minimum: 1, maximum: LARGEST_DISK_GIB }),
    { since: 1, initial: null, ...writable },
  ),
  login_user: field(schema.textOrNull({ pattern: '^[A-Za-z_][A-Za-z0-9_.-]{0,31}$' }), {
    since: 1,
    initial: null,
    ...writable,
  }),
  description: field(schema.textOrNull({ maxLength: 255 }), { since: 1, initial: null, ...writable }),
  /**
   * `known`: nothing is fetched; `fetching`; `ready`: the daemon keeps the image, and serves it to machines; `failed`: `error` says
   * why, and nothing is kept.
   */
  state: field(typed<ImageState>({ type: 'string', enum: imageStates }), { since: 1, initial: 'known' }),
  /** What the fetched content was verified with, such as `sha512:` and the digest; null: the SHA-256 alone is known. */
  digest: field(schema.textOrNull(), { since: 1, initial: null }),
  /** `none`, or `verified by` and the fingerprint of the key that has signed the checksum file; null: nothing is kept. */
  signature: field(schema.textOrNull(), { since: 1, initial: null }),
  /** The SHA-256 of the fetched content. */
  sha256: field(schema.textOrNull(), { since: 1, initial: null }),
  bytes: field(schema.integerOrNull(), { since: 1, initial: null }),
  fetched_at: field(schema.timeOrNull(), { since: 1, initial: null }),
  /** Why the last fetch failed. An image that is `ready` then keeps its earlier content. */
  error: field(schema.textOrNull(), { since: 1, initial: null }),
  /** The nodes whose disks have this image, or are getting it: their names, or the UUIDs of those without a name. */
  used_by: field(schema.texts(), { since: 1, initial: [], computed: true }),
  created_at: field(schema.timeOrNull(), { since: 1, initial: null }),
  updated_at: field(schema.timeOrNull(), { since: 1, initial: null }),
} as const;

export type Image = RecordOf<typeof imageFields>;
export const imageSummary = ['uuid', 'name', 'architecture', 'source', 'state'] as const;

/** The source of an image whose content is uploaded. */
export const UPLOADED = 'upload:';

/** The command that brings the content of an image to the daemon. */
export const commandToGet = ({ name, source }: Pick<Image, 'name' | 'source'>): string =>
  source === UPLOADED ? `ironic-edge image add ${name} --file FILE` : `ironic-edge image fetch ${name}`;

/** What the content from the image's source is verified with: a digest, or the URL of a file with digests; null if nothing is known. */
export const checksumOfSource = ({ signing_key: key, checksum, digest }: Image): string | null =>
  // who downloads a signed image verifies no signature, so it gets the digest that the daemon has verified
  key === null ? checksum : digest;

/** Whether an `image_source` is the name of an image in the catalogue: it has no colon, as every URL has. */
export const isImageName = (source: string): boolean => !source.includes(':');

/** What a record says when nothing is fetched. */
export const NOTHING_FETCHED = {
  state: 'known',
  digest: null,
  signature: null,
  sha256: null,
  bytes: null,
  fetched_at: null,
  error: null,
} as const satisfies Partial<Image>;
