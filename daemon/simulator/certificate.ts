// Self-signed certificates for simulated agents, appliances and iLOs, like the one that a real agent makes at each start:
// elliptic curve P-384, one IPv4 address, valid for 30 days.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface Certificate {
  /** The certificate as PEM. */
  readonly cert: string;
  readonly key: string;
}

/**
 * Returns a certificate that is valid from one hour before `now` to 30 days after it. `now`: milliseconds since the epoch; if
 * absent, the time of the system's clock, even in a test with another clock, because TLS goes by the system's clock.
 */
export function selfSigned(ipv4: string, now = Date.now()): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const algorithm = sequence(objectId('2a8648ce3d040304'));
  const name = sequence(set(sequence(objectId('550403'), tlv(0x0c, Buffer.from('simulated-machine')))));
  const address = tlv(0x87, Buffer.from(ipv4.split('.').map(Number)));
  const alternativeName = sequence(
    objectId('551d11'),
    tlv(0x01, Buffer.from([0xff])),
    tlv(0x04, sequence(address)),
  );
  const certificate = sequence(
    tlv(0xa0, integer(Buffer.from([2]))),
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    algorithm,
    name,
    sequence(time(now - 3_600_000), time(now + 30 * 86_400_000)),
    name,
    publicKey.export({ format: 'der', type: 'spki' }),
    tlv(0xa3, sequence(alternativeName)),
  );
  const signature = tlv(0x03, Buffer.from([0]), sign('sha512', certificate, privateKey));
  const der = sequence(certificate, algorithm, signature);
  return { cert: pem(der), key: String(privateKey.export({ format: 'pem', type: 'pkcs8' })) };
}

// DER: tag, length, value
function tlv(tag: number, ...parts: readonly Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const size = value.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}

const sequence = (...parts: readonly Buffer[]) => tlv(0x30, ...parts);
const set = (...parts: readonly Buffer[]) => tlv(0x31, ...parts);
const integer = (value: Buffer) => tlv(0x02, value);
const objectId = (hex: string) => tlv(0x06, Buffer.from(hex, 'hex'));
const time = (at: number) =>
  tlv(0x18, Buffer.from(`${new Date(at).toISOString().slice(0, 19).replaceAll(/[-:T]/g, '')}Z`));

function pem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
