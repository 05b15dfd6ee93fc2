// Verifies OpenPGP signatures with gpgv, which trusts the given keys and no others, and asks no server.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runBounded } from '../../lib/run-bounded.ts';

const LIMITS = { seconds: 30, memoryMebibytes: 512, fileMebibytes: 8 };

/** Who must have signed the checksum file of an image. */
export interface Signing {
  /** OpenPGP public keys, armored; one of them must have signed. */
  readonly keys: string;
  /** The URL of the detached signature; null: the checksum file is clear-signed. */
  readonly signature: string | null;
}

export interface SignedFile extends Pick<Signing, 'keys'> {
  readonly file: Buffer;
  /** A detached signature, armored or not; null: the file itself is clear-signed. */
  readonly signature: Buffer | null;
}

/** Resolves to what the file says, and to the fingerprint of the key that has signed it. Rejects with an Error with the reason. */
export async function signedText(
  { file, signature, keys }: SignedFile,
  signal: AbortSignal,
): Promise<{ readonly text: string; readonly fingerprint: string }> {
  const place = await mkdtemp(path.join(tmpdir(), 'ironic-edge-signature-'));
  const at = (name: string) => path.join(place, name);
  try {
    await writeFile(at('keys'), keyringIn(keys));
    await writeFile(at('file'), file);
    if (signature !== null) await writeFile(at('signature'), signature);
    const { exit, output } = await runBounded({
      program: 'gpgv',
      argumentList: [
        '--homedir',
        place,
        '--keyring',
        at('keys'),
        '--status-fd',
        '1',
        '--weak-digest',
        'SHA1',
        ...(signature === null ? ['--output', at('text')] : [at('signature')]),
        at('file'),
      ],
      limits: LIMITS,
      signal,
    });
    if (exit === 127)
      throw new Error('gpgv, which verifies its signature, is not installed: apt install gpgv');
    const fingerprint = goodFingerprint(statusIn(output), exit === 0);
    return { text: await readFile(at(signature === null ? 'text' : 'file'), 'utf8'), fingerprint };
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

type Status = readonly (readonly string[])[];

const STATUS = '[GNUPG:] ';

/** Returns the words of each status line; DETAILS of GnuPG describes them. */
const statusIn = (output: string): Status =>
  output
    .split('\n')
    .filter((line) => line.startsWith(STATUS))
    .map((line) => line.slice(STATUS.length).split(' '));

/** GOODSIG is for a key that has neither expired nor been revoked; VALIDSIG, which follows it, has the fingerprints. */
function goodFingerprint(status: Status, isGood: boolean): string {
  const good = status.findIndex(([word]) => word === 'GOODSIG');
  const fingerprint = status
    .slice(good)
    .find(([word]) => good !== -1 && word === 'VALIDSIG')
    ?.at(-1);
  if (isGood && fingerprint !== undefined && /^[0-9A-F]{40,64}$/.test(fingerprint)) return fingerprint;
  throw new Error(flawIn(status));
}

const REMEDY =
  'check who has published it; a key that the publisher has changed is set with "ironic-edge image set NAME signing_key=..."';

function flawIn(status: Status): string {
  const keyOf = (...words: readonly string[]) => status.find(([word = '']) => words.includes(word))?.[1];
  const bad = keyOf('BADSIG');
  if (bad !== undefined)
    return `its signature by key ${bad} does not fit its content: it was changed; ${REMEDY}`;
  const unknown = keyOf('NO_PUBKEY');
  if (unknown !== undefined)
    return `it is signed with key ${unknown}, which signing_key does not have; ${REMEDY}`;
  const old = keyOf('EXPKEYSIG', 'EXPSIG', 'REVKEYSIG');
  if (old !== undefined)
    return `its signature by key ${old}, or this key, has expired or was revoked; ${REMEDY}`;
  const other = keyOf('ERRSIG');
  if (other !== undefined) return `its signature by key ${other} cannot be verified; ${REMEDY}`;
  return 'it has no signature that can be verified, and signing_key is set; set signature_url if its signature is in another file';
}

const BEGIN = '-----BEGIN PGP PUBLIC KEY BLOCK-----';
const END = '-----END PGP PUBLIC KEY BLOCK-----';

/** Returns the keys as gpgv reads them. Throws an Error when the text has none. */
export function keyringIn(armored: string): Buffer {
  const blocks: string[][] = [];
  let block: string[] | undefined;
  for (const line of armored.split('\n').map((each) => each.trim())) {
    if (line === BEGIN) blocks.push((block = []));
    else if (line === END) block = undefined;
    // the headers, and the checksum of the armor, are no base64
    else if (!line.includes(':') && !line.startsWith('=')) block?.push(line);
  }
  const keys = blocks.map((lines) => Buffer.from(lines.join(''), 'base64'));
  if (keys.length > 0 && keys.every(isPublicKey)) return Buffer.concat(keys);
  throw new Error(`expected OpenPGP public keys, between the lines ${BEGIN} and ${END}`);
}

const PUBLIC_KEY_PACKET = 6;

const isPublicKey = ([first = 0]: Buffer): boolean =>
  ((first & 0x40) === 0 ? (first >> 2) & 0xf : first & 0x3f) === PUBLIC_KEY_PACKET && (first & 0x80) !== 0;
