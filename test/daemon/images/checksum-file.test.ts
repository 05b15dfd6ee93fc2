import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksumOf } from '../../../daemon/images/checksum-file.ts';
import { digest } from '../../fakes/images.ts';

const sha256 = digest('image');
const sha512 = digest('image', 'sha512');

test('the checksum of an image is found in checksum files of the GNU and BSD forms, and in one with only a digest', () => {
  const files: readonly (readonly [string, 'md5' | 'sha256' | 'sha512'])[] = [
    [`${sha256}  debian.raw\n`, 'sha256'],
    [`${digest('other')}  other.raw\n${sha512} *debian.raw\n`, 'sha512'],
    [`${digest('image', 'md5')}  ./debian.raw\r\n`, 'md5'],
    [`SHA256 (debian.raw) = ${sha256}\n`, 'sha256'],
    [`# debian.raw: 5 bytes\nSHA512 (debian.raw) = ${sha512.toUpperCase()}\n`, 'sha512'],
    [`-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${sha256}  debian.raw\n-----BEGIN PGP`, 'sha256'],
    [`\n${sha256}\n`, 'sha256'],
  ];
  for (const [text, algorithm] of files)
    assert.deepEqual(checksumOf('debian.raw', text), { algorithm, value: digest('image', algorithm) }, text);
});

test('a line about another file, of another form, or with a digest of the wrong length gives no checksum', () => {
  const files = [
    '',
    'not a digest',
    `${sha256}  debian.raw.old\n`,
    `${sha256}  old-debian.raw\n${sha256}  x`,
    `${sha256}debian.raw\n`,
    `${sha256}  debian_raw\nx`,
    `${sha256.slice(1)}  debian.raw\n`,
    `SHA512 (debian.raw) = ${sha256}\n`,
    `MD5 (other) = x\nSHA256 (other) = ${sha256}\n`,
  ];
  for (const text of files) assert.equal(checksumOf('debian.raw', text), undefined, text);
});
