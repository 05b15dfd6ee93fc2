import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzzTftp } from './tftp.ts';

test('the TFTP server survives 5000 mutated packets and continues to serve', async () => {
  const { understood, ignored } = await fuzzTftp(5000, 691_350);
  assert.ok(understood > 500 && ignored > 500, `${understood} understood, ${ignored} ignored`);
});
