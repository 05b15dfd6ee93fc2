import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checksumOf } from '../../../daemon/images/checksum-file.ts';
import { digest } from '../../fakes/images.ts';

const md5 = digest('image', 'md5');
const sha256 = digest('image');
const sha384 = digest('image', 'sha384');
const sha512 = digest('image', 'sha512');
const other = digest('other');
const signed = (text: string) =>
  `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${text}\n-----BEGIN PGP SIGNATURE-----\n\n${other}  debian.raw\n-----END PGP SIGNATURE-----\n`;

type Found = readonly (readonly [text: string, algorithm: 'md5' | 'sha256' | 'sha384' | 'sha512'])[];

function finds(files: Found, image = '/pool/13/debian.raw') {
  for (const [text, algorithm] of files)
    assert.deepEqual(checksumOf(image, text), { algorithm, value: digest('image', algorithm) }, text);
}

test('the checksum of an image is found in checksum files of the GNU and BSD forms, and in one with only a digest', () => {
  finds([
    [`${sha256}  debian.raw\n`, 'sha256'],
    [`${sha384}  debian.raw\n`, 'sha384'],
    [`${other}  other.raw\n${sha512} *debian.raw\n`, 'sha512'],
    [`${md5}  ./debian.raw\r\n`, 'md5'],
    [`${other}  other.raw\r\n${sha256} *./debian.raw\r\n`, 'sha256'],
    [`${sha256}\tdebian.raw\n`, 'sha256'],
    [`${sha256}\t*debian.raw`, 'sha256'],
    [`sha256:${sha256}  debian.raw`, 'sha256'],
    [`\uFEFF${sha256}  debian.raw`, 'sha256'],
    [`SHA256 (debian.raw) = ${sha256}\n`, 'sha256'],
    [`SHA256 (./debian.raw)\t=\t${sha256}\r\n`, 'sha256'],
    [`SHA256(debian.raw)= ${sha256}`, 'sha256'],
    [`SHA256(debian.raw)=${sha256}`, 'sha256'],
    [`SHA2-512(debian.raw)= ${sha512}`, 'sha512'],
    [`SHA-384 (debian.raw) = ${sha384}`, 'sha384'],
    [`# debian.raw: 5 bytes\nSHA512 (debian.raw) = ${sha512.toUpperCase()}\n`, 'sha512'],
    [`\n${sha256}\n`, 'sha256'],
  ]);
});

test('the checksum of an image is found in a signed checksum file, and never taken from its signature', () => {
  finds([
    [signed(`${sha256}  debian.raw`), 'sha256'],
    [signed(`- ${sha256}  debian.raw`).replaceAll('\n', '\r\n'), 'sha256'],
    [signed(sha256), 'sha256'],
    [`-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n${sha256}  debian.raw\n-----BEGIN PGP`, 'sha256'],
  ]);
  assert.equal(checksumOf('/debian.raw', signed(`${sha256}  other.raw`)), undefined);
});

test('of several algorithms for one image, the strongest counts', () => {
  const lines = [md5, sha256, sha384, sha512].map((each) => `${each}  debian.raw`);
  for (let from = 0; from < 4; from += 1)
    for (const several of [lines.slice(0, from + 1), lines.slice(0, from + 1).toReversed()])
      finds([[several.join('\n'), (['md5', 'sha256', 'sha384', 'sha512'] as const)[from] ?? 'md5']]);
  finds([
    [
      `MD5 (debian.raw) = ${md5}\nSHA1 (debian.raw) = ${'a'.repeat(40)}\nSHA256 (debian.raw) = ${sha256}`,
      'sha256',
    ],
    [`${sha256}  debian.raw\n${sha256}  debian.raw\n`, 'sha256'],
  ]);
});

test('a folder before the name is no obstacle; the line without a folder comes first, then that of the same folder', () => {
  finds([
    [`${other}  other.raw\n${sha256}  images/debian.raw`, 'sha256'],
    [`${sha256} */home/build/out/debian.raw\n${other}  x`, 'sha256'],
    [`SHA256 (out/debian.raw) = ${sha256}`, 'sha256'],
    [`${other}  12/debian.raw\n${sha256}  13/debian.raw`, 'sha256'],
    [`${other}  12/debian.raw\n${sha256}  ./pool/13/debian.raw`, 'sha256'],
    [`${other}  13/debian.raw\n${sha256}  debian.raw`, 'sha256'],
    [`${digest('other', 'sha512')}  12/debian.raw\n${sha256}  13/debian.raw`, 'sha256'],
  ]);
  const ambiguous = `${other}  arm64/debian.raw\n${sha256}  amd64/debian.raw`;
  assert.throws(
    () => checksumOf('/13/debian.raw', ambiguous),
    new RegExp(`it has several sha256 digests of the image, such as ${other} and ${sha256}`),
  );
  finds([[ambiguous, 'sha256']], '/13/amd64/debian.raw');
});

test('a name with blanks, brackets or escaped characters is compared as it is in the URL', () => {
  const names = ['debian 13 (1).raw', 'a=b).raw', 'ä.raw', '100%.raw', 'a+b~1:2.raw'];
  for (const name of names)
    for (const text of [`${sha256}  ${name}`, `SHA256 (${name}) = ${sha256}`])
      for (const path of [new URL(`http://images.test/${encodeURIComponent(name)}`).pathname, `/${name}`])
        finds([[text, 'sha256']], path);
});

test('a line about another file, of another form, or with a digest of the wrong length gives no checksum', () => {
  const files = [
    '',
    'not a digest',
    '<html><body>Please log in</body></html>',
    `<pre>${sha256}  debian.raw</pre>`,
    `${sha256}  debian.raw.old\n`,
    `${sha256}  old-debian.raw\n${sha256}  x`,
    `${sha256}  debian.raw/\n${sha256}  x`,
    `${sha256}  /\n${sha256}  `,
    `${sha256}debian.raw\n`,
    `${sha256}  debian_raw\nx`,
    `${sha256.slice(1)}  debian.raw\n`,
    `SHA512 (debian.raw) = ${sha256}\n`,
    `SHA3-256 (debian.raw) = ${sha256}\n`,
    `BLAKE2b (debian.raw) = ${sha512}\n`,
    `SHA512/256 (debian.raw) = ${sha256}\n`,
    `MD5 (other) = x\nSHA256 (other) = ${sha256}\n`,
    `${sha256}\n${other}`,
  ];
  for (const text of files) assert.equal(checksumOf('/debian.raw', text), undefined, text);
});
