import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { shaCrypt } from '../../../daemon/lib/sha-crypt.ts';

test('hashes equal those of crypt(3) for a known password and salt', () => {
  assert.equal(
    shaCrypt('sha256', 'Hello world!', 'saltstring'),
    '$5$saltstring$5B8vYYiY.CVt1RlTTf8KbXBH3hsxY/GNooZaBBGWEc5',
  );
  assert.equal(
    shaCrypt('sha512', 'Hello world!', 'saltstring'),
    '$6$saltstring$svn8UoSVapNtMuq1ukKS4tPQd8iKwSMHWjl/O817G3uBnIFNjnQJuesI68u4OTLiBFdcbYEdFCoEOfaS35inz1',
  );
});

test('hashes equal those of OpenSSL for passwords of various lengths and scripts', () => {
  const passwords = ['x', 'pässwörd', 'x'.repeat(31), 'y'.repeat(32), 'z'.repeat(65), '日本語'.repeat(20)];
  for (const password of passwords) {
    for (const [algorithm, option] of [
      ['sha256', '-5'],
      ['sha512', '-6'],
    ] as const) {
      const hashed = shaCrypt(algorithm, password);
      const salt = hashed.split('$')[2] ?? '';
      assert.match(salt, /^[./0-9A-Za-z]{16}$/);
      const { stdout, status } = spawnSync('openssl', ['passwd', option, '-salt', salt, '-stdin'], {
        input: password,
        encoding: 'utf8',
      });
      assert.deepEqual([status, stdout.trim()], [0, hashed], `${algorithm} ${password}`);
    }
  }
});

test('hashing a password twice yields different hashes', () => {
  assert.notEqual(shaCrypt('sha256', 'secret'), shaCrypt('sha256', 'secret'));
});
