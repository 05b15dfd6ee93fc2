import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Expected, trustedSigner } from '../../../../daemon/plugin-kit/shipping/signer-trust.ts';

const nothing: Expected = { key: undefined, installed: undefined, allowsUnsigned: false };

const cases: readonly (readonly [
  signer: string | undefined,
  expected: Partial<Expected>,
  outcome: RegExp,
])[] = [
  ['K1', { key: 'K1' }, /^signed by K1$/],
  ['K1', { installed: 'K1' }, /^signed by K1$/],
  ['K2', { installed: 'K1', key: 'K2' }, /^signed by K2$/],
  ['K1', { installed: null, key: 'K1' }, /^signed by K1$/],
  [undefined, { allowsUnsigned: true }, /^not signed$/],
  [undefined, {}, /it is not signed, so nobody vouches for it/],
  [undefined, { key: 'K1', allowsUnsigned: true }, /it is not signed by K1/],
  ['K1', {}, /it is signed by K1\. Compare .* add: --key K1/],
  ['K1', { allowsUnsigned: true }, /it is signed by K1\. Compare/],
  ['K1', { installed: null }, /it is signed by K1\. Compare/],
  ['K2', { key: 'K1' }, /it is signed by K2, not by K1/],
  ['K2', { key: 'K1', installed: 'K2' }, /it is signed by K2, not by K1/],
  ['K2', { installed: 'K1' }, /signed by K2, the installed version by K1/],
];

for (const [signer, expected, outcome] of cases) {
  test(`a package signed by ${signer ?? 'nobody'} with ${JSON.stringify(expected)} gives ${outcome.source}`, () => {
    let told: string;
    try {
      told = trustedSigner(signer, { ...nothing, ...expected });
    } catch (error) {
      told = (error as Error).message;
    }
    assert.match(told, outcome);
  });
}
