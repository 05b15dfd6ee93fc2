// The account that a ramdisk makes on the BMC of its machine: what asks for it, and how the login that it reports is opened.
import {
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import { now } from '../../lib/clock.ts';
import type { KernelParameters } from '../../plugin-api/index.ts';
import type { RamdiskServices } from './services.ts';

/** No operator's account has this name, so that a forged login can lock none. IPMI allows 16 characters. */
export const BMC_ACCOUNT = 'edge-inband';

/**
 * The kernel parameters with which the ramdisk of `agent-image build` makes the account; other ramdisks ignore them. The public key
 * is not part of the image, because an image may have been built on another host.
 */
export const accountParameters = (services: KeyServices): KernelParameters =>
  services.config.zero_touch.bmc_networks.length === 0
    ? {}
    : { 'ironic-edge-bmc-account': BMC_ACCOUNT, 'ironic-edge-site-key': publicKey(services) };

type KeyServices = Pick<RamdiskServices, 'config' | 'db' | 'clock'>;

const KEY_MILLISECONDS = 30 * 24 * 3_600_000;

/** The site's public key, in Base64url. Makes a key pair if there is none yet, or if it is old. */
function publicKey({ db, clock }: KeyServices): string {
  const [newest] = db.siteKeys.all();
  const age = newest === undefined ? Number.POSITIVE_INFINITY : clock.now() - Date.parse(newest.made_at);
  if (newest !== undefined && age < KEY_MILLISECONDS) return publicPart(keyFrom(newest.private_key));
  const made = generateKeyPairSync('x25519').privateKey;
  const private_key = made.export({ type: 'pkcs8', format: 'der' }).toString('base64');
  db.siteKeys.add({ private_key, made_at: now({ clock }) });
  return publicPart(made);
}

const keyFrom = (text: string): KeyObject =>
  createPrivateKey({ key: Buffer.from(text, 'base64'), type: 'pkcs8', format: 'der' });

const publicPart = (key: KeyObject): string => createPublicKey(key).export({ format: 'jwk' }).x ?? '';

const KEY_BYTES = 32;
const TAG_BYTES = 16;

/**
 * Opens what the ramdisk's `ironic_edge_login.py` has sealed: the sender's public key, a ciphertext and its tag. Undefined when
 * neither of the site's keys opens it.
 */
export function openSealed({ db }: Pick<RamdiskServices, 'db'>, bytes: Buffer): string | undefined {
  if (bytes.length <= KEY_BYTES + TAG_BYTES) return undefined;
  for (const { private_key } of db.siteKeys.all()) {
    try {
      return openedWith(keyFrom(private_key), bytes);
    } catch {
      // sealed for the other key, for another site, or not at all
    }
  }
  return undefined;
}

function openedWith(privateKey: KeyObject, bytes: Buffer): string {
  const [sender, sealed] = [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES, -TAG_BYTES)];
  const jwk = { kty: 'OKP', crv: 'X25519', x: sender.toString('base64url') };
  const shared = diffieHellman({ privateKey, publicKey: createPublicKey({ key: jwk, format: 'jwk' }) });
  const salt = Buffer.concat([sender, Buffer.from(publicPart(privateKey), 'base64url')]);
  const key = new Uint8Array(hkdfSync('sha256', shared, salt, 'ironic-edge bmc login', KEY_BYTES));
  // each key seals one text, so its nonce may be zero
  const cipher = createDecipheriv('chacha20-poly1305', key, Buffer.alloc(12), { authTagLength: TAG_BYTES });
  cipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  return Buffer.concat([cipher.update(sealed), cipher.final()]).toString('utf8');
}
