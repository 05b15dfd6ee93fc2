// Seals logins of BMCs as the ramdisk's ironic_edge_login.py does.
import {
  createCipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

const rawKey = (key: KeyObject): Buffer => Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');

/** `siteKey`: the public key in Base64url, as the kernel parameter ironic-edge-site-key has it. */
export function sealedLogin(login: unknown, siteKey: string): string {
  const own = generateKeyPairSync('x25519');
  const site = createPublicKey({ key: { kty: 'OKP', crv: 'X25519', x: siteKey }, format: 'jwk' });
  const shared = diffieHellman({ privateKey: own.privateKey, publicKey: site });
  const salt = Buffer.concat([rawKey(own.publicKey), rawKey(site)]);
  const key = new Uint8Array(hkdfSync('sha256', shared, salt, 'ironic-edge bmc login', 32));
  const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: 16 });
  const sealed = [cipher.update(JSON.stringify(login)), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([rawKey(own.publicKey), ...sealed]).toString('base64');
}
