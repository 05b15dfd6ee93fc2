import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isSecretName, secretName, shownName } from '../../../daemon/boot/secret-names.ts';

test('a secret name ends in its label, and no two are the same', () => {
  const names = Array.from({ length: 1000 }, () => secretName('config_drive'));
  assert.equal(new Set(names).size, names.length);
  for (const name of names) assert.match(name, /^secret\/[\w-]{43}\/config_drive$/);
});

test('the random part of a secret name is hidden, however the name is spelt', () => {
  const name = secretName('config_drive');
  const random = name.split('/')[1] ?? '';
  for (const spelling of [
    name,
    `/${name}`,
    `x//${name}`,
    `secret//${random}/a`,
    `secret/${random}`,
    `${name}/a/b`,
  ]) {
    assert.ok(isSecretName(spelling), spelling);
    assert.ok(!shownName(spelling).includes(random), shownName(spelling));
  }
  assert.equal(shownName(name), 'secret/***/config_drive');
});

test('other names are shown as they are', () => {
  for (const name of ['snponly.efi', 'secretary/x', 'a/config_drive', '']) {
    assert.equal(isSecretName(name), false);
    assert.equal(shownName(name), name);
  }
});
