// The Ed25519 keys with which vendors sign their plugins.
import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto';
import { reasonOf } from '../../model/faults.ts';

const ADVICE = 'make one with: openssl genpkey -algorithm ed25519 -out vendor-key.pem';

/** Returns the private Ed25519 key in the PEM text. Throws a one-sentence Error if the text has none. `file`: for the message. */
export function privateKeyIn(file: string, pem: string): KeyObject {
  return ed25519(file, () => createPrivateKey(pem));
}

/**
 * Returns the public key in the PEM text, or the public part of a private key in it. Throws a one-sentence Error if the text has
 * no Ed25519 key.
 */
export function publicKeyIn(file: string, pem: string | Buffer): KeyObject {
  return ed25519(file, () => createPublicKey(pem));
}

function ed25519(file: string, read: () => KeyObject): KeyObject {
  const key = attempted(file, read);
  if (key.asymmetricKeyType === 'ed25519') return key;
  throw new Error(`${file} holds a key of type ${key.asymmetricKeyType}; expected an Ed25519 key: ${ADVICE}`);
}

function attempted(file: string, read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch (error) {
    throw new Error(`${file} holds no key that can be read (${reasonOf(error)}); ${ADVICE}`, {
      cause: error,
    });
  }
}

/**
 * Returns `SHA256:` and the base64 digest of the public key, or of the public part of a private key. The notation is that of
 * ssh-keygen, but the digest is that of the key in DER, so ssh-keygen shows another one.
 */
export function fingerprintOf(key: KeyObject): string {
  const publicPart = key.type === 'private' ? createPublicKey(key) : key;
  const der = publicPart.export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(der).digest('base64').replaceAll('=', '')}`;
}

export const signatureOf = (text: Buffer, key: KeyObject): Buffer => sign(null, text, key);

export const isSignedBy = (text: Buffer, signature: Buffer, key: KeyObject): boolean =>
  verify(null, text, key, signature);
